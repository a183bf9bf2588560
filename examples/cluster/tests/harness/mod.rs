//! The tests' surroundings: the program as users start it, a client, and a Redis of their own.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test program uses a part of it")]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long any one event may take before a test gives it up for lost.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The lines of a pipe, as they come.
pub fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Asks again and again until there is an answer.
#[track_caller]
pub fn wait_until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// The program, running. Killed when dropped.
pub struct Program {
    process: Child,
    pub said: Receiver<String>,
    pub complained: Receiver<String>,
}

impl Program {
    pub fn start(arguments: &[&str]) -> Self {
        let mut process = command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let said = lines(process.stdout.take().expect("it is piped"));
        let complained = lines(process.stderr.take().expect("it is piped"));
        Self { process, said, complained }
    }

    /// A node on a free port, and where it listens.
    pub fn listen(arguments: &[&str]) -> (Self, String) {
        let program = Self::start(&[&["--listen", "127.0.0.1:0"], arguments].concat());
        let greeting = program.said.recv_timeout(LIMIT).expect("it prints its address");
        let address = greeting.strip_prefix("listening on ").expect("with these words").to_owned();
        (program, address)
    }

    /// SIGKILL: nothing of it can be caught.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    pub fn interrupt(&self) {
        signal(self.process.id(), "INT");
    }

    /// Holds the process where it is.
    pub fn stop(&self) {
        signal(self.process.id(), "STOP");
    }

    pub fn go_on(&self) {
        signal(self.process.id(), "CONT");
    }

    pub fn wait(&mut self) -> ExitStatus {
        wait_until("the program ends", || self.process.try_wait().expect("it is our child"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cluster"));
    command.args(arguments).env_remove("WSRT_SCHEDTRACE");
    command
}

fn signal(process: u32, name: &str) {
    let status = Command::new("kill").args([format!("-{name}"), process.to_string()]).status().expect("kill runs");
    assert!(status.success());
}

/// Runs the program with this standard input, and returns its standard output.
#[track_caller]
pub fn answers(arguments: &[&str], input: &str) -> String {
    let mut process = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .expect("the program starts");
    let mut pipe = process.stdin.take().expect("it is piped");
    let input = input.to_owned();
    let writer = thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    writer.join().expect("it does not panic").expect("it reads everything");
    String::from_utf8(output.stdout).expect("JSON is text")
}

/// A client of a node.
pub struct Client {
    reader: BufReader<TcpStream>,
    next_id: u64,
}

impl Client {
    pub fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("the node listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit above zero");
        Self { reader: BufReader::new(stream), next_id: 1 }
    }

    pub fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).expect("the node reads");
    }

    /// Sends the text over and over, until the node has not read on for as long as `patience`.
    pub fn flood(&mut self, text: &str, patience: Duration) {
        let stream = self.reader.get_mut();
        stream.set_write_timeout(Some(patience)).expect("a limit above zero");
        let text = text.repeat(100);
        while stream.write_all(text.as_bytes()).is_ok() {}
    }

    /// The next line. Empty if the node has closed the connection.
    pub fn receive(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("an answer in time");
        line.truncate(line.trim_end().len());
        line
    }

    /// Asks with the fields of a body, written without braces, and returns the answer's body.
    pub fn ask(&mut self, fields: &str) -> serde_json::Value {
        self.send_fields(fields);
        self.body()
    }

    pub fn send_fields(&mut self, fields: &str) {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&format!("{{\"src\":\"c\",\"dest\":\"cluster\",\"body\":{{\"msg_id\":{id},{fields}}}}}\n"));
    }

    pub fn body(&mut self) -> serde_json::Value {
        let line = self.receive();
        let mut answer: serde_json::Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        answer["body"].take()
    }

    /// Says no more, but still listens.
    pub fn end(&mut self) {
        self.reader.get_ref().shutdown(std::net::Shutdown::Write).expect("it is connected");
    }
}

/// A `redis-server` of the test's own. Killed when dropped.
pub struct Redis {
    process: Child,
    port: u16,
    directory: PathBuf,
    durability: Durability,
}

/// Redis' precaution against a power cut.
#[derive(Clone, Copy)]
pub enum Durability {
    /// Each change is on the disk before it is answered.
    Always,
    /// Nothing is ever written.
    None,
}

impl Redis {
    /// Starts one on a free port, or prints loudly that there is none on this machine. In CI, that
    /// is a failure.
    pub fn start(test: &str, durability: Durability) -> Option<Self> {
        if Command::new("redis-server").arg("--version").output().is_err() {
            let complaint =
                format!("{test}: NOT RUN: there is no redis-server here (Debian: apt-get install redis-server)\n");
            let is_ci = env::var("CI").is_ok_and(|value| value == "true");
            assert!(!is_ci, "{complaint}");
            // Past the test harness, which would keep it to itself.
            let _ = std::io::stderr().write_all(complaint.as_bytes());
            return None;
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("wsrt-cluster-{}-{}", id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = env::temp_dir().join(name);
        // A killed process, whose number this one has got, may have left its data behind.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory for Redis");
        // Another program may take the port before Redis does.
        (0..5).find_map(|_| {
            let port = free_port();
            let process = Self::run(port, &directory, durability)?;
            Some(Self { process, port, directory: directory.clone(), durability })
        })
    }

    /// Starts one on a port that no program has used until now.
    pub fn start_at(test: &str, port: u16) -> Option<Self> {
        let mut redis = Self::start(test, Durability::None)?;
        redis.kill();
        redis.port = port;
        redis.restart();
        Some(redis)
    }

    fn run(port: u16, directory: &PathBuf, durability: Durability) -> Option<Child> {
        let log: &[&str] = match durability {
            Durability::Always => &["--appendonly", "yes", "--appendfsync", "always"],
            Durability::None => &["--appendonly", "no"],
        };
        let mut process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(log)
            .arg("--dir")
            .arg(directory)
            .stdout(Stdio::piped())
            .spawn()
            .expect("redis-server starts");
        let said = lines(process.stdout.take().expect("it is piped"));
        while let Ok(line) = said.recv_timeout(LIMIT) {
            if line.contains("Ready to accept connections") {
                return Some(process);
            }
        }
        let _ = process.kill();
        let _ = process.wait();
        None
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts it again where it was, with the contents of its disk.
    pub fn restart(&mut self) {
        self.process = Self::run(self.port, &self.directory, self.durability).expect("the port is still free");
    }

    /// Lets it hang, as a machine without a network does.
    pub fn stop(&self) {
        signal(self.process.id(), "STOP");
    }

    pub fn go_on(&self) {
        signal(self.process.id(), "CONT");
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Below the ports that the system gives to sockets which ask for any: no other socket gets it by
/// chance until Redis has started, for the first time or again.
pub fn free_port() -> u16 {
    const PORTS: Range<u32> = 12_000..30_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Each process begins elsewhere.
    let first = id().wrapping_mul(64);
    let ports = (0..1_000).map(|_| {
        let number = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        (PORTS.start + number % PORTS.len() as u32) as u16
    });
    ports.into_iter().find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).expect("a free port")
}
