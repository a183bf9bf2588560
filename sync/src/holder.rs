//! The task that took permits last, for dumps.
//!
//! Kept by locks and semaphores, not by the room of channels. It is a figure in no protocol, and
//! errs to one side: it names a task that holds permits, or none. The taker stores itself after it
//! has taken; the giver clears it before it gives. So a taker that is slow between its two steps is
//! not seen, and of several holders one at most is.

// std's atomics on purpose: see above.
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The bit of a number whose guard borrows nothing, and may be anywhere.
const OWNED: u64 = 1 << 62;

/// The number of `task` as the holder by a guard that borrows nothing.
pub(crate) fn by_owned_guard(task: u64) -> u64 {
    if task == 0 { 0 } else { task | OWNED }
}

/// The number of the holder, and whether its guard borrows nothing.
pub(crate) fn split(holder: u64) -> (u64, bool) {
    (holder & !OWNED, holder & OWNED != 0)
}

/// A place for the id of a holder, or none.
pub(crate) trait Holds {
    /// False if every holder is unknown.
    const IS_KEPT: bool;

    /// Stores the id of the task that has just taken permits. Zero is no task.
    fn name(&self, task: u64);

    /// Stores the task that `current` returns, which has just taken permits.
    #[inline]
    fn name_by(&self, current: impl FnOnce() -> u64) {
        if Self::IS_KEPT {
            self.name(current());
        }
    }

    /// Clears it: the caller is about to give permits back.
    #[inline]
    fn clear(&self) {
        self.name(0);
    }

    /// Returns the task that is known to hold permits; zero if none is.
    fn task(&self) -> u64;
}

/// The last holder.
#[derive(Debug)]
pub(crate) struct Holder(AtomicU64);

impl Holder {
    pub(crate) const fn none() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl Holds for Holder {
    const IS_KEPT: bool = true;

    #[inline]
    fn name(&self, task: u64) {
        self.0.store(task, Relaxed);
    }

    fn task(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// No holder is kept.
#[derive(Debug)]
pub(crate) struct Unheld;

impl Holds for Unheld {
    const IS_KEPT: bool = false;

    #[inline]
    fn name(&self, _: u64) {}

    fn task(&self) -> u64 {
        0
    }
}
