//! The functions of the current thread's team.

use super::{Global, Handle};
use crate::fork_join::team::{Order, with_member};
use crate::fork_join::{helpers_of_guest, in_tree, with_slot};

/// Runs both closures, `b` perhaps on another thread, and returns their results. Each is told
/// whether it has moved to another thread. Of two panics, that of `a` goes on.
#[inline]
pub fn join_context<A, B, RA, RB>(global: &'static Global, a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    with_slot(|slot| match slot {
        Some(slot) => slot.join_both(|| a(false), b, false),
        None => outermost(global, a, b),
    })
}

#[inline(never)]
fn outermost<A, B, RA, RB>(global: &'static Global, a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    match global.outside() {
        Some(team) => team.run(|moved| in_tree(|slot| slot.join_both(|| a(moved), b, moved))),
        None => in_tree(|slot| slot.join_both(|| a(false), b, false)),
    }
}

/// Spawns `work`, for which no thread waits.
pub fn spawn(global: &'static Global, order: Order, work: impl FnOnce() + Send + 'static) {
    with_member(|member| match member {
        Some(member) => member.team().spawn(order, work),
        None => (global.team)().spawn(order, work),
    });
}

/// Returns the number of threads that compute here.
pub fn current_num_threads(global: &'static Global) -> usize {
    if let Some(count) = with_member(|member| member.map(|member| member.team().count())) {
        return count;
    }
    let guests = helpers_of_guest().filter(|_| !(global.takes_guests)());
    guests.unwrap_or_else(|| (global.team)().count())
}

/// Returns the index of the calling thread among those that compute here, if it is one of them.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    with_member(|member| member.map(|member| member.index()))
}

/// Whether jobs that the calling thread has split off or spawned wait for it, if it is one of those
/// that compute.
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    let in_tree = with_slot(|slot| slot.map(|slot| slot.has_own_jobs()));
    let spawned = with_member(|member| member.map(|member| member.has_spawned()));
    match (in_tree, spawned) {
        (None, None) => None,
        (in_tree, spawned) => Some(in_tree == Some(true) || spawned == Some(true)),
    }
}

/// The outcome of [`yield_now`] and [`yield_local`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yield {
    /// A job was run.
    Executed,
    /// No job was found.
    Idle,
}

impl Yield {
    fn of(has_run: bool) -> Self {
        if has_run { Self::Executed } else { Self::Idle }
    }
}

/// Runs a job, any that the calling thread's team has to run, if the thread is one that computes.
pub fn yield_now() -> Option<Yield> {
    let in_tree = with_slot(|slot| slot.map(|slot| slot.run_one()));
    if in_tree == Some(true) {
        return Some(Yield::Executed);
    }
    let root = with_member(|member| member.map(|member| member.run_root() || member.help_once()));
    root.or(in_tree).map(Yield::of)
}

/// Runs a job that the calling thread has split off or spawned itself, if it is one that computes.
pub fn yield_local() -> Option<Yield> {
    let in_tree = with_slot(|slot| slot.map(|slot| slot.run_own_job()));
    if in_tree == Some(true) {
        return Some(Yield::Executed);
    }
    let spawned = with_member(|member| member.map(|member| member.run_local()));
    spawned.or(in_tree).map(Yield::of)
}

impl Handle {
    /// Runs `op` in the team, and tells it whether it is on another thread.
    pub(super) fn run<R: Send>(&self, op: impl FnOnce(bool) -> R + Send) -> R {
        crate::fork_join::team::install(self.team(), op, super::wait_outside)
    }
}
