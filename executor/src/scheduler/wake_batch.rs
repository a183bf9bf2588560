//! The wake batch: tasks that were readied together, by the netpoller or by timers, on their way to
//! the queues.
//!
//! A waker reaches its task by the task's vtable, and the task is placed one by one from there,
//! wherever it was woken. While a batch is collected on a thread, what is woken on that thread goes
//! into the batch instead, so that its owner can spread all of it over the idle processors.

use crate::scheduler::Context;
use crate::task::TaskQueue;

/// Tasks that were readied and are in no queue yet. Dropping it cancels them.
#[derive(Default)]
#[must_use = "the tasks of a batch have to be placed"]
pub(crate) struct WakeBatch(TaskQueue);

impl WakeBatch {
    /// Runs `wake`, which does not panic, and collects the tasks that it readies on this thread.
    pub(crate) fn collect(context: &Context, wake: impl FnOnce()) -> Self {
        let placing = context.open_batch();
        wake();
        Self(context.close_batch(placing))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tasks, for the caller to place.
    pub(crate) fn into_tasks(self) -> TaskQueue {
        self.0
    }
}
