//! The state of the poll under way on a thread: its budget, its wait, and its
//! task.
//!
//! A poll never changes threads, so this is thread-local, and one struct: a runtime resets it
//! before each poll with two stores.

use std::cell::Cell;
use std::ptr;

/// The state of the poll that this thread is in.
pub(crate) struct PollState {
    /// Above zero: units left, or the number that stands for no limit. Otherwise: minus the
    /// denials so far.
    pub(crate) budget: Cell<i32>,
    /// The wait that the poll began last, as [`Wait::pack`](crate::wait::Wait::pack) makes it; null
    /// if it began none so far.
    pub(crate) wait: Cell<*const ()>,
    /// The number of the task whose code runs here; zero outside tasks.
    pub(crate) task: Cell<u64>,
}

impl PollState {
    pub(crate) const fn new(budget: i32) -> Self {
        Self { budget: Cell::new(budget), wait: Cell::new(ptr::null()), task: Cell::new(0) }
    }
}
