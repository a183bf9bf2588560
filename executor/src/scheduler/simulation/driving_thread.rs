//! The thread that drives a simulation, and whether another one has called meanwhile.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::util::thread_key::ThreadKey;

/// No thread.
const NONE: u64 = 0;

/// Relaxed, both: the one question is whether it is the thread that asks, and the thread that
/// disturbs a run need not be seen at once.
#[derive(Debug)]
pub(super) struct DrivingThread {
    /// The key of the thread.
    key: AtomicU64,
    /// Whether another thread has called, so that the seed does not decide the run any more.
    disturbed: AtomicBool,
}

impl DrivingThread {
    pub(super) fn new() -> Self {
        Self { key: AtomicU64::new(NONE), disturbed: AtomicBool::new(false) }
    }

    /// This thread drives from now on. `false` if another does.
    #[must_use]
    pub(super) fn enter(&self) -> bool {
        let key = ThreadKey::of_this_thread().number();
        self.key.compare_exchange(NONE, key, Relaxed, Relaxed).is_ok()
    }

    /// It does not any more.
    pub(super) fn leave(&self) {
        self.key.store(NONE, Relaxed);
    }

    /// Whether this thread drives.
    pub(super) fn is_this(&self) -> bool {
        self.key.load(Relaxed) == ThreadKey::of_this_thread().number()
    }

    /// Notes that this thread calls: what another thread does while one drives comes at a moment
    /// that no seed decides.
    pub(super) fn note_caller(&self) {
        if self.key.load(Relaxed) != NONE && !self.is_this() {
            self.disturbed.store(true, Relaxed);
        }
    }

    pub(super) fn is_disturbed(&self) -> bool {
        self.disturbed.load(Relaxed)
    }
}
