//! A builder for named tasks. It wraps wsrt's builder, and returns results as tokio's does.

use std::future::Future;
use std::io;

use crate::runtime::Handle;
use crate::task::{JoinHandle, LocalSet};

/// Configures and spawns a task that has a name for debugging.
///
/// The methods return a `Result` for compatibility with tokio. They never return an error, because
/// wsrt can always spawn.
#[derive(Debug, Clone, Copy, Default)]
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a>(wsrt::task::Builder<'a>);

impl<'a> Builder<'a> {
    /// Creates a builder for a task that has no name yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name of the task. Names need not be unique.
    pub fn name(&self, name: &'a str) -> Self {
        Self(self.0.name(name))
    }

    /// Spawns `future` as a task on the current runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.0.spawn(future))
    }

    /// Spawns `future` as a task on the runtime that `handle` belongs to.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        Ok(self.0.spawn_on(future, handle))
    }

    /// Spawns `future`, which need not be `Send`, on the current [`LocalSet`] or local runtime.
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        Ok(self.0.spawn_local(future))
    }

    /// Spawns `future`, which need not be `Send`, on `local_set`.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> io::Result<JoinHandle<F::Output>>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        Ok(self.0.spawn_local_on(future, local_set))
    }

    /// Runs a blocking closure on a thread on which blocking is allowed.
    #[track_caller]
    pub fn spawn_blocking<F, T>(self, job: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(self.0.spawn_blocking(job))
    }

    /// Runs a blocking closure on the blocking thread pool of the runtime that `handle` belongs to.
    #[track_caller]
    pub fn spawn_blocking_on<F, T>(self, job: F, handle: &Handle) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(self.0.spawn_blocking_on(job, handle))
    }
}
