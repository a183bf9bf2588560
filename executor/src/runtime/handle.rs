//! Handles to a runtime, which can be cloned and sent to other threads.

use std::error::Error;
use std::future::Future;
use std::num::NonZeroU32;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;
use std::{fmt, io};

#[cfg(feature = "futures-task")]
use futures_task::{FutureObj, Spawn, SpawnError};
use wsrt_sync::drop_in::OUTSIDE;
use wsrt_sync::oneshot;

use crate::blocking::jobs;
use crate::local::beside::SetAside;
use crate::observe::counters::Count;
use crate::observe::observer::Switch;
use crate::observe::timeline::TraceSettings;
use crate::runtime::{Runtime, RuntimeFlavor, RuntimeId, RuntimeMetrics, TraceSummary};
use crate::scheduler::block_on::block_on;
use crate::scheduler::context::{EnteredAgain, Role};
use crate::scheduler::{Context, Entered, Scheduler, runtime_id};
use crate::sysmon::stall::Stall;
use crate::task::JoinHandle;
use crate::task::large::boxed_if_large;
use crate::tokio_compat::TokioEntered;

/// A handle to a runtime, for spawning tasks and entering the runtime from any thread.
///
/// A handle can be cloned. It does not keep the runtime alive: after the
/// [`Runtime`] is dropped, tasks spawned through it are cancelled at once.
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

    /// Returns a handle to the current thread's runtime.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime. [`try_current`](Self::try_current) returns an error.
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

    #[doc(hidden)] // For wsrt-debug: the runtimes of this process that have not ended.
    pub fn __all() -> Vec<Self> {
        runtime_id::all().into_iter().filter(|it: &Arc<Scheduler>| !it.shutdown.has_finished()).map(Self).collect()
    }

    #[doc(hidden)] // For wsrt-debug: whether this build captures stacks.
    pub const __HAS_STACKS: bool = wsrt_stack::IS_SUPPORTED;
    #[doc(hidden)] // For wsrt-debug: the most CPU samples to ask for.
    pub const __HIGHEST_FREQUENCY: u32 = wsrt_stack::HIGHEST_FREQUENCY;

    #[doc(hidden)] // For wsrt-debug: the first stall of each stack, their count, and the longest time.
    pub fn __stalls_by_stack(&self) -> Vec<(Stall, u64, Duration)> {
        self.scheduler().stalls.by_stack()
    }

    #[doc(hidden)] // For wsrt-hyper: counts a request that it has shed.
    pub fn __count_shed_request(&self) {
        self.scheduler().observer.shed.requests.add(1);
    }

    #[doc(hidden)] // For wsrt-hyper: counts a connection that it has shed.
    pub fn __count_shed_connection(&self) {
        self.scheduler().observer.shed.connections.add(1);
    }

    /// Returns a handle to the current thread's runtime, or an error outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns a [`TryCurrentError`] if called outside a runtime.
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

    /// Spawns a future as a task of this runtime, and returns a handle to the task's result.
    ///
    /// The free function [`spawn`](crate::task::spawn::spawn), which describes how spawned tasks
    /// run, spawns on the current runtime instead.
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

    /// Spawns a future as a background task of this runtime, and returns a handle to the task's
    /// result. [`spawn_background`](crate::task::spawn_background) describes how such tasks run.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let index = runtime.handle().spawn_background(async { 1 + 1 });
    /// assert_eq!(runtime.block_on(index)?, 2);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        boxed_if_large!(F, future => self.0.spawn_background(future, Location::caller()))
    }

    /// Runs a blocking closure on this runtime's blocking thread pool, and returns a handle to its
    /// result. [`spawn_blocking`](crate::task::spawn_blocking) describes how such jobs run.
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

    /// Runs `future` on the current thread until it completes, and returns its output.
    /// [`Runtime::block_on`] describes the differences between the two kinds of runtime.
    ///
    /// Inside a task, the call occupies one of the threads that
    /// [`Builder::max_machines`](crate::runtime::Builder::max_machines) limits.
    ///
    /// If the runtime is shut down during the call, the call does not return early: it waits until
    /// `future` completes without the runtime.
    ///
    /// # Panics
    ///
    /// If `future` panics, this method panics with the same payload. On a current-thread runtime,
    /// panics if called on the thread that runs the tasks, inside a waker that the runtime itself
    /// wakes. Panics inside the function that [names](crate::runtime::Builder::thread_name_fn)
    /// threads.
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

    /// Returns the runtime's flavor: multi-thread or current-thread.
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

    /// Returns the runtime's id, which is unique within the process.
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

    /// Returns the runtime's name, or `None` if [`Builder::name`] was not called.
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

    /// Returns the number of stalls for each location that has spawned a stalled task, in no order.
    ///
    /// A stall is a poll that exceeds the time limit described at
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

    /// Returns a view of the runtime's counters and gauges.
    ///
    /// Metrics are collected in every build, at almost no cost: counting an event is one plain
    /// store to memory that only the processor itself writes.
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

    /// Starts or stops sampling how long runnable tasks wait until they are polled, and how long
    /// polls take. Samples that were taken earlier are kept.
    ///
    /// The option [`Builder::latency_histograms`](crate::runtime::Builder::latency_histograms)
    /// describes the samples and their cost. Polls that begin or end during this call may be
    /// missed.
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

    /// Starts or stops measuring the polls of the tasks of each spawn site, and returns whether
    /// they were measured before. Earlier measurements are kept.
    ///
    /// The option [`Builder::site_polls`](crate::runtime::Builder::site_polls) describes the
    /// measurement and its cost.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let were_measured = runtime.handle().set_site_polls(true);
    /// // For as long as it is of interest.
    /// runtime.handle().set_site_polls(were_measured);
    /// println!("{:?}", runtime.metrics().snapshot().polls_by_site());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn set_site_polls(&self, on: bool) -> bool {
        self.0.observer.measure_polls(Switch::Sites, on, self.0.processors.capacity())
    }

    /// Starts or stops measuring the polls of the tasks of each name, and returns whether they were
    /// measured before. Earlier measurements are kept.
    ///
    /// [`Builder::name_polls`](crate::runtime::Builder::name_polls) describes the measurement.
    pub fn set_name_polls(&self, on: bool) -> bool {
        self.0.observer.measure_polls(Switch::Names, on, self.0.processors.capacity())
    }

    /// Enters the runtime: makes it the current thread's runtime until the guard is dropped.
    ///
    /// Meanwhile, [`spawn`](crate::task::spawn::spawn), sockets and timers use this runtime.
    ///
    /// Inside a task, the effect ends with the current poll: a guard that the task leaks, or holds
    /// across an `await`, has no effect after the poll. In the same way, a guard in a blocking job
    /// has no effect after the job. The future in `block_on` may hold a guard across `await`
    /// points.
    ///
    /// # Panics
    ///
    /// Dropping a guard panics unless guards are dropped in the reverse order of their creation.
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

/// A guard that keeps the current thread inside a runtime. Returned by [`Handle::enter`].
///
/// Dropping the guard leaves the runtime.
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

/// The error returned by [`Handle::try_current`] when the current thread is outside a runtime.
#[derive(Debug, Clone)]
pub struct TryCurrentError {
    _private: (),
}

impl TryCurrentError {
    /// Returns `true`: being outside a runtime is the only possible cause of this error.
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

    /// Returns `false`, because wsrt finds the runtime in destructors of thread-locals as well.
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

impl Runtime {
    /// Changes the number of processors of this runtime. [`Handle::resize`] has the details.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Handle::resize`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(4).build()?;
    /// runtime.resize(2)?;
    /// assert_eq!(runtime.metrics().num_workers(), 2);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn resize(&self, processors: usize) -> io::Result<()> {
        self.handle().resize(processors)
    }
}

impl Handle {
    /// Changes the number of processors of this runtime, like Go's `GOMAXPROCS(n)`. It can be
    /// called on any thread and any number of times. A task in the middle of a poll is not moved.
    ///
    /// When the number falls, idle processors are removed at once, and busy processors when their
    /// current polls return. The tasks and timers of a removed processor move to the remaining
    /// processors. No task is lost or polled twice. When the number rises, the new processors take
    /// waiting tasks. Spare processors are not counted: even after `resize(1)`, a spare processor
    /// takes over while a task blocks. The threads of removed processors exit after the [keep-alive
    /// time](crate::runtime::Builder::thread_keep_alive).
    ///
    /// After this call, the runtime no longer follows the CPU quota of the process's control group
    /// ([`Builder::follow_cpu_quota`](crate::runtime::Builder::follow_cpu_quota)). After the
    /// runtime has shut down, the call returns `Ok` and has no effect.
    ///
    /// There is no limit on how long a busy processor takes to go away, because a poll can take any
    /// time. A parallel call that has begun may keep its helpers until they are needed elsewhere.
    ///
    /// # Errors
    ///
    /// Returns an error of kind `InvalidInput` if `processors` is zero, or more than the runtime
    /// has room for: the larger of [`Builder::max_machines`](crate::runtime::Builder::max_machines)
    /// and the number of processors with which the runtime was built. Returns an error of kind
    /// `Unsupported` on a current-thread runtime, which always has one processor.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_multi_thread().worker_threads(4).build()?.block_on(async {
    /// let handle = wsrt::runtime::Handle::current();
    /// handle.resize(1)?;
    /// assert_eq!(handle.metrics().num_workers(), 1);
    /// // The tasks go on, one at a time.
    /// let tasks: Vec<_> = (0..100).map(|number| wsrt::spawn(async move { number })).collect();
    /// handle.resize(4)?;
    /// for (number, task) in tasks.into_iter().enumerate() {
    ///     assert_eq!(task.await?, number);
    /// }
    /// # std::io::Result::Ok(()) })?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn resize(&self, processors: usize) -> io::Result<()> {
        let scheduler = self.scheduler();
        if scheduler.config.flavor == RuntimeFlavor::CurrentThread {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "`resize({processors})`: a current-thread runtime has one processor, run by the thread in `block_on`"
                ),
            ));
        }
        let most = scheduler.processors.capacity();
        if processors == 0 || processors > most {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "`resize({processors})`: this runtime has from 1 to {most} processors (`Builder::max_machines` sets the most)"
                ),
            ));
        }
        scheduler.resize(processors);
        Ok(())
    }
}

/// A year: a longer recording lasts forever.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3_600);

/// Completes when the file of a recording is complete. Returned by [`Handle::trace_for`].
///
/// Returns a [`TraceSummary`], or the error that ended the recording. Dropping it ends the
/// recording.
#[derive(Debug)]
#[must_use = "dropping it ends the recording"]
pub struct Recording {
    /// The error if no recording was begun, until a poll returns it.
    outcome: Result<oneshot::Receiver<io::Result<TraceSummary>>, Option<io::Error>>,
}

impl Future for Recording {
    type Output = io::Result<TraceSummary>;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Self::Output> {
        // The recorder drops a reply unsent only when its thread has panicked.
        let failed = || io::Error::other("the recorder of the timeline has failed");
        match &mut self.outcome {
            Ok(outcome) => Pin::new(outcome).poll(context).map(|sent| sent.unwrap_or_else(|_| Err(failed()))),
            Err(error) => Poll::Ready(Err(error.take().unwrap_or_else(failed))),
        }
    }
}

impl Handle {
    /// Records a timeline of the runtime to the file at `path`, from this call on, for `duration`.
    ///
    /// The file can be opened in Perfetto (<https://ui.perfetto.dev>). An existing file is
    /// overwritten.
    ///
    /// The timeline has a track for each processor, with a slice for each poll. A slice shows the
    /// task's name or spawn location, the queue in which the task was found, and how long the task
    /// waited there. Arrows lead from the code that wakes a task to the poll that follows. Other
    /// tracks show the netpoller, each thread, and the lengths of the queues.
    ///
    /// During the recording, each poll and each wake costs some tens of nanoseconds more. If events
    /// occur faster than the recording thread can write them to the file, some events are dropped.
    /// The number of dropped events is in the summary and in the file. A runtime can record to
    /// several files at once. The recording does not need a processor, so it continues and ends on
    /// time even if all processors are stuck.
    ///
    /// # Errors
    ///
    /// Returns the operating system's error if the file cannot be created or written, or if the
    /// system refuses to create a thread. Returns an error if the runtime has shut down. The part
    /// of the file that was written by then is kept.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the recording within a few milliseconds and leaves a complete file.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let path = std::env::temp_dir().join(format!("wsrt-trace-for-{}.perfetto-trace", std::process::id()));
    /// let summary = runtime.block_on(runtime.handle().trace_for(Duration::from_millis(50), &path))?;
    /// assert_eq!(std::fs::metadata(&path)?.len(), summary.bytes);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn trace_for(&self, duration: Duration, path: impl AsRef<Path>) -> Recording {
        self.__trace_for(duration, path.as_ref(), None)
    }

    #[doc(hidden)] // For wsrt-debug: with so many CPU samples in a second of each thread's CPU time.
    pub fn __trace_for(&self, duration: Duration, path: &Path, cpu: Option<NonZeroU32>) -> Recording {
        let (scheduler, settings) = (self.scheduler(), TraceSettings { path: path.into(), cpu });
        let outcome = scheduler.observer.trace_for(scheduler.me.clone(), &settings, duration.min(LONGEST));
        Recording { outcome: outcome.map_err(Some) }
    }

    /// Writes the events that the flight recorder holds to a file, and returns the file's path.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime has no [`FlightRecorder`](crate::runtime::FlightRecorder).
    /// Returns the operating system's error if the file cannot be created or written.
    ///
    /// # Cancel safety
    ///
    /// The file is written even if the future is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, FlightRecorder};
    ///
    /// let path = std::env::temp_dir().join(format!("wsrt-flight-{}.perfetto-trace", std::process::id()));
    /// let runtime = Builder::new_multi_thread().flight_recorder(FlightRecorder::new(path)).build()?;
    /// let record = runtime.block_on(runtime.handle().write_flight_record())?;
    /// println!("open {} in Perfetto", record.display());
    /// # std::fs::remove_file(record)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write_flight_record(&self) -> impl Future<Output = io::Result<PathBuf>> + Send + use<> {
        let result = self.scheduler().observer.write_flight_record();
        async move { result.await.unwrap_or_else(|_| Err(io::Error::other("the runtime has shut down"))) }
    }
}

/// A handle is a spawner by futures-task's trait, for libraries that ask for one.
#[cfg(feature = "futures-task")]
impl Spawn for Handle {
    #[track_caller]
    fn spawn_obj(&self, future: FutureObj<'static, ()>) -> Result<(), SpawnError> {
        self.status()?;
        drop(self.spawn(future));
        Ok(())
    }

    fn status(&self) -> Result<(), SpawnError> {
        if crate::scheduler::drain::takes_work(&self.0) { Ok(()) } else { Err(SpawnError::shutdown()) }
    }
}

/// Returns the index of the processor that runs the calling code. Indices are the same as in
/// [`RuntimeMetrics`], and always less than the number of
/// processors with which the runtime was built.
///
/// Returns `None` outside tasks, in blocking jobs, on a spare processor that replaces a stuck
/// processor, and on a processor that was added when the runtime
/// [grew](crate::runtime::Handle::resize).
///
/// On a multi-thread runtime, the future passed to `block_on` does not run on a processor, so the
/// function returns `None` there. On a current-thread runtime, the future passed to
/// [`Runtime::block_on`](crate::runtime::Runtime::block_on) runs on the runtime's only processor,
/// unless another thread called `block_on` earlier and is still in it.
///
/// A task may run on another processor after each `await`.
///
/// # Examples
///
/// ```
/// use wsrt::runtime::{Builder, worker_index};
///
/// let runtime = Builder::new_current_thread().build()?;
/// assert_eq!(runtime.block_on(async { worker_index() }), Some(0));
/// assert_eq!(worker_index(), None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn worker_index() -> Option<usize> {
    Context::with(|context| {
        let context = context?;
        if context.is_in_root() {
            return context.scheduler().root_thread.is_current().then_some(0);
        }
        let index = context.with_processor(|held| held.map(|processor| processor.index()))?;
        (index < context.scheduler().processors.built()).then_some(index)
    })
}
