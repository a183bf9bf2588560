//! Handles that keep a team alive.

use std::any::Any;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use super::Yield;
use crate::fork_join::team::{Hooks, Order, Place, Team, install};

/// A handle to a team, which exists until the handle is dropped and all spawned jobs have run.
pub struct Handle(Arc<Team>);

impl Handle {
    /// Creates a team of `count` members, and returns a handle and the members' places. The caller
    /// has to run each place on its own thread.
    pub fn new(count: usize, hooks: Hooks) -> (Self, Vec<Place>) {
        let (team, places) = Team::new(count, hooks);
        (Self(team), places)
    }

    /// Blocks until all members of the team have begun.
    pub fn wait_until_begun(&self) {
        self.0.wait_until_begun();
    }

    pub(super) fn team(&self) -> &Arc<Team> {
        &self.0
    }

    /// Returns the number of members of the team.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Returns a number that identifies the team and is not shared with any other team.
    pub fn id(&self) -> usize {
        self.0.id()
    }

    /// Returns the index of the calling thread in the team, or `None` if it is not a member.
    pub fn current_thread_index(&self) -> Option<usize> {
        if self.0.is_here() { super::current_thread_index() } else { None }
    }

    /// Returns whether any jobs that the calling thread has split off or spawned are still waiting,
    /// or `None` if the thread is not a member.
    pub fn current_thread_has_pending_tasks(&self) -> Option<bool> {
        if self.0.is_here() { super::current_thread_has_pending_tasks() } else { None }
    }

    /// Runs `op` in the team, and blocks until it returns. A member of the team calls `op`
    /// directly.
    pub fn install<R: Send>(&self, op: impl FnOnce() -> R + Send) -> R {
        self.run(|_| op())
    }

    /// Runs `op` in the team, and tells it whether it is on another thread.
    pub(super) fn run<R: Send>(&self, op: impl FnOnce(bool) -> R + Send) -> R {
        install(&self.0, op, super::wait_outside)
    }

    /// Spawns `work` as a job in the team, and does not wait for it.
    pub fn spawn(&self, order: Order, work: impl FnOnce() + Send + 'static) {
        self.0.spawn(order, work);
    }

    /// Handles the panic of a job that no thread waits for, as if the job had run in this team.
    pub fn take_panic(&self, payload: Box<dyn Any + Send>) {
        self.0.run_detached(|| resume_unwind(payload));
    }

    /// Runs one waiting job of the team, if any. Returns `None` if the thread is not a member.
    pub fn yield_now(&self) -> Option<Yield> {
        if self.0.is_here() { super::yield_now() } else { None }
    }

    /// Runs one waiting job that the calling thread has split off or spawned itself, if there is
    /// any. Returns `None` if the calling thread is not a member.
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
