//! A message when the last of many tasks has come to a certain point.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot::{self, Receiver, Sender};

/// A count with one owner for each task that counts. If a task is lost, the count dies with its
/// last owner and never sends.
pub(super) struct Countdown {
    left: AtomicUsize,
    done: Mutex<Option<Sender<()>>>,
}

impl Countdown {
    /// Makes the count of `tasks`, which is above zero, and the receiver of the message that all
    /// have counted.
    pub(super) fn new(tasks: usize) -> (Arc<Self>, Receiver<()>) {
        let (done, end) = oneshot::channel();
        (Arc::new(Self { left: AtomicUsize::new(tasks), done: Mutex::new(Some(done)) }), end)
    }

    /// Takes one off, and sends the word if it was the last.
    pub(super) fn count(&self) {
        // Relaxed: the counter guards no data, and the message synchronises by itself.
        if self.left.fetch_sub(1, Ordering::Relaxed) > 1 {
            return;
        }
        let done = self.done.lock().expect("no holder of the lock panics").take();
        let done = done.expect("more tasks counted than there are");
        // The receiver is awaited until this arrives.
        let _sent = done.send(());
    }
}
