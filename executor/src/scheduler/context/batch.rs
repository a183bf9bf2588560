//! Where the tasks go that are readied on this thread: to the queues, or into a batch.

use super::Context;
use crate::scheduler::Scheduler;
use crate::task::{Runnable, TaskQueue};

/// Where tasks go that are readied now on this thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placing {
    /// One by one, to where they run soonest, as on a multi-thread runtime.
    Nearby,
    /// One by one, behind all that wait.
    InLine,
    /// They go into a [`WakeBatch`](crate::scheduler::worker::driver::WakeBatch), and are placed
    /// together afterwards.
    InBatch,
}

impl Placing {
    pub(super) fn one_by_one(scheduler: &Scheduler) -> Self {
        if scheduler.config.keeps_order() { Self::InLine } else { Self::Nearby }
    }
}

impl Context {
    /// Tasks woken on this thread go into a batch from now on. Returns where it went before, for
    /// [`close_batch`](Self::close_batch).
    pub(in crate::scheduler) fn open_batch(&self) -> Placing {
        let outer = self.placing.replace(Placing::InBatch);
        debug_assert!(outer != Placing::InBatch, "wakers collect no batch");
        outer
    }

    /// Ends a batch, and returns its tasks.
    pub(in crate::scheduler) fn close_batch(&self, outer: Placing) -> TaskQueue {
        self.placing.set(outer);
        self.batch.replace(TaskQueue::new())
    }

    /// Places the tasks of the batch that is being collected, if there is one, and until
    /// [`reopen_batch`](Self::reopen_batch) each that is woken here: for a waker of a user's that
    /// is about to wait, perhaps for one of them.
    #[must_use]
    pub(in crate::scheduler) fn set_batch_aside(&self) -> bool {
        let is_open = self.placing() == Placing::InBatch;
        if is_open {
            let tasks = self.close_batch(Placing::one_by_one(&self.scheduler));
            self.scheduler.inject_all(tasks);
        }
        is_open
    }

    /// Tasks woken here go into the batch again.
    pub(in crate::scheduler) fn reopen_batch(&self) {
        self.placing.set(Placing::InBatch);
    }

    #[inline]
    pub(crate) fn placing(&self) -> Placing {
        self.placing.get()
    }

    /// Puts a task into the batch that is being collected.
    pub(crate) fn put_in_batch(&self, task: Runnable) {
        self.batch.borrow_mut().push_back(task);
    }
}
