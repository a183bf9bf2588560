//! Draining a runtime: the spawns that are let in during a drain, and the wait until no task is
//! left.
//!
//! A spawn inside a task belongs to work taken on before, and is let in; a caller that spawns from
//! outside brings new work, and is not. Inside is a thread that polls a task of this runtime or
//! is there to run its blocking jobs, and a machine that helps with a parallel call: the machine
//! that takes an item of a task's loop is left to chance.

use std::task::{Poll, Waker};

use crate::scheduler::ending::{self, Drain};
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, OwnedTasks, TaskRef, TaskSnapshot, current_id};

/// From now on only tasks of this runtime may spawn on it, and they are told that they should end.
pub(crate) fn begin(scheduler: &Scheduler) {
    scheduler.tasks.refuse_outsiders();
    scheduler.blocking.jobs.refuse_outsiders();
    ending::tell(&scheduler.ending);
}

/// Returns whether a spawn here and now would be let in.
#[cfg(feature = "futures-task")]
pub(crate) fn takes_work(scheduler: &Scheduler) -> bool {
    !scheduler.shutdown.has_begun() && (scheduler.tasks.is_open() || is_inside_a_task(scheduler))
}

/// Lists a task that `bind` has given back, if it is not from outside.
#[cold]
pub(crate) fn bind_follow_up(
    scheduler: &Scheduler,
    registry: &OwnedTasks,
    shard: usize,
    task: TaskRef,
) -> Result<(), TaskRef> {
    if is_inside_a_task(scheduler) { registry.bind_follow_up(shard, task) } else { Err(task) }
}

fn is_inside_a_task(scheduler: &Scheduler) -> bool {
    let is_inside = |here: &Context| current_id().is_some() || here.is_helping() || here.runs_jobs();
    Context::with_own(scheduler, |here| here.is_some_and(is_inside))
}

/// Begins to wait until neither a task nor a blocking job is left.
///
/// The tasks `awaited_by`, in whose poll it is polled, are excepted, and so are those that await
/// another drain: all of them are over together, once no other task is left. A drain that is
/// awaited outside waits for these too.
pub(crate) fn watch_for_the_last(scheduler: &Scheduler, awaited_by: Vec<Id>) -> LastWatch<'_> {
    let (number, is_inside) = (Id::next(), !awaited_by.is_empty());
    scheduler.drains.0.lock().push(Drain { number, awaited_by, is_over: false });
    LastWatch { scheduler, number, is_inside }
}

fn registries(scheduler: &Scheduler) -> [&OwnedTasks; 2] {
    [&scheduler.tasks, &scheduler.blocking.jobs]
}

/// Shows each task that is left to `f`, with whether it is a blocking job.
pub(crate) fn for_each_left(scheduler: &Scheduler, mut f: impl FnMut(TaskSnapshot, bool)) {
    scheduler.tasks.walk(|task| f(task, false));
    scheduler.blocking.jobs.walk(|job| f(job, true));
}

/// A wait for the last task.
#[derive(Debug)]
pub(crate) struct LastWatch<'a> {
    scheduler: &'a Scheduler,
    /// Its own, by which it and its wakers are known.
    number: Id,
    is_inside: bool,
}

impl LastWatch<'_> {
    /// Ready once nothing is left; until then `waker` is woken when little is.
    pub(crate) fn poll(&self, waker: &Waker) -> Poll<()> {
        let (registries, drains) = (registries(self.scheduler), &self.scheduler.drains);
        let excepted = self.excepted();
        let answer = OwnedTasks::poll_drained(&registries, &excepted, self.number, waker);
        if answer.is_ready() && self.is_inside {
            // For all tasks that await a drain: a task that continues is one that the others would
            // wait for.
            let is_excepted = |drain: &&mut Drain| {
                !drain.awaited_by.is_empty() && drain.awaited_by.iter().all(|task| excepted.contains(task))
            };
            drains.0.lock().iter_mut().filter(is_excepted).for_each(|drain| drain.is_over = true);
            OwnedTasks::wake_drains(&registries);
        }
        // After the waker is left: another drain notes this first, and wakes then.
        let is_over = |drain: &Drain| drain.number == self.number && drain.is_over;
        if drains.0.lock().iter().any(is_over) { Poll::Ready(()) } else { answer }
    }

    /// The tasks that it does not wait for.
    pub(crate) fn excepted(&self) -> Vec<Id> {
        if self.is_inside { self.scheduler.drains.awaited_by() } else { Vec::new() }
    }
}

impl Drop for LastWatch<'_> {
    fn drop(&mut self) {
        OwnedTasks::forget_drain(&registries(self.scheduler), self.number);
        self.scheduler.drains.0.lock().retain(|drain| drain.number != self.number);
    }
}
