//! A current-thread runtime that belongs to its thread.

use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::panic::Location;
use std::time::Duration;

use crate::runtime::{Builder, EnterGuard, Handle, Runtime, RuntimeMetrics};
use crate::task::JoinHandle;

/// A current-thread runtime that stays on the thread that built it, so that its tasks need not be
/// `Send`.
///
/// [`spawn_local`](crate::task::spawn_local) works on that thread wherever it is inside the
/// runtime: in a task, in `block_on`, and while a guard of [`enter`](Self::enter) is held. No
/// [`LocalSet`](crate::task::LocalSet) is needed. Tasks run while the thread is in
/// [`block_on`](Self::block_on). Other threads spawn futures that are `Send` through the
/// [`handle`](Self::handle); in [`Handle::block_on`] they only wait.
///
/// In all other respects, including [drop](Runtime#dropping-it), it behaves like a runtime of
/// [`Builder::new_current_thread`].
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

/// The options of a [`LocalRuntime`], of which there are none so far. For [`Builder::build_local`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct LocalOptions {
    /// Neither `Send` nor `Sync`, for options to come.
    _here: PhantomData<*mut ()>,
}

impl LocalRuntime {
    /// Builds a runtime for the current thread, with the defaults of [`Builder`].
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

    /// Returns a handle to this runtime, which can be cloned and sent anywhere.
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

    /// Spawns a future that need not be `Send`. It is polled when this thread is in
    /// [`block_on`](Self::block_on).
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

    /// Runs a blocking closure on the blocking thread pool: see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
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

    /// Waits for `future` while it runs the runtime's tasks: see [`Runtime::block_on`].
    ///
    /// # Panics
    ///
    /// Panics where [`Runtime::block_on`] does.
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

    /// Makes this the current thread's runtime until the guard is dropped: see [`Handle::enter`].
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

    /// Ends the runtime as dropping it does, but waits no longer than `timeout`: see
    /// [`Runtime::shutdown_timeout`].
    pub fn shutdown_timeout(self, timeout: Duration) {
        self.runtime.shutdown_timeout(timeout);
    }

    /// Ends the runtime as dropping it does, but does not wait.
    pub fn shutdown_background(self) {
        self.runtime.shutdown_background();
    }

    /// Returns a view of the runtime's counters and gauges: see [`Handle::metrics`].
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
