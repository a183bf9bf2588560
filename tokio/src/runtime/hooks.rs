//! Hooks on tasks, which tokio has with its flag `tokio_unstable`.

use std::marker::PhantomData;
use std::panic::Location;

use wsrt::runtime::{NewTask, PanicAction};

use super::Builder;
use crate::task::Id;

/// Describes a task to a hook.
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

    /// Returns the task's id.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Returns the place where the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }
}

/// Chooses what the panic of a task does to its runtime.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UnhandledPanic {
    /// Nothing: the task's handle has the panic.
    Ignore,
    /// The runtime shuts down: its tasks are dropped. A future in `block_on` continues.
    ShutdownRuntime,
}

impl Builder {
    /// Calls a function for each task that is spawned.
    pub fn on_task_spawn<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_task_spawn(move |task| hook(&TaskMeta::of_new(task)));
        self
    }

    /// Calls a function before each poll of a task.
    pub fn on_before_task_poll<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_before_task_poll(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Calls a function after each poll of a task.
    pub fn on_after_task_poll<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_after_task_poll(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Calls a function for each task that has ended.
    pub fn on_task_terminate<F>(&mut self, hook: F) -> &mut Self
    where
        F: Fn(&TaskMeta<'_>) + Send + Sync + 'static,
    {
        self.0.on_task_terminate(move |task| hook(&TaskMeta::of_listed(task)));
        self
    }

    /// Sets what the panic of a task does to the runtime.
    pub fn unhandled_panic(&mut self, behavior: UnhandledPanic) -> &mut Self {
        let action = match behavior {
            UnhandledPanic::Ignore => PanicAction::GoOn,
            UnhandledPanic::ShutdownRuntime => PanicAction::ShutDown,
        };
        self.0.on_task_panic(move |_| action);
        self
    }
}
