//! A server that is slow, and the same server mended: `cargo run --release --example slow_server`,
//! then with `-- mended`.
//!
//! It keeps count of its users' visits, writes each to a journal that has to be on the disk before
//! the visit is answered, and checks passwords. Twenty-four clients keep it busy for three seconds,
//! and print their times. Nothing in it is absurd, and yet a `ping` takes long now and then.
//! `docs/SEEING.md` finds the reasons, with the trace, the dump and the report that every wsrt
//! program offers:
//!
//! ```sh
//! WSRT_TRACE=slow.perfetto-trace cargo run --release --example slow_server
//! cargo run --release -p wsrt-report -- slow.perfetto-trace
//! ```
//!
//! The protocol: a line for each request, `ping`, `visit NAME` or `login NAME PASSWORD`, and a line
//! for each answer.

use std::collections::HashMap;
use std::env;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use wsrt::net::{TcpListener, TcpStream};
use wsrt::sync::{Mutex, Semaphore, mpsc, oneshot};
use wsrt::task;

const CLIENTS: u64 = 24;
const HOW_LONG: Duration = Duration::from_secs(3);
const LONGEST_LINE: usize = 1024;
/// Rounds of the password hash: some 4 ms of work.
const ROUNDS: u64 = 2_000_000;

#[wsrt::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("slow_server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> io::Result<()> {
    let is_mended = match env::args().nth(1).as_deref() {
        None => false,
        Some("mended") => true,
        Some(other) => return Err(io::Error::other(format!("`{other}`: the one argument that there is is `mended`"))),
    };
    let path = env::temp_dir().join(format!("wsrt-slow-server-{}.journal", std::process::id()));
    let journal = File::create(&path)?;
    let store = Arc::new(if is_mended { Store::mended(journal) } else { Store::slow(journal) });

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let accepting = task::Builder::new().name("accept").spawn(accept(listener, store));
    let seen = task::spawn_blocking(move || be_clients(address)).await.map_err(io::Error::other)?;
    accepting.abort();
    std::fs::remove_file(&path)?;
    print_latencies(seen?);
    Ok(())
}

async fn accept(listener: TcpListener, store: Arc<Store>) {
    // The end of the listener is the end of the program: the clients here are its own.
    while let Ok((stream, peer)) = listener.accept().await {
        task::Builder::new().name(&format!("connection {peer}")).spawn(serve(stream, Arc::clone(&store)));
    }
}

/// Answers one connection's requests, one after the other.
async fn serve(mut stream: TcpStream, store: Arc<Store>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    while let Some(line) = read_line(&mut stream, &mut buffer).await? {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["ping"] => "pong\n".to_owned(),
            ["visit", name] => format!("visit {}\n", store.visit(name).await?),
            ["login", name, password] => format!("{}\n", store.log_in(name, password).await?),
            _ => format!("error: `{line}` is no request\n"),
        };
        stream.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

/// The next line, without its end; none at the end of the stream.
async fn read_line(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<String>> {
    loop {
        if let Some(end) = buffer.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
        }
        if buffer.len() > LONGEST_LINE {
            return Err(io::Error::other(format!("a line of more than {LONGEST_LINE} bytes")));
        }
        let mut chunk = [0; 256];
        match stream.read(&mut chunk).await? {
            0 => return Ok(None),
            count => buffer.extend_from_slice(&chunk[..count]),
        }
    }
}

/// The server's state.
struct Store {
    visits: Mutex<HashMap<String, u64>>,
    journal: Journal,
    /// Permits to compute a hash: two at a time, so that other work has cores, too.
    hashing: Semaphore,
}

/// Where visits are written down, durably.
enum Journal {
    /// Written at once, by the task that has a line.
    Direct(Mutex<File>),
    /// By its own task, as many at a time as have come.
    Grouped(mpsc::UnboundedSender<(String, oneshot::Sender<()>)>),
}

impl Store {
    fn slow(journal: File) -> Self {
        Self { visits: Mutex::default(), journal: Journal::Direct(Mutex::new(journal)), hashing: Semaphore::new(2) }
    }

    fn mended(journal: File) -> Self {
        let (lines, inbox) = mpsc::unbounded_channel();
        wsrt::spawn(keep_journal(journal, inbox));
        Self { visits: Mutex::default(), journal: Journal::Grouped(lines), hashing: Semaphore::new(2) }
    }

    async fn visit(&self, name: &str) -> io::Result<u64> {
        match &self.journal {
            Journal::Direct(journal) => {
                let mut visits = self.visits.lock().await;
                let mut journal = journal.lock().await;
                let count = count_visit(&mut visits, name);
                // The first fault: the disk is waited for inside a poll, with both locks held.
                writeln!(journal, "{name} {count}")?;
                journal.sync_data()?;
                Ok(count)
            }
            Journal::Grouped(lines) => {
                let count = count_visit(&mut *self.visits.lock().await, name);
                let (written, on_disk) = oneshot::channel();
                let gone = || io::Error::other("the journal could not be written");
                lines.send((format!("{name} {count}\n"), written)).map_err(|_| gone())?;
                on_disk.await.map_err(|_| gone())?;
                Ok(count)
            }
        }
    }

    async fn log_in(&self, name: &str, password: &str) -> io::Result<&'static str> {
        let (name, password) = (name.to_owned(), password.to_owned());
        let is_right = match self.journal {
            // The second fault: milliseconds of work in one poll, while other tasks wait.
            Journal::Direct(_) => hash(&name, &password) % 2 == 0,
            Journal::Grouped(_) => {
                let _turn = self.hashing.acquire().await.map_err(io::Error::other)?;
                task::spawn_blocking(move || hash(&name, &password) % 2 == 0).await.map_err(io::Error::other)?
            }
        };
        Ok(if is_right { "welcome" } else { "no" })
    }
}

fn count_visit(visits: &mut HashMap<String, u64>, name: &str) -> u64 {
    let count = visits.entry(name.to_owned()).or_default();
    *count += 1;
    *count
}

/// Writes down all lines that have come, waits for the disk once, and answers the waiting tasks.
async fn keep_journal(
    journal: File,
    mut inbox: mpsc::UnboundedReceiver<(String, oneshot::Sender<()>)>,
) -> io::Result<()> {
    let journal = Arc::new(journal);
    let mut batch = Vec::new();
    while inbox.recv_many(&mut batch, 1_000).await > 0 {
        let (lines, waiting): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        let journal = Arc::clone(&journal);
        let written = task::spawn_blocking(move || {
            (&*journal).write_all(lines.concat().as_bytes())?;
            journal.sync_data()
        });
        written.await.map_err(io::Error::other)??;
        for written in waiting {
            // A client that has broken off does not wait.
            let _ = written.send(());
        }
    }
    Ok(())
}

/// Stands for a password hash: slow on purpose, and fit for nothing else.
fn hash(name: &str, password: &str) -> u64 {
    let start = name.bytes().chain(password.bytes()).fold(0, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(byte));
    (0..ROUNDS).fold(start, |sum, round| (sum ^ round).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23))
}

/// How long each request of one kind took.
type Latencies = HashMap<&'static str, Vec<Duration>>;

/// Clients on their own threads, which ask one thing after the other.
fn be_clients(address: SocketAddr) -> io::Result<Latencies> {
    let clients: Vec<_> = (0..CLIENTS).map(|number| thread::spawn(move || be_client(address, number))).collect();
    let mut all = Latencies::new();
    for client in clients {
        let seen = client.join().map_err(|_| io::Error::other("a client panicked"))??;
        seen.into_iter().for_each(|(kind, latencies)| all.entry(kind).or_default().extend(latencies));
    }
    Ok(all)
}

fn be_client(address: SocketAddr, number: u64) -> io::Result<Latencies> {
    let mut stream = std::net::TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut answers = BufReader::new(stream.try_clone()?);
    let mut seen = Latencies::new();
    let end = Instant::now() + HOW_LONG;
    for turn in 0.. {
        let begun = Instant::now();
        if begun > end {
            break;
        }
        let (kind, request) = match (number * 7 + turn) % 100 {
            0 => ("login", format!("login user{number} secret{turn}\n")),
            1..40 => ("visit", format!("visit user{number}\n")),
            _ => ("ping", "ping\n".to_owned()),
        };
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        if answers.read_line(&mut answer)? == 0 {
            return Err(io::Error::other(format!("the server hung up on `{}`", request.trim_end())));
        }
        seen.entry(kind).or_default().push(begun.elapsed());
        // No person types faster.
        thread::sleep(Duration::from_millis(1));
    }
    Ok(seen)
}

fn print_latencies(mut all: Latencies) {
    println!("{:8}{:>10}{:>12}{:>12}{:>12}", "", "requests", "median ms", "99 % ms", "longest ms");
    for kind in ["ping", "visit", "login"] {
        let seen = all.entry(kind).or_default();
        seen.sort_unstable();
        let at = |share: f64| seen.get(((seen.len() as f64 * share) as usize).min(seen.len().saturating_sub(1)));
        let millis = |share| at(share).map_or(0.0, |latency| latency.as_secs_f64() * 1_000.0);
        println!("{kind:8}{:>10}{:>12.2}{:>12.2}{:>12.2}", seen.len(), millis(0.5), millis(0.99), millis(1.0));
    }
}
