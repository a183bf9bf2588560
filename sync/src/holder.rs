//! The task that last took permits of a lock, and the number of all of its permits, for task dumps.
//!
//! No protocol depends on these values. The task errs on one side only: it names a task that holds
//! permits, or no task. A task stores its id after it has taken permits, and clears the id before
//! it gives them back. So a task that is slow between the two steps is not seen, and of several
//! holders at most one is.

// std's atomics on purpose: see above.
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// The bit that marks an owned guard, which borrows nothing and may have been moved anywhere.
const OWNED: u64 = 1 << 62;

/// Returns the number for `task` as a holder with an owned guard.
pub(crate) fn by_owned_guard(task: u64) -> u64 {
    if task == 0 { 0 } else { task | OWNED }
}

/// Returns the number of the holder, and whether the holder has an owned guard.
pub(crate) fn split(holder: u64) -> (u64, bool) {
    (holder & !OWNED, holder & OWNED != 0)
}

/// The last holder of a lock's permits.
#[derive(Debug)]
pub(crate) struct Holder(AtomicU64);

impl Holder {
    pub(crate) const fn none() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Stores the id of the task that has just taken permits. 0 stands for no task.
    #[inline]
    pub(crate) fn name(&self, task: u64) {
        self.0.store(task, Relaxed);
    }

    /// Clears the holder. The caller is about to give permits back.
    #[inline]
    pub(crate) fn clear(&self) {
        self.name(0);
    }

    /// Returns the id of the task that is known to hold permits, or 0 if none is.
    pub(crate) fn task(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The number of all permits of a lock, free or not.
#[derive(Debug)]
pub(crate) struct PermitTotal(AtomicUsize);

impl PermitTotal {
    pub(crate) const fn new(count: usize) -> Self {
        Self(AtomicUsize::new(count))
    }

    /// Records that permits are added: whoever has added some may add more.
    #[inline]
    pub(crate) fn forget(&self) {
        self.0.store(0, Relaxed);
    }

    /// Returns the number, or 0 once it is not known any more.
    pub(crate) fn count(&self) -> usize {
        self.0.load(Relaxed)
    }
}
