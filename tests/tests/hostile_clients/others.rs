//! The other clients: well-behaved, and timed.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::mem;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wsrt_tests::LIMIT;

use crate::victim;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(1);
/// How long one wait for them is at most.
const STEP: Duration = Duration::from_millis(100);
/// How many requests warm the server up.
const WARM: usize = 200;

/// Two clients: one on a connection that it keeps, the other on a new one for each request. A
/// request that fails is a panic, as a rule.
pub(crate) struct Others {
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Something in the state has changed.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    times: Vec<Duration>,
    is_over: bool,
}

impl Others {
    pub(crate) fn start(address: SocketAddr) -> Self {
        let shared = Arc::new(Shared::default());
        let clients: [fn(SocketAddr, &Shared); 2] = [keep_asking, keep_connecting];
        let threads = clients.map(|client| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                // A client that panics is noticed at once.
                let _ender = Ender(&shared);
                client(address, &shared);
            })
        });
        Self { threads: threads.into(), shared }
    }

    /// Waits for the first requests. Counts its waits: while the machine stands still, nothing is
    /// used up.
    pub(crate) fn warm_up(&self) {
        let mut state = self.shared.lock();
        for _ in 0..LIMIT.as_millis() / STEP.as_millis() {
            assert!(!state.is_over, "a client has panicked");
            if state.times.len() >= WARM {
                return;
            }
            (state, _) = self.shared.changed.wait_timeout(state, STEP).unwrap_or_else(PoisonError::into_inner);
        }
        panic!("{} answers", state.times.len());
    }

    /// The times of the requests since the last call.
    pub(crate) fn take_times(&self) -> Times {
        let mut times = std::mem::take(&mut self.shared.lock().times);
        times.sort_unstable();
        Times(times)
    }

    pub(crate) fn end(self) {
        self.shared.end();
        for thread in self.threads {
            thread.join().expect("all requests were answered");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on(&self) -> bool {
        !self.lock().is_over
    }

    fn note(&self, began: Instant) {
        let took = began.elapsed();
        self.lock().times.push(took);
        self.changed.notify_all();
        thread::sleep(PAUSE);
    }

    fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }
}

/// Ends the clients when it is dropped.
struct Ender<'a>(&'a Shared);

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn keep_asking(address: SocketAddr, shared: &Shared) {
    let mut stream = connect(address);
    keep_timing(shared, || ask(&mut stream).inspect_err(|_| stream = connect(address)));
}

fn keep_connecting(address: SocketAddr, shared: &Shared) {
    keep_timing(shared, || ask(&mut connect(address)));
}

/// Calls `ask` and times it until the end. A request may fail only if it, or the silence before it,
/// took as long as the victims wait: the system may have held the client up.
fn keep_timing(shared: &Shared, mut ask: impl FnMut() -> io::Result<()>) {
    let mut began = Instant::now();
    while shared.goes_on() {
        let before = mem::replace(&mut began, Instant::now());
        if let Err(error) = ask() {
            let held_up = before.elapsed();
            assert!(held_up >= victim::LIMIT, "a request failed {held_up:?} after the last began: {error}");
        }
        shared.note(began);
    }
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).expect("the server accepts");
    stream.set_nodelay(true).expect("sockets have options");
    stream.set_read_timeout(Some(LIMIT)).expect("sockets have timeouts");
    BufReader::new(stream)
}

/// Sends a request, and reads its answer.
fn ask(stream: &mut BufReader<TcpStream>) -> io::Result<()> {
    stream.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n")?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().expect("a number");
        }
        if line == "\r\n" {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length])
}

/// Sorted times.
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Longer than anything if there was none: on a busy machine that may be.
    pub(crate) fn p99(&self) -> Duration {
        self.0.get(self.0.len() * 99 / 100).copied().unwrap_or(LIMIT)
    }

    pub(crate) fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or(LIMIT)
    }
}
