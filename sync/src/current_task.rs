//! The task whose code runs on this thread, by the number that its runtime gave it.
//!
//! A runtime names it around each poll, and locks note it as their holder. The numbers are unique
//! in the process if one crate gives them out.

use crate::budget::with_state;
use crate::poll_state::PollState;
use std::fmt;
use std::num::NonZeroU64;
use std::ptr::NonNull;

/// Returns the number of the current task.
#[inline]
#[must_use]
pub fn get() -> Option<NonZeroU64> {
    NonZeroU64::new(number())
}

/// Returns the number of the current task; zero outside of tasks.
#[inline]
pub(crate) fn number() -> u64 {
    with_state(|state| state.task.get())
}

/// Names the current task until the guard is dropped, which names the one before it again: a task
/// that blocks on a future of its own may run others in its middle.
///
/// The guard goes back to the place that it has found, since to look it up once more costs a call.
#[inline]
pub fn enter(task: NonZeroU64) -> Entered {
    replace(task.get())
}

/// Makes the current task the one that `task` names, or none, until the guard is dropped: for a
/// future of another task's that is polled in the middle of this one's poll.
pub fn put(task: Option<NonZeroU64>) -> Entered {
    replace(task.map_or(0, NonZeroU64::get))
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
