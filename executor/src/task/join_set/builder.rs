//! A builder for tasks with a name in a set.

use std::fmt;
use std::future::Future;

use super::JoinSet;
use crate::runtime::Handle;
use crate::task;
use crate::task::{AbortHandle, LocalSet};

/// Spawns a task with a name into a [`JoinSet`]. Returned by [`JoinSet::build_task`].
#[must_use = "a builder spawns nothing by itself"]
pub struct Builder<'a, T> {
    set: &'a mut JoinSet<T>,
    task: task::Builder<'a>,
}

impl<T> JoinSet<T> {
    /// Returns a builder that spawns a task into this set and can give the task a name.
    ///
    /// Unlike tokio's builder, the spawning methods return the abort handle itself, not a `Result`.
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
    /// Sets the task's name. Several tasks may have the same name.
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

    /// Spawns a future on the current runtime, adds the task to the set like [`JoinSet::spawn`],
    /// and returns its abort handle.
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

    /// Spawns a future on `handle`'s runtime, adds the task to the set like [`JoinSet::spawn_on`],
    /// and returns its abort handle.
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

    /// Spawns a future that need not be `Send`, adds the task to the set like
    /// [`JoinSet::spawn_local`], and returns its abort handle.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`task::spawn_local`].
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

    /// Spawns a future that need not be `Send` on `local_set`, adds the task to this set like
    /// [`JoinSet::spawn_local_on`], and returns its abort handle.
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> AbortHandle
    where
        F: Future<Output = T> + 'static,
    {
        self.set.insert(self.task.spawn_local_on(future, local_set))
    }

    /// Runs a blocking closure on the blocking thread pool, adds the job to the set like
    /// [`JoinSet::spawn_blocking`], and returns its abort handle.
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

    /// Runs a blocking closure on the blocking thread pool of `handle`'s runtime, adds the job to
    /// the set like [`JoinSet::spawn_blocking_on`], and returns its abort handle.
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
