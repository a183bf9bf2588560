//! A task with a name: wsrt's builder, with results where it has none.

use std::future::Future;
use std::io;

use crate::runtime::Handle;
use crate::task::{JoinHandle, LocalSet};

/// Spawns a task that has a name. No method returns an error: wsrt can always spawn.
#[derive(Debug, Clone, Copy, Default)]
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a>(wsrt::task::Builder<'a>);

impl<'a> Builder<'a> {
    /// Begins a task without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the task.
    pub fn name(&self, name: &'a str) -> Self {
        Self(self.0.name(name))
    }

    /// Spawns a future on the current runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.0.spawn(future))
    }

    /// Spawns a future on the runtime of `handle`.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.0.spawn_on(future, handle))
    }

    /// Spawns a future that need not be `Send`, on the current set or local runtime.
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        Ok(self.0.spawn_local(future))
    }

    /// Spawns a future that need not be `Send` on `local_set`.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        Ok(self.0.spawn_local_on(future, local_set))
    }

    /// Runs a closure that blocks on a thread made for that.
    #[track_caller]
    pub fn spawn_blocking<F, T>(self, job: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(self.0.spawn_blocking(job))
    }

    /// Runs a closure that blocks on a thread of the pool of `handle`'s runtime.
    #[track_caller]
    pub fn spawn_blocking_on<F, T>(self, job: F, handle: &Handle) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(self.0.spawn_blocking_on(job, handle))
    }
}
