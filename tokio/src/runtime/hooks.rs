//! Hooks that run when tasks are spawned, polled and finished. tokio offers them under its flag
//! `tokio_unstable`.

use std::marker::PhantomData;
use std::panic::Location;
use std::time::Duration;

use wsrt::runtime::{NewTask, PanicAction, UnhandledPanic};

use super::Builder;
use crate::task::Id;

/// Information about a task, passed to the hooks of a [`Builder`].
#[derive(Debug)]
pub struct TaskMeta<'a> {
    id: Id,
    spawned_at: &'static Location<'static>,
    schedule_latency: Option<Duration>,
    _task: PhantomData<&'a ()>,
}

impl TaskMeta<'_> {
    fn of_new(task: &NewTask<'_>) -> Self {
        Self { id: task.id(), spawned_at: task.spawned_at(), schedule_latency: None, _task: PhantomData }
    }

    fn of_listed(task: &wsrt::runtime::TaskMeta<'_>) -> Self {
        let schedule_latency = task.schedule_latency();
        Self { id: task.id(), spawned_at: task.spawned_at(), schedule_latency, _task: PhantomData }
    }

    /// Returns the id of the task that the hook is called for.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Returns the source location where the task was spawned.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }

    /// Returns how long the task has waited for the poll that is about to begin. Returns `None` in
    /// other hooks, and unless [`Builder::track_task_schedule_latency`] was called.
    pub fn schedule_latency(&self) -> Option<Duration> {
        self.schedule_latency
    }
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
            UnhandledPanic::ShutdownRuntime => PanicAction::ShutDown,
            _ => PanicAction::GoOn,
        };
        self.0.on_task_panic(move |_| action);
        self
    }
}
