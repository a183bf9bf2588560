//! Deterministic task ids: tasks that are spawned on a simulation's thread get ids from a range of
//! their own, so that the ids are the same in every run.

use crate::sequence_override::{SequenceOverride, Slot};

thread_local! {
    /// The next id, while a simulation provides ids.
    static NEXT: Slot = const { Slot::new(None) };
}

/// Reserves `count` consecutive task ids of the simulation that this thread drives, and returns the
/// first. Returns `None` if this thread drives no simulation.
pub fn take(count: u64) -> Option<u64> {
    let first = NEXT.get()?;
    NEXT.set(Some(first + count));
    Some(first)
}

/// Provides the current thread with task ids, beginning with `first`, until the returned guard is
/// dropped.
pub fn override_ids(first: u64) -> SequenceOverride {
    SequenceOverride::begin(&NEXT, first)
}
