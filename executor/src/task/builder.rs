//! A builder for tasks with a name, and for tasks that inherit nothing.

use std::future::Future;
use std::panic::Location;

use crate::blocking::jobs;
use crate::runtime::Handle;
use crate::task::inherited::{LayersAside, leave_layers};
use crate::task::large::boxed_if_large;
use crate::task::spawn::{spawn_from, spawn_local_from, with_scheduler};
use crate::task::{JoinHandle, LocalSet, SpawnOrigin};

/// Spawns tasks with a name. Stall reports, dumps and traces show the names of tasks.
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
    spawned_at: Option<&'static Location<'static>>,
    inherits_nothing: bool,
}

impl<'a> Builder<'a> {
    /// Creates a builder for a task without a name.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let task = wsrt::task::Builder::new().name("greeter").spawn(async { "hello" });
    /// assert_eq!(task.await?, "hello");
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the task's name. Several tasks may have the same name.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let user = 7;
    /// let name = format!("session of {user}");
    /// wsrt::task::Builder::new().name(&name).spawn(async {}).await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn name(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Sets whether the task inherits [task-locals](crate::task_local) that are declared with
    /// `inherit`, and the [deadline](crate::time::deadline()), of the code that spawns it. The
    /// default is `true`.
    ///
    /// Use `inherit(false)` for a task that outlives the request in which it is spawned, such as
    /// one that keeps a cache up to date.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::task::Builder;
    /// use wsrt::time::{deadline, timeout};
    ///
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let (request, refresher) = timeout(Duration::from_secs(1), async {
    ///     let request = wsrt::spawn(async { deadline() });
    ///     let refresher = Builder::new().inherit(false).spawn(async { deadline() });
    ///     (request.await, refresher.await)
    /// })
    /// .await?;
    /// assert!(request?.is_some());
    /// assert_eq!(refresher?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inherit(self, inherits: bool) -> Self {
        Self { inherits_nothing: !inherits, ..self }
    }

    /// Leaves all scopes whose values the task would inherit, until the returned value is dropped.
    fn leave_scopes(self) -> Option<LayersAside> {
        self.inherits_nothing.then(leave_layers)
    }

    /// Sets the spawn location that reports show, instead of the caller's location. wsrt-hyper uses
    /// this method because it spawns a server's connections long after the user has called `serve`.
    #[doc(hidden)]
    pub fn __spawned_at(self, place: &'static Location<'static>) -> Self {
        Self { spawned_at: Some(place), ..self }
    }

    #[track_caller]
    fn origin(self) -> SpawnOrigin<'a> {
        SpawnOrigin { spawned_at: self.spawned_at.unwrap_or(Location::caller()), name: self.name }
    }

    /// Spawns a future as a task of the current runtime, like [`spawn`](crate::task::spawn::spawn),
    /// and returns a handle to the task's result.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let sum = wsrt::task::Builder::new().name("sum").spawn(async { 1 + 1 });
    /// assert_eq!(sum.await?, 2);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => spawn_from("task::Builder::spawn", future, origin))
    }

    /// Spawns a future as a task of `handle`'s runtime, and returns a handle to the task's result.
    /// Can be called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let task = wsrt::task::Builder::new().name("outside").spawn_on(async { 7 }, runtime.handle());
    /// assert_eq!(runtime.block_on(task)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_on<F>(self, future: F, handle: &Handle) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => handle.scheduler().spawn(future, origin))
    }

    /// Spawns a future as a background task of the current runtime, like
    /// [`spawn_background`](crate::task::spawn_background), and returns a handle to the task's
    /// result.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let index = wsrt::task::Builder::new().name("index").spawn_background(async { 1 + 1 });
    /// assert_eq!(index.await?, 2);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => {
            with_scheduler("task::Builder::spawn_background", |scheduler| scheduler.spawn_background(future, origin))
        })
    }

    /// Spawns a future as a background task of `handle`'s runtime, like
    /// [`spawn_background`](crate::task::spawn_background), and returns a handle to the task's
    /// result. Can be called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let index = wsrt::task::Builder::new().name("index").spawn_background_on(async { 7 }, runtime.handle());
    /// assert_eq!(runtime.block_on(index)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_background_on<F>(self, future: F, handle: &Handle) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => handle.scheduler().spawn_background(future, origin))
    }

    /// Spawns a future that need not be `Send` on the current thread, like
    /// [`spawn_local`](crate::task::spawn_local), and returns a handle to the task's result.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`spawn_local`](crate::task::spawn_local).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::rc::Rc;
    ///
    /// let shared = Rc::new(7);
    /// let copy = Rc::clone(&shared);
    /// let task = wsrt::task::Builder::new().name("local").spawn_local(async move { *copy });
    /// assert_eq!(task.await?, *shared);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => spawn_local_from("task::Builder::spawn_local", future, origin))
    }

    /// Spawns a future that need not be `Send` on `local_set`, like [`LocalSet::spawn_local`], and
    /// returns a handle to the task's result.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// use std::rc::Rc;
    ///
    /// let set = wsrt::task::LocalSet::new();
    /// let shared = Rc::new(7);
    /// let task = wsrt::task::Builder::new().name("local").spawn_local_on(async move { *shared }, &set);
    /// assert_eq!(set.run_until(task).await?, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_local_on<F>(self, future: F, local_set: &LocalSet) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        boxed_if_large!(F, future => local_set.tasks().spawn(future, origin))
    }

    /// Runs a blocking closure on the current runtime's blocking thread pool, like
    /// [`spawn_blocking`](crate::task::spawn_blocking), and returns a handle to its result.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let hash = wsrt::task::Builder::new().name("hash").spawn_blocking(|| {
    ///     (0..1000_u64).fold(0, |hash, n| hash ^ n.wrapping_mul(31))
    /// });
    /// hash.await?;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, T>(self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        with_scheduler("task::Builder::spawn_blocking", |scheduler| jobs::spawn_blocking(scheduler, job, origin))
    }

    /// Runs a blocking closure on the blocking thread pool of `handle`'s runtime, and returns a
    /// handle to its result. Can be called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let job = wsrt::task::Builder::new().name("job").spawn_blocking_on(|| 7, runtime.handle());
    /// assert_eq!(runtime.block_on(job)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking_on<F, T>(self, job: F, handle: &Handle) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (origin, _scopes) = (self.origin(), self.leave_scopes());
        jobs::spawn_blocking(handle.scheduler(), job, origin)
    }
}
