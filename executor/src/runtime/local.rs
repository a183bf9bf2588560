//! A current-thread runtime that stays on the thread that built it.

use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::panic::Location;
use std::time::Duration;

use crate::runtime::{Builder, EnterGuard, Handle, Runtime, RuntimeMetrics};
use crate::task::JoinHandle;

/// A current-thread runtime that stays on one thread, so its tasks need not be `Send`.
///
/// [`spawn_local`](crate::task::spawn_local) works wherever this thread is inside the runtime: in a
/// task, in `block_on`, and while a guard of [`enter`](Self::enter) exists. No
/// [`LocalSet`](crate::task::LocalSet) is needed. Tasks run while the thread is in
/// [`block_on`](Self::block_on). Other threads can spawn `Send` futures through the
/// [`handle`](Self::handle). [`Handle::block_on`] on other threads does not run the runtime's
/// tasks.
///
/// In all other respects, including [drop](Runtime#dropping-it), a `LocalRuntime` behaves like a
/// runtime built by [`Builder::new_current_thread`].
///
/// # Examples
///
/// ```
/// use std::rc::Rc;
/// use wsrt::runtime::LocalRuntime;
///
/// let runtime = LocalRuntime::new()?;
/// let shared = Rc::new(5);
/// let theirs = Rc::clone(&shared);
/// let task = runtime.spawn_local(async move { *theirs });
/// assert_eq!(*shared + runtime.block_on(task)?, 10);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LocalRuntime {
    runtime: Runtime,
    /// Neither `Send` nor `Sync`.
    _here: PhantomData<*mut ()>,
}

/// The options of a [`LocalRuntime`], passed to [`Builder::build_local`]. There are no options yet.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LocalOptions {
    /// Neither `Send` nor `Sync`, for options to come.
    _here: PhantomData<*mut ()>,
}

impl LocalRuntime {
    /// Creates a runtime for the current thread, with the default options of [`Builder`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Builder::build`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let shared = std::rc::Rc::new(7);
    /// assert_eq!(runtime.block_on(async move { *shared }), 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new() -> io::Result<Self> {
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default())
    }

    /// `runtime` has this thread for its home.
    pub(super) fn at_home(runtime: Runtime) -> Self {
        Self { runtime, _here: PhantomData }
    }

    /// Returns a handle to this runtime. The handle can be cloned and sent to other threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let job = runtime.handle().spawn_blocking(|| 7);
    /// assert_eq!(runtime.block_on(job)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// Spawns a future that need not be `Send`, and returns a handle to the task's result. The task
    /// is polled while this thread is in [`block_on`](Self::block_on).
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let shared = std::rc::Rc::new(7);
    /// let task = runtime.spawn_local(async move { *shared });
    /// assert_eq!(runtime.block_on(task)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_local<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.handle().scheduler().spawn_local(future, Location::caller())
    }

    /// Runs a blocking closure on this runtime's blocking thread pool, and returns a handle to its
    /// result. [`spawn_blocking`](crate::task::spawn_blocking) describes how such jobs run.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let job = runtime.spawn_blocking(|| 1 + 1);
    /// assert_eq!(runtime.block_on(job)?, 2);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, T>(&self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        self.runtime.spawn_blocking(job)
    }

    /// Runs `future` and the runtime's tasks on the current thread until `future` completes, and
    /// returns its output. [`Runtime::block_on`] has the details.
    ///
    /// # Panics
    ///
    /// Panics in the same cases as [`Runtime::block_on`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let value = runtime.block_on(async {
    ///     let shared = std::rc::Rc::new(7);
    ///     wsrt::task::spawn_local(async move { *shared }).await
    /// })?;
    /// assert_eq!(value, 7);
    /// # std::io::Result::Ok(())
    /// ```
    #[cfg_attr(feature = "console", track_caller)]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Enters the runtime: makes it the current thread's runtime until the guard is dropped.
    /// [`Handle::enter`] has the details.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// let job = {
    ///     let _entered = runtime.enter();
    ///     wsrt::task::spawn_blocking(|| 7)
    /// };
    /// assert_eq!(runtime.block_on(job)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        self.runtime.enter()
    }

    /// Shuts down the runtime in the same way as dropping it, but waits for at most `timeout`.
    /// [`Runtime::shutdown_timeout`] describes what happens to work that takes longer.
    pub fn shutdown_timeout(self, timeout: Duration) {
        self.runtime.shutdown_timeout(timeout);
    }

    /// Shuts down the runtime like dropping it, but does not wait for running blocking jobs.
    pub fn shutdown_background(self) {
        self.runtime.shutdown_background();
    }

    /// Returns a view of the runtime's counters and gauges, equivalent to [`Handle::metrics`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::LocalRuntime::new()?;
    /// assert_eq!(runtime.metrics().num_workers(), 1);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn metrics(&self) -> RuntimeMetrics {
        self.runtime.metrics()
    }
}
