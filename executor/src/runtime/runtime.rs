//! The runtime: dropping it ends its tasks and threads.

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
use crate::runtime::periodic::Periodic;
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

/// A runtime: processors, the network and timers, and the threads that serve them.
///
/// # Dropping it
///
/// Every task that is not complete is dropped once, at the point where it waits, and its handle
/// returns cancelled; polls that are running end first, and so do blocking jobs that have begun:
/// the drop waits for them without limit. [`shutdown_timeout`](Runtime::shutdown_timeout) limits
/// the wait, [`shutdown_background`](Runtime::shutdown_background) does not wait. Wakers may be
/// called at any time, even afterwards: they have no effect then.
///
/// Destructors run inside the runtime, on an unspecified thread: a task that they spawn is
/// cancelled at once.
///
/// * On an ordinary thread, there is nothing more to consider.
/// * Inside a task of *another* runtime it works too, but holds up that task's processor: wrap it
///   in [`block_in_place`](crate::task::block_in_place).
/// * Inside one of its *own* tasks, blocking jobs or hooks it would wait for itself: it begins the
///   shutdown, waits for nothing, and panics to report that. So it does in the destructor of a task
///   that its end drops, where a panic of another task has begun that end:
///   [`PanicAction::ShutDown`](crate::runtime::PanicAction::ShutDown). On a current-thread runtime
///   this includes the future given to `block_on`. A further `block_on` or a guard of
///   [`enter`](Handle::enter) of any runtime in between makes no difference.
/// * In the destructor of a *thread-local* it waits as on an ordinary thread, and of the runtime's
///   own threads for the others: the calling one has left the runtime.
///
/// A thread that is in `block_on` of a current-thread runtime runs its tasks: the drop waits until
/// its poll has returned, and no longer. The future that was given to `block_on`, on either kind of
/// runtime, is not dropped: its thread continues to wait for it. Its waits for a socket of the
/// runtime return an error then, and its waits for a timer panic. The same holds for a blocking
/// job.
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
    /// Builds a multi-thread runtime with the defaults of [`Builder`].
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
        let start = |kind| on_signal::start(kind, self.handle.scheduler());
        self.dump_on_signal = match kind {
            Some(kind) => {
                let refused = format!("no thread that writes a dump on {kind}");
                Some(start(kind).inspect_err(not_built(&refused))?)
            }
            None => environment::dump_signal().and_then(|kind| {
                let ignore = |error| environment::ignore_dump_signal(format_args!("on {kind}: {error}"));
                start(kind).map_err(ignore).ok()
            }),
        };
        Ok(())
    }

    /// Returns a handle to this runtime, which can be cloned and sent anywhere.
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

    /// Runs `future` as the root of the program, while this thread waits. The root is a task like
    /// any other, and spawns and sends messages as fast. `#[wsrt::main]` calls this.
    ///
    /// The tasks that it has spawned continue when it is done, until the runtime is dropped. On a
    /// current-thread runtime this is `block_on` of a spawned task.
    ///
    /// # Panics
    ///
    /// Panics with the panic of `future`, and if the runtime is shut down before it is done.
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

    /// Polls `future` on this thread until it is ready, and returns its output.
    ///
    /// It need not be Send nor `'static`. On a multi-thread runtime it runs beside the processors,
    /// so that each message between it and a task goes from thread to thread, which costs a
    /// microsecond if the answer comes soon, and some tens once this thread sleeps:
    /// [`run`](Self::run) is faster. On a current-thread runtime this thread runs the tasks between
    /// polls of `future`, and they wait when it is done.
    ///
    /// Inside a task it works too, like a [`block_in_place`](crate::task::block_in_place). On a
    /// current-thread runtime the other tasks run inside the call then, and the futures of the
    /// thread's other `block_on`s that are not in the middle of a poll.
    ///
    /// # Panics
    ///
    /// Panics with the panic of `future`, and on a current-thread runtime if called inside a
    /// waker that the runtime itself wakes, on the thread that runs its tasks; or, with a dump, in
    /// a test of [`wsrt::test`](macro@crate::test) once no waker is left that could wake `future`
    /// or any task. Where they wait in a ring of tasks and locks, it says so once on standard error
    /// and keeps waiting: another thread may have the guard of a lock.
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

    /// Spawns a future as a task of this runtime: see [`spawn`](crate::task::spawn::spawn), which
    /// needs no runtime at hand.
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

    /// Runs a blocking closure on the blocking thread pool: see
    /// [`spawn_blocking`](crate::task::spawn_blocking).
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

    /// Returns a view of the runtime's counters and gauges: see [`Handle::metrics`].
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

    /// Makes this the current thread's runtime until the guard is dropped: see [`Handle::enter`].
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

    /// Shuts down the runtime as dropping it does, but waits no longer than `timeout`.
    ///
    /// Polls and jobs that have not returned by then continue in the background, and the rest of
    /// the runtime ends as soon as they do.
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

    /// Shuts down the runtime as dropping it does, but without waiting. Works anywhere, even inside
    /// its own tasks.
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
