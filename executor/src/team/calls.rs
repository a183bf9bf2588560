//! Functions that act on the current thread's team.

use std::sync::Arc;

use super::{Crowd, Global};
use crate::fork_join::team::{Order, with_member};
use crate::fork_join::{BoxedJob, RegionHome, guests, hosts_scheduler, in_tree, with_slot};
use crate::scheduler::Scheduler;

/// Runs both closures, `b` possibly on another thread, and returns both results. Each closure is
/// told whether it has moved to another thread. If both panic, `a`'s panic is resumed.
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

/// Runs `op` in the current thread's team, or in its runtime.
pub fn install<R: Send>(global: &'static Global, op: impl FnOnce() -> R + Send) -> R {
    match global.outside() {
        Some(team) => team.install(op),
        None => in_tree(|_| op()),
    }
}

/// Spawns `work` as a job in the current thread's team, and does not wait for it.
pub fn spawn(global: &'static Global, order: Order, work: impl FnOnce() + Send + 'static) {
    match Crowd::here(global) {
        Crowd::Team(team) => team.spawn(order, work),
        Crowd::Guests(scheduler) => spawn_as_guest(global, &scheduler, order, work),
        Crowd::Global(team) => team.spawn(order, work),
    }
}

fn spawn_as_guest(
    global: &'static Global,
    scheduler: &Arc<Scheduler>,
    order: Order,
    work: impl FnOnce() + Send + 'static,
) {
    let run = move || global.run_detached(work);
    if guests::is_simulated(scheduler) {
        // A simulation has no threads.
        return drop(crate::task::spawn_blocking(run));
    }
    // SAFETY: it borrows nothing, and an attendant runs it.
    let root = unsafe { BoxedJob::into_job_ref(run) };
    guests::spawn(scheduler, root, order == Order::Lifo && guests::attends());
}

/// Returns the number of threads of the calling thread's team, or of its runtime.
pub fn current_num_threads(global: &'static Global) -> usize {
    match Crowd::here(global) {
        Crowd::Team(team) => team.count(),
        Crowd::Guests(scheduler) => guests::count_numbers(&scheduler),
        Crowd::Global(team) => team.count(),
    }
}

/// Returns the index of the calling thread in its team, or `None` if it runs no team's jobs.
#[inline]
pub fn current_thread_index() -> Option<usize> {
    with_member(|member| member.map(|member| member.index())).or_else(index_of_guest)
}

fn index_of_guest() -> Option<usize> {
    let home = with_slot(|slot| slot.map(RegionHome::of));
    match home {
        Some(RegionHome::Runtime(scheduler)) => Some(guests::number_in(&scheduler)),
        Some(RegionHome::Team(_) | RegionHome::Alone) => None,
        None if guests::attends() => hosts_scheduler().map(|scheduler| guests::number_in(&scheduler)),
        None => guests::number(),
    }
}

/// Returns whether any jobs that the calling thread has split off or spawned are still waiting, or
/// `None` if the thread is not one that runs a team's jobs.
pub fn current_thread_has_pending_tasks() -> Option<bool> {
    let in_tree = with_slot(|slot| slot.map(|slot| slot.has_own_jobs()));
    let spawned = with_member(|member| member.map(|member| member.has_spawned()));
    let attends = guests::attends().then_some(false);
    let answers = [in_tree, spawned, attends];
    answers.iter().any(Option::is_some).then(|| answers.contains(&Some(true)))
}

/// The outcome of [`yield_now`] and [`yield_local`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yield {
    /// The calling thread ran a job.
    Executed,
    /// The calling thread found no job.
    Idle,
}

impl Yield {
    fn of(has_run: bool) -> Self {
        if has_run { Self::Executed } else { Self::Idle }
    }
}

/// Runs one waiting job of the calling thread's team, if there is any. Returns `None` if the thread
/// is not one that runs a team's jobs.
pub fn yield_now() -> Option<Yield> {
    if guests::run_mail() {
        return Some(Yield::Executed);
    }
    let in_tree = with_slot(|slot| slot.map(|slot| slot.run_one()));
    if in_tree == Some(true) {
        return Some(Yield::Executed);
    }
    let root = with_member(|member| member.map(|member| member.run_root() || member.help_once()));
    root.or_else(|| run_job_of_guests(in_tree.is_some())).or(in_tree).map(Yield::of)
}

/// Runs a job that the runtime's guests have spawned, if the calling thread is a guest that
/// computes.
fn run_job_of_guests(in_tree: bool) -> Option<bool> {
    let computes = in_tree || guests::attends();
    hosts_scheduler().filter(|_| computes).map(|scheduler| guests::run_job(&scheduler))
}

/// Runs one waiting job that the calling thread has split off or spawned itself, if there is any.
/// Returns `None` if the thread is not one that runs a team's jobs.
pub fn yield_local() -> Option<Yield> {
    if guests::run_mail() {
        return Some(Yield::Executed);
    }
    let in_tree = with_slot(|slot| slot.map(|slot| slot.run_own_job()));
    if in_tree == Some(true) {
        return Some(Yield::Executed);
    }
    let spawned = with_member(|member| member.map(|member| member.run_local()));
    spawned.or(in_tree).or_else(|| guests::attends().then_some(false)).map(Yield::of)
}
