//! Messages over one TCP connection: one thread writes, one reads, and the node is a process of its
//! own.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::{Failure, LIMIT};

/// The four messages of a job's life, and the answers.
const ANSWERS: [&str; 4] = ["job_submitted", "job_stolen", "job_taken", "job_completed"];
/// Messages written at a time.
const BATCH: u64 = 256;

/// A node as a child. Killed when dropped.
struct Node(Child);

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures messages a second.
pub(crate) fn measure(address: Option<String>, messages: u64) -> Result<f64, Failure> {
    let (_node, address) = match address {
        Some(address) => (None, address),
        None => {
            let (node, address) = start_node()?;
            (Some(node), address)
        }
    };
    let stream = TcpStream::connect(&address).map_err(|error| format!("{address}: {error}"))?;
    stream.set_read_timeout(Some(LIMIT))?;
    stream.set_write_timeout(Some(LIMIT))?;
    let mut reader = BufReader::with_capacity(1 << 16, stream.try_clone()?);
    begin(&stream, &mut reader)?;

    let start = Instant::now();
    let writer = thread::spawn(move || write(stream, messages));
    let mut line = String::new();
    for number in 0..messages {
        line.clear();
        reader.read_line(&mut line)?;
        let expected = ANSWERS[(number % 4) as usize];
        if !line.contains(expected) {
            return Err(format!("message {number} was to be answered with {expected}, and was with {line}").into());
        }
        if start.elapsed() > LIMIT {
            return Err(format!("{number} of {messages} messages in {LIMIT:?}").into());
        }
    }
    let took = start.elapsed();
    writer.join().map_err(|_| "the writer panicked")??;
    let rate = messages as f64 / took.as_secs_f64();
    println!("{messages} messages over one connection in {took:.2?}: {rate:.0} a second");
    Ok(rate)
}

fn start_node() -> Result<(Node, String), Failure> {
    let program = std::env::current_exe()?.with_file_name("cluster");
    let mut command = Command::new(&program);
    command.args(["--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("{}: {error}; build it first", program.display()))?;
    let mut node = Node(child);
    let mut greeting = String::new();
    BufReader::new(node.0.stdout.take().ok_or("it is not piped")?).read_line(&mut greeting)?;
    let address = greeting.trim_end().strip_prefix("listening on ").ok_or("the node does not print its address")?;
    Ok((node, address.to_owned()))
}

fn begin(mut stream: &TcpStream, reader: &mut impl BufRead) -> Result<(), Failure> {
    let init = message(0, r#""type":"init","workers":["w1","w2"],"jobs_to_distribute":0"#);
    stream.write_all(init.as_bytes())?;
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if line.contains("init_ok") { Ok(()) } else { Err(format!("the node does not begin: {line}").into()) }
}

fn write(mut stream: TcpStream, messages: u64) -> std::io::Result<()> {
    let run = std::process::id();
    let mut batch = String::new();
    for number in 0..messages {
        let job = format!("load-{run}-{}", number / 4);
        let fields = match number % 4 {
            0 => format!(r#""type":"submit_job","worker":"w1","job_id":"{job}","payload":{{"cost_us":5}}"#),
            1 => r#""type":"steal_job","thief_worker":"w2","busy_workers":["w1"]"#.to_owned(),
            2 => r#""type":"take_job","worker":"w2""#.to_owned(),
            _ => format!(r#""type":"complete_job","worker":"w2","job_id":"{job}","result":5"#),
        };
        batch.push_str(&message(number + 1, &fields));
        if number % BATCH == BATCH - 1 {
            stream.write_all(batch.as_bytes())?;
            batch.clear();
        }
    }
    stream.write_all(batch.as_bytes())
}

fn message(id: u64, fields: &str) -> String {
    format!("{{\"src\":\"load\",\"dest\":\"cluster\",\"body\":{{\"msg_id\":{id},{fields}}}}}\n")
}
