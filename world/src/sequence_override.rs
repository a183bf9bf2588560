//! Deterministic number sequences that a simulation provides to its thread, in place of
//! process-wide counters.

use std::cell::Cell;
use std::thread::LocalKey;

/// A thread's next number of one kind, or `None` if no simulation provides such numbers.
pub type Slot = Cell<Option<u64>>;

/// A guard that provides the current thread with the numbers of a slot.
///
/// When the guard is dropped, the slot's previous value is restored. The guard belongs to the
/// thread that created it.
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct SequenceOverride {
    slot: &'static LocalKey<Slot>,
    before: Option<u64>,
}

impl SequenceOverride {
    /// Starts providing numbers, beginning with `first`.
    pub fn begin(slot: &'static LocalKey<Slot>, first: u64) -> Self {
        Self { slot, before: slot.replace(Some(first)) }
    }

    /// Returns the next unused number, from which a later guard can continue.
    pub fn next(&self) -> u64 {
        self.slot.get().expect("they are given while the guard is there")
    }
}

impl Drop for SequenceOverride {
    fn drop(&mut self) {
        self.slot.set(self.before);
    }
}
