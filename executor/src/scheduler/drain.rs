//! Draining a runtime: what is let in meanwhile, and waiting until nothing is left.
//!
//! A spawn inside a task carries out what was taken on before, and is let in; a caller that spawns
//! from outside brings new work, and is not. Inside is a thread that polls a task of this runtime
//! or runs one of its blocking jobs, and a machine that helps with a parallel call: which machine
//! comes to which item of a task's loop is chance.

use std::ptr;
use std::task::{Poll, Waker};

use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, LiveTask, OwnedTasks, TaskRef, current_id};

impl Scheduler {
    /// From now on only tasks of this runtime may spawn on it.
    pub(crate) fn refuse_outsiders(&self) {
        self.tasks.refuse_outsiders();
        self.blocking.jobs.refuse_outsiders();
    }

    /// Whether what is spawned here and now would be let in.
    pub(crate) fn takes_work(&self) -> bool {
        !self.shutdown.has_begun() && (self.tasks.is_open() || self.is_inside_a_task())
    }

    /// Lists a task that `bind` has given back, if it is not from outside.
    #[cold]
    pub(crate) fn bind_follow_up(&self, registry: &OwnedTasks, shard: usize, task: TaskRef) -> Result<(), TaskRef> {
        if self.is_inside_a_task() { registry.bind_follow_up(shard, task) } else { Err(task) }
    }

    fn is_inside_a_task(&self) -> bool {
        Context::with(|context| {
            let context = context.filter(|context| context.is_of(ptr::from_ref(self)));
            context.is_some_and(|context| current_id().is_some() || context.is_helping())
        })
    }

    /// Begins to wait until neither a task nor a blocking job is left but `except`.
    pub(crate) fn watch_for_the_last(&self, except: Option<Id>) -> LastWatch<'_> {
        LastWatch { scheduler: self, except, number: Id::next() }
    }

    fn registries(&self) -> [&OwnedTasks; 2] {
        [&self.tasks, &self.blocking.jobs]
    }

    /// The tasks that are left, and the blocking jobs.
    pub(crate) fn left(&self) -> (Vec<LiveTask>, Vec<LiveTask>) {
        (self.tasks.live_tasks(), self.blocking.jobs.live_tasks())
    }
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
        OwnedTasks::poll_drained(&self.scheduler.registries(), self.except, self.number, waker)
    }
}

impl Drop for LastWatch<'_> {
    fn drop(&mut self) {
        OwnedTasks::forget_drain(&self.scheduler.registries(), self.number);
    }
}
