//! Well-behaved clients that measure the time to each answer.

use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::patience::{self, Patience};

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(1);

/// A client on its own thread that sends requests repeatedly and measures how long each answer
/// takes.
#[derive(Debug)]
pub struct Asking {
    is_over: Arc<AtomicBool>,
    times: Receiver<Duration>,
    thread: JoinHandle<()>,
}

impl Asking {
    /// Starts a client that calls `ask` repeatedly. `ask` sends one request and returns once it has
    /// the answer.
    ///
    /// A failed request is accepted if the server may close connections that are silent for
    /// `silence`, and either the connection was silent for as long or the request took as long,
    /// since the OS may have delayed the client. `ask` is then called again and must open a new
    /// connection. After any other error the thread panics.
    #[must_use]
    pub fn start(silence: Duration, mut ask: impl FnMut() -> io::Result<()> + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (sender, times) = channel();
        let thread = thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                let mut began = Instant::now();
                while !is_over.load(Relaxed) {
                    let before = mem::replace(&mut began, Instant::now());
                    if let Err(error) = ask() {
                        let held_up = before.elapsed();
                        assert!(held_up >= silence, "a request failed {held_up:?} after the last began: {error}");
                    }
                    let _ = sender.send(began.elapsed());
                    thread::sleep(PAUSE);
                }
            }
        });
        Self { is_over, times, thread }
    }

    /// Waits until the client has received `count` answers.
    ///
    /// # Panics
    ///
    /// Panics if the client has panicked, or if the answers take longer than
    /// [`LIMIT`](super::LIMIT).
    pub fn await_answers(&self, count: usize) {
        let mut patience = Patience::default();
        let mut answers = 0;
        while answers < count {
            match self.times.recv_timeout(patience::PAUSE) {
                Ok(_) => answers += 1,
                Err(RecvTimeoutError::Timeout) => assert!(patience.allows_a_pause(), "there are {answers} answers"),
                Err(RecvTimeoutError::Disconnected) => panic!("the client has panicked"),
            }
        }
    }

    /// Returns the durations of the requests since the previous call.
    #[must_use]
    pub fn take_times(&self) -> Vec<Duration> {
        self.times.try_iter().collect()
    }

    /// Stops the client and waits for its thread to end.
    ///
    /// # Panics
    ///
    /// Panics if the client has panicked.
    pub fn end(self) {
        self.is_over.store(true, Relaxed);
        self.thread.join().expect("all requests were answered");
    }
}
