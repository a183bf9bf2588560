//! Numbers that a simulation gives to its thread, instead of those that other threads draw.

use std::cell::Cell;
use std::thread::LocalKey;

/// A thread's next number of one kind, while a simulation gives the thread such numbers.
pub type Slot = Cell<Option<u64>>;

/// The current thread is given the numbers of a slot, until this is dropped. Not Send, by its use.
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct Given {
    slot: &'static LocalKey<Slot>,
    before: Option<u64>,
}

impl Given {
    /// Gives the numbers from `first` on.
    pub fn begin(slot: &'static LocalKey<Slot>, first: u64) -> Self {
        Self { slot, before: slot.replace(Some(first)) }
    }

    /// Returns the number from which another may continue.
    pub fn next(&self) -> u64 {
        self.slot.get().expect("they are given while the guard is there")
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        self.slot.set(self.before);
    }
}
