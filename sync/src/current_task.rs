//! The task whose code runs on this thread, by the number that its runtime gave it.
//!
//! A runtime names it around each poll, and locks note it as their holder. The numbers are unique
//! in the process if one crate gives them out.

use crate::budget::with_state;
use crate::poll_state::PollState;
use std::fmt;
use std::num::NonZeroU64;
use std::ptr::NonNull;

/// The bit of the numbers that stand for a future which a thread waits for, and for no task.
const ROOT: u64 = 1 << 63;

/// The future whose code runs on a thread, or holds a lock, or waits for one: a task, or the future
/// that a thread waits for in a `block_on`, or one that is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner(u64);

impl Owner {
    /// Returns the one whose code runs on this thread.
    #[must_use]
    pub fn current() -> Self {
        Self(number())
    }

    pub(crate) fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the task with this number.
    #[must_use]
    pub fn of_task(number: NonZeroU64) -> Self {
        Self(number.get())
    }

    /// Returns the future with this number, which a thread waits for.
    #[must_use]
    pub fn of_root(number: NonZeroU64) -> Self {
        Self(number.get() | ROOT)
    }

    /// Returns the number of the task, if it is one.
    #[must_use]
    pub fn task(self) -> Option<NonZeroU64> {
        if self.is_root() { None } else { NonZeroU64::new(self.0) }
    }

    /// Returns true for a future that a thread waits for.
    #[must_use]
    pub fn is_root(self) -> bool {
        self.0 & ROOT != 0
    }
}

/// Returns the number of the current task.
#[inline]
#[must_use]
pub fn get() -> Option<NonZeroU64> {
    Owner::current().task()
}

/// Returns the number of the current task or future, or zero if there is none.
#[inline]
pub(crate) fn number() -> u64 {
    with_state(|state| state.task.get())
}

/// Sets the current task until the guard is dropped, which restores the previous one: a task that
/// blocks on a future may run other tasks in the meantime.
///
/// The guard goes back to the place that it has found, since to look it up once more costs a call.
#[inline]
pub fn enter(task: NonZeroU64) -> Entered {
    replace(task.get())
}

/// Makes `owner` the current one until the guard is dropped: for a future that a thread waits for,
/// and one that is polled in the middle of another's poll.
pub fn put(owner: Owner) -> Entered {
    replace(owner.0)
}

#[inline]
fn replace(number: u64) -> Entered {
    with_state(|state| Entered { state: NonNull::from(state), outer: state.task.replace(number) })
}

/// Not Send: it stands for a place of this thread's.
#[must_use = "the task is current only while the guard lives"]
pub struct Entered {
    state: NonNull<PollState>,
    outer: u64,
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard is still on the thread whose place this is, and that has no destructor:
        // it is there as long as the thread is.
        unsafe { self.state.as_ref() }.task.set(self.outer);
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}
