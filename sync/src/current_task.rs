//! The task whose code runs on the current thread, identified by a number that its runtime has
//! assigned.
//!
//! A runtime sets the current task around each poll, and locks record the current task as their
//! holder. The numbers are unique within the process as long as a single crate assigns them.

use crate::budget::with_state;
use crate::current_poll::CurrentPoll;
use std::fmt;
use std::num::NonZeroU64;
use std::ptr::NonNull;

/// The bit that marks the number of a future in `block_on`, as opposed to a task's number.
const ROOT: u64 = 1 << 63;

/// The task or `block_on` future that runs on a thread, holds a lock, or waits for a lock. The
/// owner may also be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockOwner(u64);

impl LockOwner {
    /// Returns the owner whose code runs on the current thread.
    #[inline]
    #[must_use]
    pub fn current() -> Self {
        Self(number())
    }

    pub(crate) fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the owner that stands for the task with the given number.
    #[must_use]
    pub fn of_task(number: NonZeroU64) -> Self {
        Self(number.get())
    }

    /// Returns the owner that stands for the `block_on` future with the given number.
    #[must_use]
    pub fn of_root(number: NonZeroU64) -> Self {
        Self(number.get() | ROOT)
    }

    /// Returns the task's number, or `None` if the owner is a `block_on` future or unknown.
    #[inline]
    #[must_use]
    pub fn task(self) -> Option<NonZeroU64> {
        if self.is_root() { None } else { NonZeroU64::new(self.0) }
    }

    /// Returns `true` if the owner is a future that a thread waits for in `block_on`.
    #[must_use]
    pub fn is_root(self) -> bool {
        self.0 & ROOT != 0
    }
}

/// Returns the number of the current task, or `None` if no task runs on the current thread.
#[inline]
#[must_use]
pub fn get() -> Option<NonZeroU64> {
    LockOwner::current().task()
}

/// Returns the number of the current task or future, or 0 if there is none.
#[inline]
pub(crate) fn number() -> u64 {
    with_state(|state| state.task.get())
}

/// Sets the current task until the returned guard is dropped.
///
/// Dropping the guard restores the previous task, so calls may be nested: a task that blocks on a
/// future may run other tasks in the meantime.
///
/// The guard remembers the thread-local slot, because looking the slot up again costs a function
/// call.
#[inline]
pub fn enter(task: NonZeroU64) -> CurrentTaskGuard {
    replace(task.get())
}

/// Sets the current owner until the returned guard is dropped.
///
/// Use this function for futures in `block_on`, and for futures that are polled in the middle of
/// another future's poll.
pub fn put(owner: LockOwner) -> CurrentTaskGuard {
    replace(owner.0)
}

#[inline]
fn replace(number: u64) -> CurrentTaskGuard {
    with_state(|state| CurrentTaskGuard { state: NonNull::from(state), outer: state.task.replace(number) })
}

/// A guard that restores the previous owner when it is dropped. The guard refers to a thread-local
/// slot, so it is not `Send`.
#[must_use = "the task is current only while the guard lives"]
pub struct CurrentTaskGuard {
    state: NonNull<CurrentPoll>,
    outer: u64,
}

impl Drop for CurrentTaskGuard {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard is still on the thread whose place this is, and that has no destructor:
        // it is there as long as the thread is.
        unsafe { self.state.as_ref() }.task.set(self.outer);
    }
}

impl fmt::Debug for CurrentTaskGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CurrentTaskGuard").finish_non_exhaustive()
    }
}
