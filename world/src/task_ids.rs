//! Ids that a simulation gives: those of the tasks that are spawned on its thread come from a range
//! of its own, so that they follow each other in the same way in each run.

use crate::given::{Given, Slot};

thread_local! {
    /// The next id, while they are given.
    static NEXT: Slot = const { Slot::new(None) };
}

/// Takes `count` ids of the simulation that this thread drives, if it does, and returns the first.
pub fn take(count: u64) -> Option<u64> {
    let first = NEXT.get()?;
    NEXT.set(Some(first + count));
    Some(first)
}

/// Gives this thread the ids from `first` on.
pub fn give_ids(first: u64) -> Given {
    Given::begin(&NEXT, first)
}
