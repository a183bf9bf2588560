//! A task with a name, in a set.

use std::fmt;
use std::future::Future;

use super::JoinSet;
use crate::runtime::Handle;
use crate::task;
use crate::task::{AbortHandle, LocalSet};

/// Spawns a task with a name into a [`JoinSet`]. Made by [`JoinSet::build_task`].
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a, T> {
    set: &'a mut JoinSet<T>,
    task: task::Builder<'a>,
}

impl<T> JoinSet<T> {
    /// Creates a builder for a task of the set, which can have a name.
    ///
    /// The methods that spawn return the handle, where tokio's return a `Result` of it.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::task::JoinSet;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut set = JoinSet::new();
    /// set.build_task().name("greeter").spawn(async { "hello" });
    /// assert_eq!(set.join_next().await.unwrap().unwrap(), "hello");
    /// # });
    /// ```
    pub fn build_task(&mut self) -> Builder<'_, T> {
        Builder { set: self, task: task::Builder::new() }
    }
}

impl<'a, T: 'static> Builder<'a, T> {
    /// Names the task. Names need not be unique.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.build_task().name("first").spawn(async { 1 });
    /// assert_eq!(set.join_all().await, [1]);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn name(self, name: &'a str) -> Self {
        Self { task: self.task.name(name), ..self }
    }

    /// Spawns a future on the current runtime: see [`JoinSet::spawn`].
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// let handle = set.build_task().name("endless").spawn(std::future::pending::<()>());
    /// handle.abort();
    /// assert!(set.join_next().await.expect("one task").unwrap_err().is_cancelled());
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.set.insert(self.task.spawn(future))
    }

    /// Spawns a future on the runtime of `handle`: see [`JoinSet::spawn_on`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.build_task().name("outside").spawn_on(async { 7 }, runtime.handle());
    /// assert_eq!(runtime.block_on(set.join_all()), [7]);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> AbortHandle
    where
        F: Future<Output = T> + Send + 'static,
        T: Send,
    {
        self.set.insert(self.task.spawn_on(future, handle))
    }

    /// Spawns a future that need not be `Send`: see [`JoinSet::spawn_local`].
    ///
    /// # Panics
    ///
    /// Panics where [`task::spawn_local`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::rc::Rc;
    ///
    /// let mut set = wsrt::task::JoinSet::new();
    /// let shared = Rc::new(7);
    /// set.build_task().name("local").spawn_local(async move { *shared });
    /// assert_eq!(set.join_all().await, [7]);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.set.insert(self.task.spawn_local(future))
    }

    /// Spawns a future that need not be `Send` on `local_set`: see [`JoinSet::spawn_local_on`].
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.set.insert(self.task.spawn_local_on(future, local_set))
    }

    /// Runs a blocking closure on the blocking thread pool: see [`JoinSet::spawn_blocking`].
    ///
    /// # Panics
    ///
    /// Panics if called outside a wsrt runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.build_task().name("job").spawn_blocking(|| 7);
    /// assert_eq!(set.join_all().await, [7]);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F>(self, job: F) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.set.insert(self.task.spawn_blocking(job))
    }

    /// Runs a blocking closure on the blocking thread pool of `handle`'s runtime: see
    /// [`JoinSet::spawn_blocking_on`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let mut set = wsrt::task::JoinSet::new();
    /// set.build_task().name("job").spawn_blocking_on(|| 7, runtime.handle());
    /// assert_eq!(runtime.block_on(set.join_all()), [7]);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking_on<F>(self, job: F, handle: &Handle) -> AbortHandle
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send,
    {
        self.set.insert(self.task.spawn_blocking_on(job, handle))
    }
}

impl<T> fmt::Debug for Builder<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("task", &self.task).finish_non_exhaustive()
    }
}
