//! Where a region's owner runs, so that a helper can tell whether it has a core of its own.

use crate::util::sync::atomic::AtomicU32;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::thread_state::current_core;

/// A core's number, or that it is not known. Relaxed: a hint, which may be out of date as soon as
/// it is written.
pub(super) struct OwnersCore(AtomicU32);

const UNKNOWN: u32 = u32::MAX;

impl OwnersCore {
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(UNKNOWN))
    }

    /// The owner is on the calling thread.
    pub(super) fn note(&self) {
        self.0.store(current_core().unwrap_or(UNKNOWN), Relaxed);
    }

    pub(super) fn get(&self) -> Option<u32> {
        Some(self.0.load(Relaxed)).filter(|&core| core != UNKNOWN)
    }
}
