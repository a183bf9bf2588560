//! The runtime. Dropping the runtime ends its tasks and threads.

use std::future::Future;
use std::io;
use std::panic::{Location, RefUnwindSafe, UnwindSafe, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::blocking::jobs;
use crate::local::beside::SetAside;
#[cfg(all(unix, feature = "signal"))]
use crate::runtime::dump::on_signal;
use crate::runtime::schedtrace::Periodic;
use crate::runtime::{Builder, EnterGuard, Handle, RuntimeMetrics, environment, schedtrace};
use crate::scheduler::block_on::block_on_unwatched;
use crate::scheduler::context::Role;
use crate::scheduler::simulation::Simulation;
use crate::scheduler::worker::start::start_machines;
use crate::scheduler::{Context, RuntimeFlavor, Scheduler, shutdown};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::{SignalThread, unix::SignalKind};
use crate::sysmon::watcher;
use crate::task::JoinHandle;
use crate::task::large::boxed_if_large;
use crate::util::report::not_built;
use crate::util::sync;

/// An async runtime: processors that run tasks, the network poller, timers, and the threads for
/// them.
///
/// Most programs use `#[wsrt::main]`. [`Runtime::new`] or a [`Builder`] create a runtime by hand.
///
/// # Dropping it
///
/// Dropping a runtime drops every task that is not complete exactly once, at the `await` where the
/// task waits. Join handles of dropped tasks return a cancelled error. Polls that are running and
/// blocking jobs that have begun are not interrupted: the drop waits for them to return, without a
/// time limit. [`shutdown_timeout`](Runtime::shutdown_timeout) waits for a limited time, and
/// [`shutdown_background`](Runtime::shutdown_background) does not wait at all. Wakers of the
/// runtime's tasks may be called at any time, even after the drop, when they have no effect.
///
/// The destructors of the tasks run inside the runtime, on an unspecified thread. A task that a
/// destructor spawns is cancelled at once.
///
/// * On an ordinary thread, a runtime can be dropped without further precautions.
/// * Inside a task of *another* runtime, the drop works too, but blocks that task's processor. Wrap
///   the drop in [`block_in_place`](crate::task::block_in_place).
/// * Inside one of the runtime's *own* tasks, blocking jobs or hooks, the drop would wait for
///   itself. Instead, it begins the shutdown, does not wait, and panics to report the mistake. The
///   drop also panics in the destructor of a task that is dropped because another task's panic shut
///   the runtime down ([`PanicAction::ShutDown`](crate::runtime::PanicAction::ShutDown)). On a
///   current-thread runtime, the future passed to `block_on` counts as a task of the runtime. A
///   nested `block_on`, or a guard of [`enter`](Handle::enter) of any runtime, makes no difference.
/// * In the destructor of a *thread-local*, the drop waits as on an ordinary thread. On one of the
///   runtime's own threads, the drop waits for the runtime's other threads, because the calling
///   thread has already left the runtime.
///
/// A thread in `block_on` of a current-thread runtime runs the runtime's tasks. If another thread
/// drops the runtime, the drop waits until the current poll on that thread returns, and no longer.
/// The future passed to `block_on` is not dropped on either kind of runtime: its thread continues
/// to wait for the future. From then on, the future's operations on the runtime's sockets return an
/// error, and its waits for timers panic. The same applies to blocking jobs.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let answer = runtime.run(async {
///     let parts = [wsrt::spawn(async { 40 }), wsrt::spawn(async { 2 })];
///     let mut sum = 0;
///     for part in parts {
///         sum += part.await.expect("no part panics");
///     }
///     sum
/// });
/// assert_eq!(answer, 42);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Runtime {
    /// Ended last: dumps show, among other things, the tasks that keep a runtime from ending. But
    /// ended before the handle is dropped, for signals that have come must still be answered.
    #[cfg(all(unix, feature = "signal"))]
    dump_on_signal: Option<SignalThread>,
    handle: Handle,
    schedtrace: Option<Periodic>,
    ending: Ending,
}

// For the reason of its handle: a panic that is caught beside it leaves nothing half changed.
impl UnwindSafe for Runtime {}
impl RefUnwindSafe for Runtime {}

/// How long dropping the runtime waits.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Unlimited,
    Within(Duration),
    Background,
}

impl Runtime {
    /// Creates a multi-thread runtime with the default options of [`Builder`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Builder::build`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// assert_eq!(runtime.block_on(async { 1 + 1 }), 2);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new() -> io::Result<Self> {
        Builder::new_multi_thread().enable_all().build()
    }

    pub(super) fn new_stopped(scheduler: Arc<Scheduler>) -> Self {
        Self {
            handle: Handle::new(scheduler),
            schedtrace: None,
            ending: Ending::Unlimited,
            #[cfg(all(unix, feature = "signal"))]
            dump_on_signal: None,
        }
    }

    pub(super) fn start(&mut self) -> io::Result<()> {
        let scheduler = self.handle.scheduler();
        if scheduler.simulation.is_some() {
            return Ok(());
        }
        let entered = Arc::downgrade(scheduler);
        let enter = move || Some(Context::enter(&entered.upgrade()?, Role::External));
        scheduler.tokio.start(&scheduler.config.tokio, enter)?;
        if scheduler.config.flavor == RuntimeFlavor::MultiThread {
            start_machines(scheduler)?;
            watcher::start(scheduler)?;
        }
        if let Some(settings) = environment::schedtrace() {
            let thread = schedtrace::start(scheduler, settings);
            self.schedtrace = Some(thread.inspect_err(not_built("no thread for the trace of WSRT_SCHEDTRACE"))?);
        }
        Ok(())
    }

    /// Writes dumps on the signal `kind`, or on the signal that the environment names, if any. An
    /// invalid value in the environment does not keep a program from running.
    #[cfg(all(unix, feature = "signal"))]
    pub(super) fn dump_on(&mut self, kind: Option<SignalKind>) -> io::Result<()> {
        let start = |kind, with_chains| on_signal::start(kind, with_chains, self.handle.scheduler());
        self.dump_on_signal = match kind {
            Some(kind) => {
                let refused = format!("no thread that writes a dump on {kind}");
                Some(start(kind, false).inspect_err(not_built(&refused))?)
            }
            None => environment::dump_signal().and_then(|(kind, with_chains)| {
                let ignore = |error| environment::ignore_dump_signal(format_args!("on {kind}: {error}"));
                start(kind, with_chains).map_err(ignore).ok()
            }),
        };
        Ok(())
    }

    /// Returns a handle to this runtime. The handle can be cloned and sent to other threads.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let handle = runtime.handle().clone();
    /// let thread = std::thread::spawn(move || handle.block_on(async { 7 }));
    /// assert_eq!(thread.join().expect("it does not panic"), 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs `future` as the program's root task, blocks the current thread until the task
    /// completes, and returns its output.
    ///
    /// The root task runs on a processor like any other task, so spawning tasks and sending
    /// messages to them is as fast as between any two tasks. `#[wsrt::main]` calls this method.
    ///
    /// Tasks that the root task has spawned keep running after `run` returns, until the runtime is
    /// dropped. On a current-thread runtime, `run` is equivalent to `block_on` of a spawned task.
    ///
    /// # Panics
    ///
    /// If `future` panics, this method panics with the same payload. Panics if the runtime is shut
    /// down before `future` completes.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// assert!(runtime.run(async { wsrt::task::try_id().is_some() }));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn run<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (set, root) = (SetAside::take(), pin!(self.spawn(future)));
        match block_on_unwatched(self.handle.scheduler(), set.around(root)) {
            Ok(output) => output,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(error) => match self.handle.scheduler().observer.hooked.fatal_panic() {
                    Some(reason) => panic!("wsrt: the runtime was shut down by its hook of `on_task_panic`: {reason}"),
                    None => panic!("wsrt: the root future did not complete: {error}"),
                },
            },
        }
    }

    /// Runs `future` on the current thread until it completes, and returns its output.
    ///
    /// `future` need not be `Send` or `'static`. On a multi-thread runtime, `future` runs on the
    /// calling thread and not on a processor, so each message between `future` and a task crosses
    /// threads. A message costs about a microsecond if the reply comes quickly, and tens of
    /// microseconds once this thread sleeps. [`run`](Self::run) is faster. On a current-thread
    /// runtime, the calling thread runs the runtime's tasks between polls of `future`; the tasks
    /// stop making progress when `block_on` returns.
    ///
    /// `block_on` can also be called inside a task, where it behaves like
    /// [`block_in_place`](crate::task::block_in_place). On a current-thread runtime, such a call
    /// runs the other tasks meanwhile, and polls the futures of the thread's outer `block_on` calls
    /// unless they are in the middle of a poll.
    ///
    /// # Panics
    ///
    /// If `future` panics, this method panics with the same payload. On a current-thread runtime,
    /// panics if called on the thread that runs the tasks, inside a waker that the runtime itself
    /// wakes.
    ///
    /// In a test of [`wsrt::test`](macro@crate::test), panics with a dump once no waker is left
    /// that could wake `future` or any task. If the tasks wait for each other's locks in a cycle,
    /// `block_on` instead reports the cycle once on standard error and keeps waiting, because
    /// another thread may hold one of the guards.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let text = String::from("borrowed");
    /// assert_eq!(runtime.block_on(async { text.len() }), 8);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg_attr(feature = "console", track_caller)]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let scheduler = self.handle.scheduler();
        let is_driver = scheduler.config.flavor == RuntimeFlavor::CurrentThread;
        let _root = is_driver.then(|| scheduler.root_thread.enter());
        self.handle.block_on(future)
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
    /// let task = runtime.spawn(async { 1 + 1 });
    /// assert_eq!(runtime.block_on(task)?, 2);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        boxed_if_large!(F, future => self.handle.scheduler().spawn(future, Location::caller()))
    }

    /// Spawns a future as a background task of this runtime, and returns a handle to the task's
    /// result. [`spawn_background`](crate::task::spawn_background) describes how such tasks run.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let index = runtime.spawn_background(async { 1 + 1 });
    /// assert_eq!(runtime.block_on(index)?, 2);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_background<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        boxed_if_large!(F, future => self.handle.scheduler().spawn_background(future, Location::caller()))
    }

    /// Runs a blocking closure on this runtime's blocking thread pool, and returns a handle to its
    /// result. [`spawn_blocking`](crate::task::spawn_blocking) describes how such jobs run.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let job = runtime.spawn_blocking(|| std::fs::metadata("."));
    /// assert!(runtime.block_on(job)??.is_dir());
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn spawn_blocking<F, T>(&self, job: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        jobs::spawn_blocking(self.handle.scheduler(), job, Location::caller())
    }

    /// Returns a view of the runtime's counters and gauges, equivalent to [`Handle::metrics`].
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// assert!(runtime.metrics().snapshot().total().poll_count() >= 1);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn metrics(&self) -> RuntimeMetrics {
        self.handle.metrics()
    }

    /// Enters the runtime: makes it the current thread's runtime until the guard is dropped.
    /// [`Handle::enter`] has the details.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let _entered = runtime.enter();
    /// let task = wsrt::spawn(async { 7 });
    /// assert_eq!(runtime.block_on(task)?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn enter(&self) -> EnterGuard<'_> {
        self.handle.enter()
    }

    /// Shuts down the runtime in the same way as dropping it, but waits for at most `timeout`.
    ///
    /// Polls and blocking jobs that have not returned by then continue in the background. The rest
    /// of the runtime ends as soon as they return.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.spawn_blocking(|| std::thread::sleep(Duration::from_secs(3600)));
    /// runtime.shutdown_timeout(Duration::from_millis(10));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn shutdown_timeout(mut self, timeout: Duration) {
        self.ending = Ending::Within(timeout);
    }

    /// Shuts down the runtime in the same way as dropping it, but does not wait for running polls
    /// and blocking jobs. This method can be called anywhere, even inside the runtime's own tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.spawn_blocking(|| std::thread::sleep(std::time::Duration::from_millis(5)));
    /// // Does not wait for the job.
    /// runtime.shutdown_background();
    /// # std::io::Result::Ok(())
    /// ```
    pub fn shutdown_background(mut self) {
        self.ending = Ending::Background;
    }

    /// Waits for the end, where that is possible. Returns `false` if it continues in the
    /// background.
    fn wait(&self, deadline: Option<Instant>) -> bool {
        !self.is_own_thread() && shutdown::wait(self.handle.scheduler(), deadline)
    }

    fn is_own_thread(&self) -> bool {
        let scheduler = self.handle.scheduler();
        let drives = scheduler.simulation.as_ref().is_some_and(Simulation::is_driven_here);
        drives || Context::is_awaited_by(Arc::as_ptr(scheduler))
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        drop(self.schedtrace.take());
        let scheduler = self.handle.scheduler();
        shutdown::begin(scheduler);
        let deadline = match self.ending {
            Ending::Unlimited | Ending::Background => None,
            // A timeout that the clock cannot count is no limit.
            Ending::Within(timeout) => sync::now().checked_add(timeout),
        };
        let is_to_wait = !matches!(self.ending, Ending::Background);
        if is_to_wait && self.wait(deadline) {
            scheduler.tokio.shut_down(deadline);
        } else {
            let ending = Arc::clone(scheduler);
            scheduler.tokio.shut_down_later(move || _ = shutdown::wait(&ending, None));
        }
        scheduler.observer.finish_timeline();
        if is_to_wait && self.is_own_thread() && !std::thread::panicking() {
            panic!(
                "wsrt: a runtime was dropped inside one of its own tasks or blocking jobs, where waiting for it to end would \
                 never end; it shuts down in the background. Drop it outside, or call `shutdown_background`"
            );
        }
    }
}
