//! The builder: every option of a runtime.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wsrt_reactor::EventsPerTurn;

use crate::observe::task_hooks::TaskHooks;
use crate::runtime::FlightRecorder;
use crate::runtime::dump::no_progress;
use crate::scheduler::core::limits::{EVENT_INTERVAL, GLOBAL_QUEUE_INTERVAL};
use crate::scheduler::{Config, RuntimeFlavor};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::SignalKind;
use crate::tokio_compat::Choice;

/// Sets the options of a runtime, and builds it.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Builder::new_multi_thread()
///     .worker_threads(2)
///     .thread_name("my-server")
///     .build()?;
/// assert_eq!(runtime.block_on(async { 1 + 1 }), 2);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    /// `processors` and `stall_threshold` are set by `config`, which may read the environment for
    /// them.
    pub(crate) config: Config,
    pub(super) worker_threads: Option<usize>,
    pub(super) start_paused: bool,
    pub(super) latency_histograms: bool,
    pub(super) task_stats: Option<bool>,
    #[cfg(all(unix, feature = "signal"))]
    pub(super) dump_signal: Option<SignalKind>,
    pub(super) trace: Option<PathBuf>,
    pub(super) flight_recorder: Option<FlightRecorder>,
}

impl Builder {
    fn new(flavor: RuntimeFlavor) -> Self {
        let config = Config {
            flavor,
            processors: 1,
            follows_quota: true,
            name: None,
            thread_name: Arc::new(|| "wsrt-machine".to_owned()),
            thread_stack_size: None,
            max_blocking_threads: 512,
            thread_keep_alive: Duration::from_secs(10),
            on_thread_start: None,
            on_thread_stop: None,
            on_thread_park: None,
            on_thread_unpark: None,
            max_machines: 512,
            stall_threshold: None,
            on_stall: None,
            task_hooks: TaskHooks::default(),
            global_queue_interval: GLOBAL_QUEUE_INTERVAL,
            has_io: true,
            has_time: true,
            event_interval: EVENT_INTERVAL,
            events_per_turn: EventsPerTurn::default(),
            tokio: Choice::default(),
            home: None,
            is_test: false,
            no_progress,
            simulation: None,
        };
        Self {
            config,
            worker_threads: None,
            start_paused: false,
            latency_histograms: false,
            task_stats: None,
            #[cfg(all(unix, feature = "signal"))]
            dump_signal: None,
            trace: None,
            flight_recorder: None,
        }
    }

    /// Creates a builder for a runtime with several worker threads, which steal tasks from each
    /// other.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().build()?;
    /// assert_eq!(runtime.block_on(runtime.spawn(async { 7 }))?, 7);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new_multi_thread() -> Self {
        Self::new(RuntimeFlavor::MultiThread)
    }

    /// Creates a builder for a runtime without worker threads: its tasks run on the thread that is
    /// in [`Runtime::block_on`](crate::runtime::Runtime::block_on), and wait while no thread is.
    ///
    /// For tests, for futures that are not Send (see [`spawn_local`](crate::task::spawn_local)),
    /// and for programs that should use a single core. Blocking jobs have their own threads here
    /// too.
    ///
    /// Tasks run in the order in which they were spawned and woken, wherever the wakes come from:
    /// each goes behind all that wait. The tasks that one poll of the network, or one check of the
    /// timers, finds ready are woken together, timers in the order of their deadlines, and tasks of
    /// one deadline in the order in which they were set.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_current_thread().build()?;
    /// let same = std::thread::current().id();
    /// assert_eq!(runtime.block_on(runtime.spawn(async { std::thread::current().id() }))?, same);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new_current_thread() -> Self {
        Self::new(RuntimeFlavor::CurrentThread)
    }

    /// Says that the runtime runs one test, for `#[wsrt::test]`: the test fails when its future has
    /// no waker left, and no task can continue.
    #[doc(hidden)]
    pub fn __in_test(&mut self) -> &mut Self {
        self.config.is_test = true;
        self
    }

    /// Builds without I/O and timers until they are asked for, for the package `tokio` of this
    /// repository.
    #[doc(hidden)]
    pub fn __without_drivers(&mut self) -> &mut Self {
        (self.config.has_io, self.config.has_time) = (false, false);
        self
    }

    /// Sets the number of processors of a multi-thread runtime: how many tasks may run at the same
    /// time.
    ///
    /// The default is the environment variable `WSRT_WORKER_THREADS`, and without it as many as the
    /// process's CPU affinity and its control group's quota allow, which is
    /// [followed](Self::follow_cpu_quota) from then on. A number that is set is changed by
    /// [`Handle::resize`](crate::runtime::Handle::resize) alone. A current-thread runtime
    /// ignores it and has one. [`build`](Self::build) returns an error for more than 4096.
    ///
    /// # Panics
    ///
    /// Panics if `count` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().worker_threads(4).build()?;
    /// assert_eq!(runtime.metrics().num_workers(), 4);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn worker_threads(&mut self, count: usize) -> &mut Self {
        assert!(count > 0, "wsrt: `worker_threads(0)`: a runtime needs at least one processor to run tasks on");
        self.worker_threads = Some(count);
        self
    }

    /// Sets whether the number of processors changes with the quota of the process's control group
    /// (`cpu.max`, or `cpu.cfs_quota_us` in version 1) while the runtime runs. The default is that
    /// it does, unless [`worker_threads`](Self::worker_threads) or `WSRT_WORKER_THREADS` has set
    /// it, and until [`Handle::resize`](crate::runtime::Handle::resize) does.
    ///
    /// The number is the one with which a runtime would begin now: whole cores, and one at least.
    /// The quota is read once a second at most, and not while all processors are idle, so that a
    /// runtime at rest is not woken for it. A smaller number counts at once, a larger one after
    /// three readings. A change of the CPU affinity of all threads is followed as well.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().follow_cpu_quota(false).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn follow_cpu_quota(&mut self, follows: bool) -> &mut Self {
        self.config.follows_quota = follows;
        self
    }

    /// Names the runtime, for [`Handle::name`](crate::runtime::Handle::name). The default is no
    /// name. Names need not be unique.
    ///
    /// # Panics
    ///
    /// Panics if the name is empty or blank.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().name("requests").build()?;
    /// assert_eq!(runtime.handle().name(), Some("requests"));
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        assert!(!name.trim().is_empty(), "wsrt: `name({name:?})`: a runtime has a name that can be read, or none");
        self.config.name = Some(name.into());
        self
    }

    /// Limits the threads that run tasks, and the processors in play when polls are stuck. The
    /// default is 512.
    ///
    /// While a poll blocks its thread, a spare processor runs the other tasks on another thread.
    /// For polls that use CPU time, as many spares are added as there are worker threads. A thread
    /// that blocks in [`Handle::block_on`] inside a task counts as well. At the limit, which is
    /// reported once on standard error, other tasks wait; if the blocked tasks wait for them, they
    /// wait forever. A number below the number of worker threads means that number, and no spares.
    /// There are never more than 16,384 processors, even if the limit is higher.
    ///
    /// [`Handle::block_on`]: crate::runtime::Handle::block_on
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_machines(64).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn max_machines(&mut self, count: usize) -> &mut Self {
        self.config.max_machines = count;
        self
    }

    /// Keeps statistics of each task, for [dumps](crate::runtime::Handle::dump): its age, how often
    /// and for how long it was polled, when it was last woken. The default is the environment
    /// variable `WSRT_TASK_STATS`, which is 1 or 0, and off without it.
    ///
    /// Each poll reads the clock twice then, and each task takes one more allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::runtime::{Builder, Handle};
    ///
    /// let runtime = Builder::new_multi_thread().task_stats(true).build()?;
    /// runtime.run(async {
    ///     let dump = Handle::current().dump();
    ///     let own = dump.tasks().iter().find(|task| task.id() == wsrt::task::id()).expect("it is live");
    ///     assert_eq!(own.stats().expect("they are kept").polls(), 1);
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn task_stats(&mut self, are_kept: bool) -> &mut Self {
        self.task_stats = Some(are_kept);
        self
    }

    /// Writes a [dump](crate::runtime::Handle::dump) of the runtime on standard error each time
    /// that a signal comes, until the runtime has been shut down. Its own thread does so, even
    /// if every processor is stuck. The default is the environment variable `WSRT_DUMP_SIGNAL`, the
    /// name of a signal such as `SIGUSR2`, and off without it.
    ///
    /// Signals that come while a dump is written count as one. The signal loses its default effect,
    /// for the life of the process. [`build`](Self::build) returns an error for a signal that a
    /// program cannot handle.
    ///
    /// # Examples
    ///
    /// A program that dumps its tasks on `kill -USR2`:
    ///
    /// ```
    /// use wsrt::signal::unix::SignalKind;
    ///
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .dump_on_signal(SignalKind::user_defined2())
    ///     .task_stats(true)
    ///     .build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(all(unix, feature = "signal"))]
    pub fn dump_on_signal(&mut self, kind: SignalKind) -> &mut Self {
        self.dump_signal = Some(kind);
        self
    }

    /// Pauses the clock of a current-thread runtime from the start, as if
    /// [`time::pause`](crate::time::pause) had been called first of all. For tests.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, sleep};
    ///
    /// let runtime = wsrt::runtime::Builder::new_current_thread().start_paused(true).build()?;
    /// runtime.block_on(async {
    ///     let began = Instant::now();
    ///     sleep(Duration::from_secs(3_600)).await;
    ///     assert_eq!(began.elapsed(), Duration::from_secs(3_600));
    /// });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn start_paused(&mut self, start_paused: bool) -> &mut Self {
        self.start_paused = start_paused;
        self
    }

    /// Samples how long tasks wait to be run, from the moment they are runnable, and how long their
    /// polls take, for [`ProcessorMetrics::schedule_latency`] and [`poll_time`]. The
    /// default is off, which costs nothing; [`Handle::set_latency_histograms`] changes it while the
    /// runtime runs.
    ///
    /// One poll in eight is sampled, chosen at random when its task becomes runnable. That takes
    /// one read of the clock then and two at the poll, and a lookup in a table at each poll. The
    /// table has room for 1024 samples under way: with more than some thousand runnable tasks,
    /// fewer are taken. A task that became runnable before this was switched on is not in the
    /// sample; one that has waited for more than a minute may not be.
    ///
    /// [`ProcessorMetrics::schedule_latency`]: crate::runtime::ProcessorMetrics::schedule_latency
    /// [`poll_time`]: crate::runtime::ProcessorMetrics::poll_time
    /// [`Handle::set_latency_histograms`]: crate::runtime::Handle::set_latency_histograms
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().latency_histograms(true).build()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// println!("{:?}", runtime.metrics().snapshot().total().poll_time().quantile(0.99));
    /// # std::io::Result::Ok(())
    /// ```
    pub fn latency_histograms(&mut self, on: bool) -> &mut Self {
        self.latency_histograms = on;
        self
    }

    /// Records the timeline of the whole run to the file at `path`, which Perfetto opens
    /// (<https://ui.perfetto.dev>): see [`Handle::trace_for`](crate::runtime::Handle::trace_for)
    /// for its content. An existing file is overwritten.
    ///
    /// The default is the environment variable `WSRT_TRACE`, and without it no recording. Where a
    /// process has several runtimes, the variable names the file of the first; the second adds `-2`
    /// before its extension, and so on. A file that cannot be made or written is reported once on
    /// standard error, and the program keeps running. The file is complete when the runtime is
    /// dropped; if the process ends before, it can be read as far as it was written.
    ///
    /// # Examples
    ///
    /// ```
    /// let path = std::env::temp_dir().join(format!("wsrt-builder-{}.perfetto-trace", std::process::id()));
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().trace(&path).build()?;
    /// runtime.run(async { wsrt::task::yield_now().await });
    /// drop(runtime);
    /// assert!(std::fs::metadata(&path)?.len() > 0);
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn trace(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.trace = Some(path.into());
        self
    }

    /// Keeps the last seconds of the timeline in memory, and writes them on certain
    /// events: see [`FlightRecorder`].
    pub fn flight_recorder(&mut self, recorder: FlightRecorder) -> &mut Self {
        self.flight_recorder = Some(recorder);
        self
    }

    /// Does nothing: network and timers are always there. For programs written for tokio.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().enable_all().build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn enable_all(&mut self) -> &mut Self {
        self.enable_io().enable_time()
    }

    /// Does nothing: the network is always there. For programs written for tokio.
    pub fn enable_io(&mut self) -> &mut Self {
        self.config.has_io = true;
        self
    }

    /// Does nothing: timers are always there. For programs written for tokio.
    pub fn enable_time(&mut self) -> &mut Self {
        self.config.has_time = true;
        self
    }
}
