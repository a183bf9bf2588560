//! A task with a name.

use std::future::Future;
use std::panic::Location;

use crate::blocking::jobs;
use crate::runtime::Handle;
use crate::task::spawn::{spawn_from, spawn_local_from, with_scheduler};
use crate::task::{JoinHandle, LocalSet, Origin};

/// Spawns a task that has a name, for stall reports and whatever else lists tasks.
///
/// # Examples
///
/// ```
/// # wsrt::runtime::Runtime::new()?.block_on(async {
/// let greeting = wsrt::task::Builder::new().name("greeter").spawn(async { "hello" });
/// assert_eq!(greeting.await?, "hello");
/// # Ok::<(), wsrt::task::JoinError>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a> {
    name: Option<&'a str>,
}

impl<'a> Builder<'a> {
    /// Begins a task without a name.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the task. Names need not be unique.
    pub fn name(self, name: &'a str) -> Self {
        Self { name: Some(name) }
    }

    #[track_caller]
    fn origin(self) -> Origin<'a> {
        Origin { spawned_at: Location::caller(), name: self.name }
    }

    /// Spawns a future as a task of the current runtime: see [`spawn`](crate::task::spawn::spawn).
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let origin = self.origin();
        spawn_from("task::Builder::spawn", future, origin)
    }

    /// Spawns a future as a task of the runtime that `handle` leads to.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        handle.scheduler().spawn(future, self.origin())
    }

    /// Spawns a future that need not be Send: see [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Panics
    ///
    /// Panics where `spawn_local` does.
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        spawn_local_from("task::Builder::spawn_local", future, self.origin())
    }

    /// Spawns a future that need not be Send on `local_set`: see [`LocalSet::spawn_local`].
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        local_set.tasks().spawn(future, self.origin())
    }

    /// Runs a closure that blocks on a thread made for that: see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    ///
    /// # Panics
    ///
    /// Outside of a runtime.
    #[track_caller]
    pub fn spawn_blocking<F, T>(self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let origin = self.origin();
        with_scheduler("task::Builder::spawn_blocking", |scheduler| jobs::spawn_blocking(scheduler, job, origin))
    }

    /// Runs a closure that blocks on a thread of the blocking pool of `handle`'s runtime.
    #[track_caller]
    pub fn spawn_blocking_on<F, T>(self, job: F, handle: &Handle) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        jobs::spawn_blocking(handle.scheduler(), job, self.origin())
    }
}
