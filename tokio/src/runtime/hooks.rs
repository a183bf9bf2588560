//! Hooks that run when tasks are spawned, polled and finished. tokio offers them under its flag
//! `tokio_unstable`.

use std::marker::PhantomData;
use std::panic::Location;

use wsrt::runtime::{NewTask, PanicAction};

use super::Builder;
use crate::task::Id;

/// Information about a task, passed to the hooks of a [`Builder`].
#[derive(Debug)]
pub struct TaskMeta<'a> {
    id: Id,
    spawned_at: &'static Location<'static>,
    _task: PhantomData<&'a ()>,
}

impl TaskMeta<'_> {
    fn of(id: Id, spawned_at: &'static Location<'static>) -> Self {
        Self { id, spawned_at, _task: PhantomData }
    }

    fn of_new(task: &NewTask<'_>) -> Self {
        Self::of(task.id(), task.spawned_at())
    }

    fn of_listed(task: &wsrt::runtime::TaskMeta<'_>) -> Self {
        Self::of(task.id(), task.spawned_at())
    }

    /// Returns the id of the task that the hook is called for.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Returns the source location where the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }
}

/// What a runtime does when one of its tasks panics. Set with [`Builder::unhandled_panic`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UnhandledPanic {
    /// The runtime continues to run. The task's `JoinHandle` returns the panic as an error.
    Ignore,
    /// The runtime shuts down and drops all of its tasks. A future in `block_on` continues to run.
    ShutdownRuntime,
}

impl Builder {
    /// Sets a function that is called each time a task is spawned on the runtime.
    pub fn on_task_spawn<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_task_spawn(move |task| hook(&TaskMeta::of_new(task)));
        self
    }

    /// Sets a function that is called each time before a task is polled.
    pub fn on_before_task_poll<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_before_task_poll(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Sets a function that is called each time after a task has been polled.
    pub fn on_after_task_poll<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_after_task_poll(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Sets a function that is called each time a task has ended.
    pub fn on_task_terminate<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_task_terminate(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Sets what the runtime does when one of its tasks panics. See [`UnhandledPanic`] for the
    /// choices.
    pub fn unhandled_panic(&mut self, behavior: UnhandledPanic) -> &mut Self {
        let action = match behavior {
            UnhandledPanic::Ignore => PanicAction::GoOn,
            UnhandledPanic::ShutdownRuntime => PanicAction::ShutDown,
        };
        self.0.on_task_panic(move |_| action);
        self
    }
}
