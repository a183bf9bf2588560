//! The number of senders of a channel. The last sender that leaves ends the channel.

use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Counts the senders and the weak senders of a channel.
#[derive(Debug)]
pub(crate) struct Senders {
    strong: AtomicUsize,
    weak: AtomicUsize,
}

impl Senders {
    pub(crate) fn one() -> Self {
        Self { strong: AtomicUsize::new(1), weak: AtomicUsize::new(0) }
    }

    pub(crate) fn add(&self) {
        self.strong.fetch_add(1, Relaxed);
    }

    /// Adds a sender. Returns `false` if no sender is left.
    #[must_use = "without a sender the channel has ended"]
    pub(crate) fn try_add(&self) -> bool {
        let more = |count: usize| (count > 0).then(|| count + 1);
        self.strong.fetch_update(AcqRel, Relaxed, more).is_ok()
    }

    /// Removes a sender. Returns `true` if it was the last one, so that the caller must close the
    /// channel.
    #[must_use = "the last one closes the channel"]
    pub(crate) fn remove(&self) -> bool {
        // Release and Acquire: what each sender sent happened before the close.
        self.strong.fetch_sub(1, AcqRel) == 1
    }

    pub(crate) fn count(&self) -> usize {
        self.strong.load(Acquire)
    }

    pub(crate) fn add_weak(&self) {
        self.weak.fetch_add(1, Relaxed);
    }

    pub(crate) fn remove_weak(&self) {
        self.weak.fetch_sub(1, Release);
    }

    pub(crate) fn count_weak(&self) -> usize {
        self.weak.load(Acquire)
    }
}
