//! A handle to a runtime, which can be cloned and sent anywhere.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::pin::pin;
use std::sync::Arc;

use wsrt_sync::drop_in::OUTSIDE;

use crate::blocking::jobs;
use crate::local::beside::SetAside;
use crate::runtime::{RuntimeFlavor, RuntimeId, RuntimeMetrics};
use crate::scheduler::block_on::block_on;
use crate::scheduler::context::EnteredAgain;
use crate::scheduler::context::Role;
use crate::scheduler::{Context, Entered, Scheduler};
use crate::task::JoinHandle;
use crate::task::large::boxed_if_large;
use crate::tokio_compat::TokioEntered;

/// A handle to a runtime.
///
/// It does not keep the runtime alive: once the [`Runtime`](crate::runtime::Runtime) is dropped, a
/// task spawned through a handle is cancelled at once.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let handle = runtime.handle().clone();
/// let thread = std::thread::spawn(move || handle.block_on(async { wsrt::spawn(async { 7 }).await }));
/// assert_eq!(thread.join().expect("the thread does not panic")?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Handle(pub(super) Arc<Scheduler>);

impl Handle {
    pub(super) fn new(scheduler: Arc<Scheduler>) -> Self {
        Self(scheduler)
    }

    pub(crate) fn scheduler(&self) -> &Arc<Scheduler> {
        &self.0
    }

    /// Returns a handle to the runtime that the current thread belongs to.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime. [`try_current`](Self::try_current) does not panic.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let handle = wsrt::runtime::Handle::current();
    /// // Threads that the runtime did not start may spawn through it.
    /// let task = std::thread::spawn(move || handle.spawn(async { 7 })).join().expect("it does not panic");
    /// assert_eq!(task.await?, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn current() -> Self {
        match Self::try_current() {
            Ok(handle) => handle,
            Err(_) => panic!("wsrt: {OUTSIDE}`Handle::current`: {IS_OUTSIDE}"),
        }
    }

    /// Returns a handle to the runtime that the current thread belongs to, if it does.
    ///
    /// # Errors
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = wsrt::runtime::Handle::try_current().unwrap_err();
    /// assert!(error.is_missing_context());
    /// ```
    pub fn try_current() -> Result<Self, TryCurrentError> {
        Context::current_scheduler().map(Self).ok_or(TryCurrentError { _private: () })
    }

    /// Spawns a future as a task of this runtime: see [`spawn`](crate::task::spawn::spawn), which
    /// needs no handle.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let task = runtime.handle().spawn(async { 1 + 1 });
    /// assert_eq!(runtime.block_on(task)?, 2);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        boxed_if_large!(F, future => self.0.spawn(future, Location::caller()))
    }

    /// Runs a blocking closure on the blocking thread pool: see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let job = runtime.handle().spawn_blocking(|| std::fs::read_dir("."));
    /// let entries = runtime.block_on(job)??.count();
    /// println!("{entries} entries");
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, T>(&self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        jobs::spawn_blocking(&self.0, job, Location::caller())
    }

    /// Polls `future` on this thread until it is ready: see [`Runtime::block_on`]. In a task it
    /// takes one of the threads that
    /// [`Builder::max_machines`](crate::runtime::Builder::max_machines) limits.
    ///
    /// If the runtime is shut down during the wait, the wait continues for as long as `future`
    /// takes without it.
    ///
    /// # Panics
    ///
    /// Panics with the panic of `future`, and on a current-thread runtime if called inside a
    /// waker that the runtime itself wakes, on the thread that runs its tasks. Panics inside the
    /// function that [names](crate::runtime::Builder::thread_name_fn) the runtime's threads.
    ///
    /// [`Runtime::block_on`]: crate::runtime::Runtime::block_on
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let handle = wsrt::runtime::Handle::current();
    /// let job = wsrt::task::spawn_blocking(move || {
    ///     // Synchronous code that needs an asynchronous call.
    ///     handle.block_on(async { 7 })
    /// });
    /// assert_eq!(job.await?, 7);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[cfg_attr(feature = "console", track_caller)]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        boxed_if_large!(F, future => self.block_on_here(future))
    }

    #[cfg_attr(feature = "console", track_caller)]
    fn block_on_here<F: Future>(&self, future: F) -> F::Output {
        let (set, future) = (SetAside::take(), pin!(future));
        block_on(&self.0, set.around(future))
    }

    /// Returns which of the two kinds of runtime this is.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, RuntimeFlavor};
    ///
    /// let runtime = Builder::new_current_thread().build()?;
    /// assert_eq!(runtime.handle().runtime_flavor(), RuntimeFlavor::CurrentThread);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn runtime_flavor(&self) -> RuntimeFlavor {
        self.0.config.flavor
    }

    /// Returns this runtime's id, which is unique within the process.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// let handle = wsrt::runtime::Handle::current();
    /// assert_eq!(handle.id(), wsrt::spawn(async { wsrt::runtime::Handle::current().id() }).await?);
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn id(&self) -> RuntimeId {
        self.0.id
    }

    /// Returns the name that [`Builder::name`] gave the runtime, if any.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().name("requests").build()?;
    /// assert_eq!(runtime.handle().name(), Some("requests"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// [`Builder::name`]: crate::runtime::Builder::name
    pub fn name(&self) -> Option<&str> {
        self.0.config.name.as_deref()
    }

    /// Returns the number of stalls for each place where tasks were spawned, in no order: see
    /// [`Builder::on_stall`](crate::runtime::Builder::on_stall).
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Runtime::new()?.block_on(async {
    /// for (site, count) in wsrt::runtime::Handle::current().stall_counts() {
    ///     println!("{count} long polls of tasks spawned at {site}");
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn stall_counts(&self) -> Vec<(&'static Location<'static>, u64)> {
        self.0.stalls.by_site()
    }

    /// Returns the runtime's counters and gauges.
    ///
    /// Counting is on in every build and costs next to nothing: a plain store in memory of the
    /// processor's own.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_current_thread().build()?;
    /// let metrics = runtime.handle().metrics();
    /// drop(runtime.spawn(async {}));
    /// assert_eq!(metrics.num_alive_tasks(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn metrics(&self) -> RuntimeMetrics {
        RuntimeMetrics::of(self)
    }

    /// Starts or stops sampling how long tasks wait to be run and how long their polls take: see
    /// [`Builder::latency_histograms`](crate::runtime::Builder::latency_histograms). Earlier
    /// samples are kept.
    ///
    /// Whether a poll counts that begins or ends during this call is unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.handle().set_latency_histograms(true);
    /// // For as long as it is of interest.
    /// runtime.handle().set_latency_histograms(false);
    /// println!("{:?}", runtime.metrics().snapshot().total().schedule_latency());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn set_latency_histograms(&self, on: bool) {
        self.0.observer.sample_latencies(on, self.0.processors.capacity());
    }

    /// Makes this the current thread's runtime, until the guard is dropped, so that
    /// [`spawn`](crate::task::spawn::spawn), sockets and timers find it.
    ///
    /// Inside a task it lasts until the task's poll ends: a guard that the task forgets, or holds
    /// across an await, has no effect after it. Likewise in a blocking job, until the job ends. The
    /// future given to `block_on` may hold one across awaits.
    ///
    /// # Panics
    ///
    /// The drop of a guard panics unless guards are dropped in the reverse order of their making.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let guard = runtime.enter();
    /// let task = wsrt::spawn(async { "found it" });
    /// drop(guard);
    /// assert_eq!(runtime.block_on(task)?, "found it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        // To enter the runtime that the thread is in already would only hide the processor that it
        // holds.
        let inside = Context::current().filter(|context| context.is_of(Arc::as_ptr(&self.0)));
        let entered = inside.is_none().then(|| Context::enter(&self.0, Role::External).for_users());
        EnterGuard { _again: inside.and_then(Context::enter_again), _entered: entered, _tokio: self.0.tokio.enter() }
    }
}

/// Keeps the current thread in a runtime until it is dropped. Made by [`Handle::enter`].
#[must_use = "the runtime is left as soon as the guard is dropped"]
pub struct EnterGuard<'a> {
    _again: Option<EnteredAgain>,
    _entered: Option<Entered>,
    _tokio: TokioEntered<'a>,
}

// SAFETY: nothing but `Debug` takes it by reference, and that looks at none of its parts.
unsafe impl Sync for EnterGuard<'_> {}

// A panic drops it like any other exit, and it has no state to show.
impl UnwindSafe for EnterGuard<'_> {}
impl RefUnwindSafe for EnterGuard<'_> {}

impl fmt::Debug for EnterGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnterGuard").finish_non_exhaustive()
    }
}

/// The error of [`Handle::try_current`]: the thread belongs to no runtime.
#[derive(Debug, Clone)]
pub struct TryCurrentError {
    _private: (),
}

impl TryCurrentError {
    /// Returns `true` if the thread belongs to no runtime, which is the only reason for the error.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = wsrt::runtime::Handle::try_current().unwrap_err();
    /// assert!(error.is_missing_context(), "this thread is in no runtime");
    /// ```
    #[must_use]
    pub fn is_missing_context(&self) -> bool {
        true
    }

    /// Returns `false`: wsrt finds the runtime in destructors of thread-locals, too.
    #[must_use]
    pub fn is_thread_local_destroyed(&self) -> bool {
        false
    }
}

/// The fault, and the way out.
const IS_OUTSIDE: &str = "this thread is outside a wsrt runtime: call it inside `#[wsrt::main]`, a spawned task or \
                          `Runtime::block_on`, or while the guard of `Handle::enter` is held";

impl fmt::Display for TryCurrentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OUTSIDE}{IS_OUTSIDE}")
    }
}

impl Error for TryCurrentError {}
