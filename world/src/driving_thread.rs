//! The thread that drives a simulation, and whether another thread has called.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// No thread.
const NONE: u64 = 0;
/// The first key that no thread has. In no protocol: all it has to be is different each time.
static NEXT_KEY: AtomicU64 = AtomicU64::new(NONE + 1);

thread_local! {
    /// The key of this thread, which no other has or had. Without a destructor.
    static KEY: u64 = NEXT_KEY.fetch_add(1, Relaxed);
}

fn own_key() -> u64 {
    KEY.with(|key| *key)
}

/// Relaxed, both: the one question is whether it is the thread that asks, and the thread that
/// disturbs a run need not be seen at once.
#[derive(Debug)]
pub struct DrivingThread {
    /// The key of the thread.
    key: AtomicU64,
    /// True if another thread has called, so that the seed does not decide the run any more.
    disturbed: AtomicBool,
}

impl DrivingThread {
    /// Creates it: no thread drives.
    pub(crate) fn new() -> Self {
        Self { key: AtomicU64::new(NONE), disturbed: AtomicBool::new(false) }
    }

    /// Makes this thread the driver. Returns `false` if another thread drives.
    #[must_use]
    pub fn enter(&self) -> bool {
        let key = own_key();
        self.key.compare_exchange(NONE, key, Relaxed, Relaxed).is_ok()
    }

    /// Ends the driving by this thread.
    pub fn leave(&self) {
        self.key.store(NONE, Relaxed);
    }

    /// Returns whether this thread drives.
    pub fn is_this(&self) -> bool {
        self.key.load(Relaxed) == own_key()
    }

    /// Notes a call by this thread: a call by another thread than the driver comes at a moment that
    /// no seed decides.
    pub fn note_caller(&self) {
        if self.key.load(Relaxed) != NONE && !self.is_this() {
            self.disturbed.store(true, Relaxed);
        }
    }

    /// Returns whether another thread has called.
    pub fn is_disturbed(&self) -> bool {
        self.disturbed.load(Relaxed)
    }
}
