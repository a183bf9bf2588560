//! The state of the poll that runs on a thread: its budget, its wait, and its task.
//!
//! A poll never changes threads, so the state is thread-local, and it is a single struct so that a
//! runtime can reset it before each poll with four stores.

use std::cell::Cell;
use std::ptr;

/// The state of the poll that runs on the current thread.
pub(crate) struct CurrentPoll {
    /// If positive: the units left, or the number that stands for no limit. Otherwise: minus the
    /// number of denials so far.
    pub(crate) budget: Cell<i32>,
    /// The wait that the poll recorded last, packed by
    /// [`TaskWait::pack`](crate::wait::TaskWait::pack), or null if the poll has recorded none.
    pub(crate) wait: Cell<*const ()>,
    /// The number of the task whose code runs on the thread, or 0 outside tasks.
    pub(crate) task: Cell<u64>,
    /// The address of the lock that the poll acquired last, or null.
    pub(crate) locked: Cell<*const ()>,
    /// The number of polls on this thread so far.
    pub(crate) polls: Cell<u64>,
}

impl CurrentPoll {
    pub(crate) const fn new(budget: i32) -> Self {
        Self {
            budget: Cell::new(budget),
            wait: Cell::new(ptr::null()),
            task: Cell::new(0),
            locked: Cell::new(ptr::null()),
            polls: Cell::new(0),
        }
    }

    /// Returns a number that no other recent poll has, on this thread or another one.
    pub(crate) fn id(&self) -> u64 {
        let thread = ptr::from_ref(self).addr() as u64;
        (thread << 24) ^ self.polls.get()
    }
}
