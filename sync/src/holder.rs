//! The task that took permits last, for dumps.
//!
//! It is a figure in no protocol, and errs to one side: it names a task that holds permits, or
//! none. The taker stores itself after it has taken; the giver clears it before it gives. So a
//! taker that is slow between its two steps is not seen, and of several holders one at most is.

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

/// The last holder.
#[derive(Debug)]
pub(crate) struct Holder(AtomicU64);

impl Holder {
    pub(crate) const fn none() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Stores the id of the task that has just taken permits. Zero is no task.
    #[inline]
    pub(crate) fn name(&self, task: u64) {
        self.0.store(task, Relaxed);
    }

    /// Clears it: the caller is about to give permits back.
    #[inline]
    pub(crate) fn clear(&self) {
        self.name(0);
    }

    /// Returns the task that is known to hold permits; zero if none is.
    pub(crate) fn task(&self) -> u64 {
        self.0.load(Relaxed)
    }
}
