//! The other clients: well-behaved, and timed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wsrt_tests::LIMIT;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(1);
/// How many requests warm the server up.
const WARM: usize = 200;

/// Two clients: one on a connection that it keeps, the other on a new one for each request. A
/// request that fails is a panic.
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

    /// Waits for the first requests.
    pub(crate) fn warm_up(&self) {
        let is_cold = |state: &mut State| !state.is_over && state.times.len() < WARM;
        let waiting = self.shared.changed.wait_timeout_while(self.shared.lock(), LIMIT, is_cold);
        let (state, timeout) = waiting.unwrap_or_else(PoisonError::into_inner);
        assert!(!state.is_over && !timeout.timed_out(), "no answers");
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
    while shared.goes_on() {
        let began = Instant::now();
        ask(&mut stream);
        shared.note(began);
    }
}

fn keep_connecting(address: SocketAddr, shared: &Shared) {
    while shared.goes_on() {
        let began = Instant::now();
        ask(&mut connect(address));
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
fn ask(stream: &mut BufReader<TcpStream>) {
    stream.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").expect("the server reads");
    let mut length = 0;
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).expect("the server answers"), 0, "the server closed the connection");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().expect("a number");
        }
        if line == "\r\n" {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length]).expect("as long as it says");
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
