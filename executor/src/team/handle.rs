//! A handle to a team, which is one of its users.

use std::any::Any;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use super::Yield;
use crate::fork_join::team::{Hooks, Order, Place, Team};

/// A team, for as long as this is not dropped, and until its spawned jobs have run.
pub struct Handle(Arc<Team>);

impl Handle {
    /// Makes a team of `count` members, and returns their places: the caller has a thread run each.
    pub fn new(count: usize, hooks: Hooks) -> (Self, Vec<Place>) {
        let (team, places) = Team::new(count, hooks);
        (Self(team), places)
    }

    /// Waits until all members have begun.
    pub fn wait_until_begun(&self) {
        self.0.wait_until_begun();
    }

    pub(super) fn team(&self) -> &Arc<Team> {
        &self.0
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Returns a number that only this team has.
    pub fn id(&self) -> usize {
        self.0.id()
    }

    /// Returns the index of the calling thread, if it is a member.
    pub fn current_thread_index(&self) -> Option<usize> {
        if self.0.is_here() { super::current_thread_index() } else { None }
    }

    /// Returns whether jobs that the calling thread has split off or spawned wait, if it is a
    /// member.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        if self.0.is_here() { super::current_thread_has_pending_tasks() } else { None }
    }

    /// Runs `op` in the team while the caller waits. On a member's thread `op` is just called.
    pub fn install<R: Send>(&self, op: impl FnOnce() -> R + Send) -> R {
        self.run(|_| op())
    }

    /// Spawns `work`, for which no thread waits.
    pub fn spawn(&self, order: Order, work: impl FnOnce() + Send + 'static) {
        self.0.spawn(order, work);
    }

    /// Takes the panic of a job that no thread waits for, as if the team had run the job.
    pub fn take_panic(&self, payload: Box<dyn Any + Send>) {
        self.0.run_detached(|| resume_unwind(payload));
    }

    /// Runs a job, any that the team has to run, if the calling thread is a member.
    pub fn yield_now(&self) -> Option<Yield> {
        if self.0.is_here() { super::yield_now() } else { None }
    }

    /// Runs a job that the calling thread has split off or spawned itself, if it is a member.
    pub fn yield_local(&self) -> Option<Yield> {
        if self.0.is_here() { super::yield_local() } else { None }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("count", &self.count()).field("id", &self.id()).finish()
    }
}
