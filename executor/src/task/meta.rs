//! The view of a task that the user's hooks get, and the data that hooks attach to a task.

use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

use super::cell::Header;
use super::identity::Identity;
use super::reference::CountedRef;
use super::{Id, Runnable, TaskRef};
use crate::util::unwind::drop_quietly;

/// Information about a task for task hooks, such as [`Builder::on_before_task_poll`].
///
/// [`Builder::on_before_task_poll`]: crate::runtime::Builder::on_before_task_poll
#[derive(Clone, Copy)]
pub struct TaskMeta<'a> {
    header: &'a Header,
    waited: Option<Duration>,
}

impl<'a> TaskMeta<'a> {
    /// Returns the task's id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.header.id
    }

    /// Returns the source location that spawned the task.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.header.spawned_at()
    }

    /// Returns the name set by [`task::Builder::name`](crate::task::Builder::name), if any.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.header.provenance.extras()?.name.as_deref()
    }

    /// Returns how long the task has waited for the poll that is about to begin.
    ///
    /// Returns `None` in other hooks than [`Builder::on_before_task_poll`], and if the wait was not
    /// measured. [`Builder::latency_histograms`] measures one wait in eight.
    ///
    /// [`Builder::on_before_task_poll`]: crate::runtime::Builder::on_before_task_poll
    /// [`Builder::latency_histograms`]: crate::runtime::Builder::latency_histograms
    #[must_use]
    pub fn schedule_latency(&self) -> Option<Duration> {
        self.waited
    }

    pub(crate) fn after_wait(self, waited: Option<Duration>) -> Self {
        Self { waited, ..self }
    }

    /// Returns the data that [`NewTask::set_data`] has attached to the task. Returns `None` if
    /// there are no data, or if they are not of type `T`.
    #[must_use]
    pub fn data<T: Any>(&self) -> Option<&'a T> {
        self.header.provenance.extras()?.data.as_ref()?.0.as_ref()?.downcast_ref()
    }

    /// Returns `true` if the task still has a [`JoinHandle`](crate::task::JoinHandle).
    #[must_use]
    pub fn has_join_handle(&self) -> bool {
        self.header.state.has_join_handle()
    }
}

impl fmt::Debug for TaskMeta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskMeta")
            .field("id", &self.id())
            .field("name", &self.name())
            .field("spawned_at", &format_args!("{}", self.spawned_at()))
            .finish_non_exhaustive()
    }
}

/// Information about a task that is about to be spawned, passed to the hook of
/// [`Builder::on_task_spawn`]. The hook can attach data to the task.
///
/// [`Builder::on_task_spawn`]: crate::runtime::Builder::on_task_spawn
pub struct NewTask<'a>(&'a mut Identity);

impl<'a> NewTask<'a> {
    pub(crate) fn new(identity: &'a mut Identity) -> Self {
        Self(identity)
    }

    /// Returns the id of the new task.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Returns the source location that spawns the task.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.spawned_at
    }

    /// Returns the name set by [`task::Builder::name`](crate::task::Builder::name), if any.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.extras.as_ref()?.name.as_deref()
    }

    /// Attaches `data` to the task, replacing data that were attached earlier.
    ///
    /// The data are dropped with the task's memory, which the task's handles and wakers keep
    /// allocated. This happens after the task's future has been dropped, on an unspecified thread.
    /// If dropping the data panics, the panic is caught, and only the panic hook reports it.
    pub fn set_data<T: Any + Send + Sync>(&mut self, data: T) {
        self.0.extras_mut().data = Some(HookData(Some(Box::new(data))));
    }
}

impl fmt::Debug for NewTask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTask")
            .field("id", &self.id())
            .field("name", &self.name())
            .field("spawned_at", &format_args!("{}", self.spawned_at()))
            .finish_non_exhaustive()
    }
}

/// Data that a hook has attached to a task.
#[derive(Debug)]
pub(super) struct HookData(Option<Box<dyn Any + Send + Sync>>);

impl Drop for HookData {
    fn drop(&mut self) {
        drop_quietly(self.0.take());
    }
}

impl TaskRef {
    /// Returns the view for hooks.
    pub(crate) fn meta(&self) -> TaskMeta<'_> {
        TaskMeta { header: self.header(), waited: None }
    }
}

/// A reference for code that looks at the task after the task may have ended.
#[must_use]
pub(crate) struct KeptMeta(CountedRef);

impl KeptMeta {
    pub(super) fn new(task: CountedRef) -> Self {
        Self(task)
    }

    pub(crate) fn meta(&self) -> TaskMeta<'_> {
        TaskMeta { header: self.0.header(), waited: None }
    }
}

impl Runnable {
    /// Keeps the task's cell for hooks.
    pub(crate) fn keep_meta(&self) -> KeptMeta {
        KeptMeta(self.counted())
    }
}
