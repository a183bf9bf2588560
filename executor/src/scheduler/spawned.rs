//! A spawn that has left the scheduler: a handle, and the end of a task that was not let in.

use std::sync::Arc;

use crate::scheduler::Scheduler;
use crate::task::{JoinHandle, Runnable};

/// A task that was just spawned.
#[must_use]
pub(crate) struct Spawned<T> {
    handle: JoinHandle<T>,
    /// In a box: every spawn passes this on, and hardly any has one.
    refused: Option<Box<Refused>>,
}

/// A task that was not let in, to be cancelled where users' code may run. Its future's destructor
/// may drop everything else that keeps the scheduler.
pub(super) struct Refused {
    runnable: Runnable,
    /// The count that [`Home`](super::place::Home) relies on. Dropped last.
    _scheduler: Arc<Scheduler>,
}

impl Refused {
    #[cold]
    pub(super) fn new(scheduler: &Arc<Scheduler>, runnable: Runnable) -> Box<Self> {
        Box::new(Self { runnable, _scheduler: Arc::clone(scheduler) })
    }

    #[cold]
    fn cancel(self) {
        let Self { runnable, _scheduler } = self;
        runnable.cancel();
    }
}

impl<T> Spawned<T> {
    #[inline(always)]
    pub(super) fn new(handle: JoinHandle<T>, refused: Option<Box<Refused>>) -> Self {
        Self { handle, refused }
    }

    /// The handle, which says cancelled if the task was not let in. To be called outside of
    /// [`Context::with`](super::Context::with), since it may drop the future.
    #[inline]
    pub(crate) fn handle(self) -> JoinHandle<T> {
        if let Some(refused) = self.refused {
            refused.cancel();
        }
        self.handle
    }
}
