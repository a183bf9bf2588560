//! Identifies the thread that drives a simulation, and detects calls from other threads.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The key that stands for no thread.
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

/// The thread that drives a simulation.
///
/// A call from any other thread comes at a moment that the seed does not decide, so that the run
/// cannot be repeated. Such calls are recorded here.
///
/// Relaxed, both: the one question is whether it is the thread that asks, and the thread that
/// disturbs a run need not be seen at once.
#[derive(Debug)]
pub struct DrivingThread {
    /// The key of the thread that drives the simulation.
    key: AtomicU64,
    /// True if another thread has called, so that the seed no longer decides the run.
    disturbed: AtomicBool,
}

impl DrivingThread {
    /// Creates a value that no thread drives yet.
    pub(crate) fn new() -> Self {
        Self { key: AtomicU64::new(NONE), disturbed: AtomicBool::new(false) }
    }

    /// Makes the current thread the driver. Returns `false`, and changes nothing, if a thread
    /// already drives the simulation.
    #[must_use]
    pub fn enter(&self) -> bool {
        let key = own_key();
        self.key.compare_exchange(NONE, key, Relaxed, Relaxed).is_ok()
    }

    /// Ends the current thread's role as the driver.
    pub fn leave(&self) {
        self.key.store(NONE, Relaxed);
    }

    /// Returns whether the current thread drives the simulation.
    pub fn is_this(&self) -> bool {
        self.key.load(Relaxed) == own_key()
    }

    /// Records that the current thread has made a call. The run counts as disturbed if another
    /// thread is driving the simulation.
    pub fn note_caller(&self) {
        if self.key.load(Relaxed) != NONE && !self.is_this() {
            self.disturbed.store(true, Relaxed);
        }
    }

    /// Returns whether a thread other than the driver has made a call.
    pub fn is_disturbed(&self) -> bool {
        self.disturbed.load(Relaxed)
    }
}
