//! Well-behaved clients that time each answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::LIMIT;

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(1);

/// A client on a thread of its own that asks again and again.
#[derive(Debug)]
pub struct Asking {
    is_over: Arc<AtomicBool>,
    times: Receiver<Duration>,
    thread: JoinHandle<()>,
}

impl Asking {
    /// Starts to call `ask`, which returns when it has its answer.
    #[must_use]
    pub fn start(mut ask: impl FnMut() + Send + 'static) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (sender, times) = channel();
        let thread = thread::spawn({
            let is_over = Arc::clone(&is_over);
            move || {
                while !is_over.load(Relaxed) {
                    let began = Instant::now();
                    ask();
                    let _ = sender.send(began.elapsed());
                    thread::sleep(PAUSE);
                }
            }
        });
        Self { is_over, times, thread }
    }

    /// Waits for `count` answers.
    ///
    /// # Panics
    ///
    /// Panics if the client has, or if an answer takes longer than [`LIMIT`].
    pub fn await_answers(&self, count: usize) {
        for _ in 0..count {
            self.times.recv_timeout(LIMIT).expect("there are answers");
        }
    }

    /// Returns how long the answers since the last call took.
    #[must_use]
    pub fn take_times(&self) -> Vec<Duration> {
        self.times.try_iter().collect()
    }

    /// Ends the client.
    ///
    /// # Panics
    ///
    /// Panics if the client has.
    pub fn end(self) {
        self.is_over.store(true, Relaxed);
        self.thread.join().expect("all requests were answered");
    }
}
