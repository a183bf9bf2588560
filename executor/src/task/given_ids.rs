//! Ids that a simulation gives: the tasks that are spawned on its thread get ids from a separate
//! range, so that the ids follow each other in the same way in each run.

use wsrt_world::{Given, Slot};

thread_local! {
    /// The next id, while they are given.
    static NEXT: Slot = const { Slot::new(None) };
}

/// Takes `count` ids of the simulation that this thread drives, if it does, and returns the first.
pub(super) fn take(count: u64) -> Option<u64> {
    let first = NEXT.get()?;
    NEXT.set(Some(first + count));
    Some(first)
}

/// Gives this thread the ids from `first` on.
pub(crate) fn give_ids(first: u64) -> Given {
    Given::begin(&NEXT, first)
}
