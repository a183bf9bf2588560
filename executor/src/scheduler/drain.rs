//! Draining a runtime: the spawns that are let in meanwhile, and the wait until no task is left.
//!
//! A spawn inside a task belongs to work taken on before, and is let in; a caller that spawns from
//! outside brings new work, and is not. Inside is a thread that polls a task of this runtime or
//! runs one of its blocking jobs, and a machine that helps with a parallel call: the machine that
//! takes an item of a task's loop is left to chance.

use std::task::{Poll, Waker};

use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, OwnedTasks, TaskRef, TaskSnapshot, current_id};

/// From now on only tasks of this runtime may spawn on it, and they are told that they should end.
pub(crate) fn begin(scheduler: &Scheduler) {
    scheduler.tasks.refuse_outsiders();
    scheduler.blocking.jobs.refuse_outsiders();
    scheduler.ending.give();
}

/// Whether a spawn here and now would be let in.
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
    Context::with_own(scheduler, |here| here.is_some_and(|here| current_id().is_some() || here.is_helping()))
}

/// Begins to wait until neither a task nor a blocking job is left but `except`.
pub(crate) fn watch_for_the_last(scheduler: &Scheduler, except: Option<Id>) -> LastWatch<'_> {
    LastWatch { scheduler, except, number: Id::next() }
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
    except: Option<Id>,
    /// Its own, by which its wakers are known.
    number: Id,
}

impl LastWatch<'_> {
    /// Ready once nothing is left; until then `waker` is woken when little is.
    pub(crate) fn poll(&self, waker: &Waker) -> Poll<()> {
        OwnedTasks::poll_drained(&registries(self.scheduler), self.except, self.number, waker)
    }
}

impl Drop for LastWatch<'_> {
    fn drop(&mut self) {
        OwnedTasks::forget_drain(&registries(self.scheduler), self.number);
    }
}
