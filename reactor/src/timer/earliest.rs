//! The earliest deadline of a queue, which every thread reads without its lock.
//!
//! On its own cache line, and written only when it changes: every processor reads it when it
//! looks for work or goes to sleep, while the queue's own arms and cancels write the lock, the
//! counts and the reference count all the time.

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Two lines of 64 bytes: processors fetch them in pairs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Earliest(AtomicU64);

impl Earliest {
    pub(super) fn new(deadline: u64) -> Self {
        Self(AtomicU64::new(deadline))
    }

    pub(super) fn read(&self) -> u64 {
        // Acquire: pairs with the Release in `publish`.
        self.0.load(Acquire)
    }

    /// Only with the queue's lock held.
    pub(super) fn publish(&self, deadline: u64) {
        // Relaxed: written under the lock only, so that this is the last value. If it is equal, the
        // thread that wrote it has released the lock before this one took it: it is written before
        // this thread's fences too.
        if self.0.load(Relaxed) != deadline {
            // Release: pairs with the Acquire in `read`.
            self.0.store(deadline, Release);
        }
    }
}
