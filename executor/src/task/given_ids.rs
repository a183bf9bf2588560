//! Ids that a simulation gives: those of the tasks that are spawned on its thread come from a range
//! of its own, so that they follow each other in the same way in each run.

use std::cell::Cell;

thread_local! {
    /// The next id, while they are given.
    static NEXT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Takes `count` ids of the simulation that this thread drives, if it does, and returns the first.
pub(super) fn take(count: u64) -> Option<u64> {
    let first = NEXT.get()?;
    NEXT.set(Some(first + count));
    Some(first)
}

/// This thread is given its ids, until this is dropped.
#[must_use = "it lasts until the guard is dropped"]
pub(crate) struct GivenIds {
    before: Option<u64>,
}

impl GivenIds {
    /// Gives the ids from `first` on.
    pub(crate) fn begin(first: u64) -> Self {
        Self { before: NEXT.replace(Some(first)) }
    }

    /// Returns the id from which another may go on.
    pub(crate) fn next(&self) -> u64 {
        NEXT.get().expect("they are given while the guard is there")
    }
}

impl Drop for GivenIds {
    fn drop(&mut self) {
        NEXT.set(self.before);
    }
}
