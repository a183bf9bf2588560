//! The set of tasks. It is wsrt's, but for its builder, whose methods return results as tokio's do.

use std::fmt;
use std::future::Future;
use std::io;
use std::ops::{Deref, DerefMut};

use crate::runtime::Handle;
use crate::task::{AbortHandle, LocalSet};

/// Tasks whose results are taken in the order in which the tasks end. Dropping the set aborts its
/// tasks.
///
/// The methods that are not here are those of wsrt's `JoinSet`.
pub struct JoinSet<T>(wsrt::task::JoinSet<T>);

impl<T> JoinSet<T> {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self(wsrt::task::JoinSet::new())
    }
}

impl<T: 'static> JoinSet<T> {
    /// Returns a builder for a task of the set, which can give the task a name.
    pub fn build_task(&mut self) -> Builder<'_, T> {
        Builder(self.0.build_task())
    }

    /// Waits for all tasks, and returns their results in the order in which the tasks ended.
    ///
    /// # Panics
    ///
    /// Panics if a task has panicked or was aborted. The set's other tasks are aborted then.
    pub async fn join_all(self) -> Vec<T> {
        self.0.join_all().await
    }
}

impl<T> Deref for JoinSet<T> {
    type Target = wsrt::task::JoinSet<T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for JoinSet<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T, F> Extend<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn extend<I: IntoIterator<Item = F>>(&mut self, futures: I) {
        self.0.extend(futures);
    }
}

impl<T, F> FromIterator<F> for JoinSet<T>
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    fn from_iter<I: IntoIterator<Item = F>>(futures: I) -> Self {
        Self(futures.into_iter().collect())
    }
}

/// Configures and spawns a task of a [`JoinSet`]. The methods never return an error.
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a, T>(wsrt::task::join_set::Builder<'a, T>);

impl<T> fmt::Debug for Builder<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, T: 'static> Builder<'a, T> {
    /// Sets the name of the task. Names need not be unique.
    pub fn name(self, name: &'a str) -> Self {
        Self(self.0.name(name))
    }

    /// Spawns `future` as a task of the set on the current runtime.
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        Ok(self.0.spawn(future))
    }

    /// Spawns `future` as a task of the set on the runtime that `handle` belongs to.
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        Ok(self.0.spawn_on(future, handle))
    }

    /// Runs a blocking closure as a task of the set.
    #[track_caller]
    pub fn spawn_blocking<F>(self, job: F) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        Ok(self.0.spawn_blocking(job))
    }

    /// Runs a blocking closure as a task of the set on the runtime that `handle` belongs to.
    #[track_caller]
    pub fn spawn_blocking_on<F>(self, job: F, handle: &Handle) -> io::Result<AbortHandle>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        Ok(self.0.spawn_blocking_on(job, handle))
    }

    /// Spawns `future`, which need not be `Send`, on the current [`LocalSet`] or local runtime.
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        Ok(self.0.spawn_local(future))
    }

    /// Spawns `future`, which need not be `Send`, on `local_set`.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> io::Result<AbortHandle>
    where
        F: Future<Output = T> + 'static,
    {
        Ok(self.0.spawn_local_on(future, local_set))
    }
}
