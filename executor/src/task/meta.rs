//! A task as the user's hooks see it, with the data that they have attached to it.

use std::any::Any;
use std::fmt;
use std::panic::Location;

use super::header::Header;
use super::identity::Identity;
use super::reference::CountedRef;
use super::{Id, Runnable, TaskRef};
use crate::util::unwind::drop_quietly;

/// Describes a task to a hook: see [`Builder::on_task_spawn`].
///
/// [`Builder::on_task_spawn`]: crate::runtime::Builder::on_task_spawn
#[derive(Clone, Copy)]
pub struct TaskMeta<'a>(&'a Header);

impl<'a> TaskMeta<'a> {
    /// Returns the id of the task.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Returns the place in the source where the task was spawned.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.spawned_at()
    }

    /// Returns the task's name, if it was given one with
    /// [`task::Builder::name`](crate::task::Builder::name).
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.0.provenance.extras()?.name.as_deref()
    }

    /// Returns the data that [`NewTask::set_data`] has attached to the task, if they are of type
    /// `T`.
    #[must_use]
    pub fn data<T: Any>(&self) -> Option<&'a T> {
        self.0.provenance.extras()?.data.as_ref()?.0.as_ref()?.downcast_ref()
    }

    /// Returns whether a [`JoinHandle`](crate::task::JoinHandle) exists, which will receive the
    /// task's output.
    #[must_use]
    pub fn has_join_handle(&self) -> bool {
        self.0.state.has_join_handle()
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

/// Describes a task that is about to be spawned, and lets you attach data: see
/// [`Builder::on_task_spawn`].
///
/// [`Builder::on_task_spawn`]: crate::runtime::Builder::on_task_spawn
pub struct NewTask<'a>(&'a mut Identity);

impl<'a> NewTask<'a> {
    pub(crate) fn new(identity: &'a mut Identity) -> Self {
        Self(identity)
    }

    /// Returns the id that the task will have.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Returns the place in the source where the task is spawned.
    #[must_use]
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.spawned_at
    }

    /// Returns the task's name, if it is given one with
    /// [`task::Builder::name`](crate::task::Builder::name).
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.extras.as_ref()?.name.as_deref()
    }

    /// Attaches `data` to the task, and replaces earlier data.
    ///
    /// They are dropped with the task's memory, which its handles and wakers keep: later than its
    /// future, on an unspecified thread. A panic in their drop goes no further than the panic hook.
    pub fn set_data<T: Any + Send + Sync>(&mut self, data: T) {
        self.0.extras_mut().data = Some(Attached(Some(Box::new(data))));
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

/// The user's data in a task's cell.
#[derive(Debug)]
pub(super) struct Attached(Option<Box<dyn Any + Send + Sync>>);

impl Drop for Attached {
    fn drop(&mut self) {
        drop_quietly(self.0.take());
    }
}

impl TaskRef {
    /// The task as hooks see it.
    pub(crate) fn meta(&self) -> TaskMeta<'_> {
        TaskMeta(self.header())
    }
}

/// A task that is kept for a hook which comes when the task may be gone.
#[must_use]
pub(crate) struct KeptMeta(CountedRef);

impl KeptMeta {
    pub(crate) fn meta(&self) -> TaskMeta<'_> {
        TaskMeta(self.0.header())
    }
}

impl Runnable {
    /// Keeps the cell of the task for hooks.
    pub(crate) fn keep_meta(&self) -> KeptMeta {
        KeptMeta(self.counted())
    }
}
