//! Random histories of each channel and lock, one step after the other on one thread, beside a
//! model of a few lines: answers and the order of wakes have to equal the model's.

mod barrier;
mod broadcast;
mod line;
mod locks;
mod mpsc;
mod notify;
mod once_cell;
mod oneshot;
mod watch;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// A future that waits, with its number.
pub(crate) struct Waiting<T> {
    pub(crate) id: usize,
    pub(crate) future: Pin<Box<dyn Future<Output = T>>>,
}

/// The wakers of the futures, and the order in which they were woken.
#[derive(Default)]
pub(crate) struct Wakes {
    log: Arc<Mutex<Vec<(usize, usize)>>>,
    /// The polls of each future so far: the waker of the last one is the one to be woken.
    polls: HashMap<usize, usize>,
}

struct Logs {
    log: Arc<Mutex<Vec<(usize, usize)>>>,
    id: usize,
    poll: usize,
}

impl Wake for Logs {
    fn wake(self: Arc<Self>) {
        self.log.lock().unwrap().push((self.id, self.poll));
    }
}

impl Wakes {
    /// The waker of the next poll of a future.
    pub(crate) fn waker(&mut self, id: usize) -> Waker {
        let polls = self.polls.entry(id).or_default();
        *polls += 1;
        Waker::from(Arc::new(Logs { log: Arc::clone(&self.log), id, poll: *polls }))
    }

    /// Takes back the last poll of a receiver if it was ready: it has left no waker.
    pub(crate) fn discount(&mut self, id: usize, was_ready: bool) {
        *self.polls.get_mut(&id).unwrap() -= usize::from(was_ready);
    }

    pub(crate) fn poll<T>(&mut self, waiting: &mut Waiting<T>) -> Poll<T> {
        let waker = self.waker(waiting.id);
        waiting.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    /// Checks that the futures that the model has woken were woken, by their last wakers and in its
    /// order.
    #[track_caller]
    pub(crate) fn assert_are(&mut self, expected: &mut Vec<usize>) {
        let woken = std::mem::take(&mut *self.log.lock().unwrap());
        assert_eq!(woken.iter().map(|(id, _)| *id).collect::<Vec<_>>(), std::mem::take(expected));
        assert!(woken.iter().all(|(id, poll)| self.polls[id] == *poll), "of an old poll: {woken:?}");
    }
}

/// Goes through many histories. Names the one that fails.
pub(crate) fn explore(history: impl Fn(&mut fastrand::Rng)) {
    struct Seed(u64);

    impl Drop for Seed {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("in the history of seed {}", self.0);
            }
        }
    }

    for seed in 0..500 {
        let seed = Seed(seed);
        history(&mut fastrand::Rng::with_seed(seed.0));
    }
}

/// Takes one of them out, if there is any.
pub(crate) fn take_any<T>(random: &mut fastrand::Rng, from: &mut Vec<T>) -> Option<T> {
    (!from.is_empty()).then(|| from.swap_remove(random.usize(..from.len())))
}
