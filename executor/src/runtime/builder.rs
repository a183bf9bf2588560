//! The runtime builder, with every option that a runtime has.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use wsrt_reactor::EventsPerTurn;

use crate::observe::task_hooks::TaskHooks;
use crate::runtime::dump::no_progress;
use crate::runtime::patrol::patrol;
use crate::runtime::{FlightRecorder, TraceDirectory};
use crate::scheduler::core::limits::{BACKGROUND_SHARE, INTERVAL};
use crate::scheduler::{Config, RuntimeFlavor};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::SignalKind;
use crate::sysmon::stall::FindingHooks;
use crate::tokio_compat::Choice;

/// Configures a runtime and builds it.
///
/// Each method sets one option. Options that are not set keep their defaults.
/// [`build`](Self::build) creates the runtime and starts its threads.
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
    /// `processors`, `max_machines` and `stall_threshold` are set by `config`, which may read the
    /// environment for them.
    pub(crate) config: Config,
    pub(super) worker_threads: Option<usize>,
    pub(super) start_paused: bool,
    pub(super) max_machines: Option<usize>,
    pub(super) latency_histograms: Option<bool>,
    pub(super) site_polls: Option<bool>,
    pub(super) name_polls: Option<bool>,
    pub(super) task_stats: Option<bool>,
    #[cfg(all(unix, feature = "signal"))]
    pub(super) dump_signal: Option<SignalKind>,
    pub(super) trace: Option<PathBuf>,
    pub(super) trace_directory: Option<TraceDirectory>,
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
            findings: FindingHooks::default(),
            task_hooks: TaskHooks::default(),
            global_queue_interval: INTERVAL,
            background_share: BACKGROUND_SHARE,
            has_io: true,
            has_time: true,
            #[cfg(feature = "drop-in")]
            shown_histograms: Default::default(),
            event_interval: INTERVAL,
            events_per_turn: EventsPerTurn::default(),
            tokio: Choice::default(),
            home: None,
            is_test: false,
            longest_poll: None,
            reports_orphans: true,
            no_progress,
            patrol,
            simulation: None,
        };
        Self {
            config,
            worker_threads: None,
            start_paused: false,
            max_machines: None,
            latency_histograms: None,
            site_polls: None,
            name_polls: None,
            task_stats: None,
            #[cfg(all(unix, feature = "signal"))]
            dump_signal: None,
            trace: None,
            trace_directory: None,
            flight_recorder: None,
        }
    }

    /// Creates a builder for a multi-thread runtime, whose worker threads run and steal tasks in
    /// parallel.
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

    /// Creates a builder for a current-thread runtime, which has no worker threads. Tasks run on
    /// the thread that calls [`Runtime::block_on`](crate::runtime::Runtime::block_on), and make no
    /// progress while no thread is in `block_on`.
    ///
    /// A current-thread runtime suits tests, futures that are not `Send` (see
    /// [`spawn_local`](crate::task::spawn_local)), and programs that should use a single core.
    /// Blocking jobs still run on separate threads.
    ///
    /// Tasks run in the order in which they were spawned or woken, whichever thread wakes them: a
    /// woken task goes to the back of the queue. Tasks that become ready in the same poll of the
    /// network, or in the same check of the timers, are woken together. Timers fire in the order of
    /// their deadlines, and timers with equal deadlines fire in the order in which they were set.
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

    /// Tells the runtime that it runs a single test, for `#[wsrt::test]`. The test fails when no
    /// waker of its future is left and no task can continue, or when it leaves orphans.
    #[doc(hidden)]
    pub fn __in_test(&mut self) -> &mut Self {
        self.config.is_test = true;
        self
    }

    /// Makes the test fail if a poll takes longer than `limit`, for `#[wsrt::test]`.
    #[doc(hidden)]
    pub fn __longest_poll(&mut self, limit: Duration) -> &mut Self {
        self.config.longest_poll = Some(limit);
        self
    }

    /// Builds the runtime without I/O and timers until they are enabled, for the package `tokio`.
    #[doc(hidden)]
    pub fn __without_drivers(&mut self) -> &mut Self {
        (self.config.has_io, self.config.has_time) = (false, false);
        self
    }

    /// Sets the number of processors of a multi-thread runtime: how many tasks can run at the same
    /// time.
    ///
    /// By default, the number comes from the environment variable `WSRT_WORKER_THREADS`. If it is
    /// not set, the runtime uses as many processors as CPU affinity and the control group's CPU
    /// quota allow, and [follows](Self::follow_cpu_quota) changes of both. A number set here or by
    /// the variable changes only when [`Handle::resize`](crate::runtime::Handle::resize) is called.
    /// A current-thread runtime ignores this option and always has one processor.
    /// [`build`](Self::build) returns an error for more than 4096 processors.
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

    /// Sets whether a running runtime adapts its number of processors to the CPU quota of the
    /// process's control group (`cpu.max`, or `cpu.cfs_quota_us` in version 1).
    ///
    /// By default the runtime follows the quota unless [`worker_threads`](Self::worker_threads) or
    /// `WSRT_WORKER_THREADS` sets the number of processors, and until
    /// [`Handle::resize`](crate::runtime::Handle::resize) is called.
    ///
    /// The runtime uses the same number that a new runtime would choose at that moment: the quota
    /// in whole cores, and at least one. The quota is read at most once a second. It is not read
    /// while all processors are idle, so that an idle runtime is not woken only to read the quota.
    /// The runtime shrinks after one reading of a smaller quota, and grows after three readings of
    /// a larger one. A change of the CPU affinity of all threads is followed in the same way.
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

    /// Sets the name that [`Handle::name`](crate::runtime::Handle::name) returns. By default a
    /// runtime has no name. Several runtimes may have the same name.
    ///
    /// # Panics
    ///
    /// Panics if the name is empty or consists of white space only.
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

    /// Limits the number of threads that run tasks, and with it the number of processors in use
    /// while polls are stuck. The default is the environment variable `WSRT_MAX_MACHINES`, and 512
    /// if it is not set.
    ///
    /// While a poll blocks its thread, a spare processor runs the other tasks on another thread. If
    /// polls keep the CPU busy instead of sleeping, the runtime adds at most as many spare
    /// processors as it has worker threads. A thread that blocks in [`Handle::block_on`] inside a
    /// task also counts toward the limit.
    ///
    /// When the limit is reached, the runtime reports this once on standard error, and the other
    /// tasks wait. If the blocked tasks in turn wait for those tasks, the program deadlocks. A
    /// limit below the number of worker threads is raised to that number, and allows no spare
    /// processors. A runtime never has more than 16,384 processors, even with a higher limit.
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
        self.max_machines = Some(count);
        self
    }

    /// Sets whether the runtime keeps statistics for each task: its age, the number and durations
    /// of its polls, and the time of its last wake. [Dumps](crate::runtime::Handle::dump) show
    /// them.
    ///
    /// The default is the environment variable `WSRT_TASK_STATS`, 1 or 0, and off if it is not set.
    ///
    /// With statistics, each poll reads the clock twice, and each task needs one more allocation.
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

    /// Writes a [dump](crate::runtime::Handle::dump) of the runtime to standard error each time the
    /// process receives the signal `kind`, until the runtime has shut down.
    ///
    /// A dedicated thread writes the dump, so it appears even if every processor is stuck. The
    /// default is the signal named by the environment variable `WSRT_DUMP_SIGNAL`, such as
    /// `SIGUSR2`, and no signal if the variable is not set. `WSRT_DUMP_SIGNAL=SIGUSR2,chains`
    /// writes dumps [with await chains](crate::runtime::Handle::dump_with_chains), for which the
    /// thread waits for a worker for up to a second.
    ///
    /// Signals that arrive while a dump is being written cause a single further dump. The signal
    /// loses its default effect for the rest of the process's life. [`build`](Self::build) returns
    /// an error if programs cannot handle the signal.
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

    /// Sets whether the clock of a current-thread runtime is paused from the start, as if
    /// [`time::pause`](crate::time::pause) were called before anything else. Intended for tests.
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

    /// Sets whether the runtime samples how long runnable tasks wait until they are polled
    /// ([`ProcessorMetrics::schedule_latency`]) and how long polls take ([`poll_time`]).
    ///
    /// The default is the environment variable `WSRT_LATENCY_HISTOGRAMS`, 1 or 0, and off if it is
    /// not set, which costs nothing. [`Handle::set_latency_histograms`] switches
    /// sampling on or off while the runtime runs.
    ///
    /// The runtime samples one poll in eight, chosen at random when the task becomes runnable. A
    /// sampled poll costs three reads of the clock, and every poll costs a lookup in a table. The
    /// table has room for 1024 pending samples, so fewer polls are sampled when thousands of tasks
    /// are runnable. A task that became runnable before sampling was switched on is not sampled. A
    /// task that waits for more than a minute may be missing from the samples.
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
        self.latency_histograms = Some(on);
        self
    }

    /// Sets whether the runtime measures the polls of the tasks of each spawn site, for
    /// [`Metrics::polls_by_site`](crate::runtime::Metrics::polls_by_site).
    ///
    /// The default is the environment variable `WSRT_SITE_POLLS`, 1 or 0, and off if it is not set.
    /// [`Handle::set_site_polls`](crate::runtime::Handle::set_site_polls) switches the measurement
    /// on or off while the runtime runs.
    ///
    /// Each poll then reads the clock twice and looks its site up in a table of the processor,
    /// which costs some 150 ns. Each site takes some 2.5 kB for each processor
    /// that has run its tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().site_polls(true).build()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// let metrics = runtime.metrics().snapshot();
    /// let slowest = metrics.polls_by_site().iter().max_by_key(|site| site.longest_poll());
    /// println!("the longest poll was of a task spawned at {:?}", slowest.map(|site| site.spawned_at()));
    /// # std::io::Result::Ok(())
    /// ```
    pub fn site_polls(&mut self, on: bool) -> &mut Self {
        self.site_polls = Some(on);
        self
    }

    /// Sets whether the runtime measures the polls of the tasks of each name, for
    /// [`Metrics::polls_by_name`](crate::runtime::Metrics::polls_by_name). Tasks without a name are
    /// not measured.
    ///
    /// The default is the environment variable `WSRT_NAME_POLLS`, 1 or 0, and off if it is not set.
    /// [`Handle::set_name_polls`](crate::runtime::Handle::set_name_polls) switches the measurement
    /// on or off while the runtime runs. A poll of a task that has a name then costs as much more
    /// as with [`site_polls`](Self::site_polls). Names should be few: each is a series in
    /// Prometheus.
    pub fn name_polls(&mut self, on: bool) -> &mut Self {
        self.name_polls = Some(on);
        self
    }

    /// Records a timeline of the whole run to the file at `path`, which can be opened in Perfetto
    /// (<https://ui.perfetto.dev>). An existing file is overwritten.
    /// [`Handle::trace_for`](crate::runtime::Handle::trace_for) describes what the timeline shows.
    ///
    /// The default path is the environment variable `WSRT_TRACE`, which may also ask for CPU
    /// samples (`run.perfetto-trace,cpu=99`, for 99 in a second). If it is not set, nothing is
    /// recorded. If a process has several runtimes, the first runtime records to the file that the
    /// variable names, the second adds `-2` before the file's extension, and so on.
    ///
    /// If the file cannot be created or written, the runtime reports the error once on standard
    /// error and keeps running. The file is complete once the runtime has been dropped. If the
    /// process exits earlier, the part that was written so far can still be read.
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

    /// Records a timeline of the whole run to segments in a directory, of which the oldest are
    /// deleted: for programs that run for long. [`TraceDirectory`] has the limits.
    ///
    /// The default is the environment variable `WSRT_TRACE_DIR`: a directory, optionally followed
    /// by limits, as in `traces,60s,1G`.
    ///
    /// If a file cannot be written, the runtime reports the error once on standard error, keeps
    /// running, and tries again from time to time.
    pub fn trace_directory(&mut self, directory: TraceDirectory) -> &mut Self {
        self.trace_directory = Some(directory);
        self
    }

    /// Keeps the last seconds of the timeline in memory, and writes them to a file when something
    /// goes wrong. [`FlightRecorder`] has the options for both.
    ///
    /// The default is the environment variable `WSRT_FLIGHT`: a path, optionally followed by
    /// limits, as in `flight.perfetto-trace,10s,64M`.
    pub fn flight_recorder(&mut self, recorder: FlightRecorder) -> &mut Self {
        self.flight_recorder = Some(recorder);
        self
    }

    /// Does nothing, because the network and timers are always enabled. For programs written for
    /// tokio.
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

    /// Does nothing, because the network is always enabled. For programs written for tokio.
    pub fn enable_io(&mut self) -> &mut Self {
        self.config.has_io = true;
        self
    }

    /// Does nothing, because timers are always enabled. For programs written for tokio.
    pub fn enable_time(&mut self) -> &mut Self {
        self.config.has_time = true;
        self
    }
}

impl Builder {
    /// Sets the name of the threads that the runtime starts. The default is `wsrt-machine`.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_name("my-server").build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Sets a function that names the runtime's threads. The runtime calls `name` each time it
    /// starts a thread, and gives the thread the returned name.
    ///
    /// If `name` panics, or returns a string that contains a NUL byte, the runtime does not start
    /// the thread, and continues as if the operating system had refused to create it.
    ///
    /// `name` must not wait for tasks of this runtime, because those tasks may need the new thread
    /// to run. Calling this runtime's `block_on` inside `name` panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let number = AtomicUsize::new(0);
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .thread_name_fn(move || format!("server-{}", number.fetch_add(1, Ordering::Relaxed)))
    ///     .build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_name_fn(&mut self, name: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self.config.thread_name = Arc::new(name);
        self
    }

    /// Sets the stack size, in bytes, of the threads that the runtime starts.
    ///
    /// The default is the standard library's default, 2 MiB. Sizes below the operating system's
    /// minimum are raised to the minimum. [`build`](Self::build) returns an error if the system has
    /// no room for stacks of this size.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_stack_size(512 * 1024).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_stack_size(&mut self, bytes: usize) -> &mut Self {
        self.config.thread_stack_size = Some(bytes);
        self
    }

    /// Limits the number of threads that run blocking jobs. The default is 512. Jobs beyond the
    /// limit wait in an unbounded queue until a thread is free.
    ///
    /// # Panics
    ///
    /// Panics if `count` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_blocking_threads(16).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_blocking_threads(&mut self, count: usize) -> &mut Self {
        assert!(count > 0, "wsrt: `max_blocking_threads(0)`: blocking jobs, name lookups among them, need a thread");
        self.config.max_blocking_threads = count;
        self
    }

    /// Sets how long an idle thread waits for work before it exits. The default is 10 seconds.
    ///
    /// The time applies to threads of the blocking pool, to threads that run tasks beyond the
    /// number of processors, and to threads that run jobs of `rayon::spawn`. With
    /// [`Duration::MAX`], these threads never exit.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().thread_keep_alive(std::time::Duration::from_secs(60)).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn thread_keep_alive(&mut self, duration: Duration) -> &mut Self {
        self.config.thread_keep_alive = duration;
        self
    }
}

impl Builder {
    /// Sets after how many polls a busy processor checks the global queue. The default is 61.
    ///
    /// The global queue holds tasks that were spawned or woken outside the runtime. A busy
    /// processor also checks the queue at least once every 200 µs, even after fewer polls, unless a
    /// single poll takes longer. If several tasks are waiting, the processor runs a number of them
    /// in a row, before it returns to its own tasks: at most eight times this interval, and for no
    /// longer than its own tasks ran before.
    ///
    /// With an interval of 1, tasks from the global queue always run first, and may delay all other
    /// tasks. A current-thread runtime ignores this option, because its tasks run in the order in
    /// which they were spawned and woken.
    ///
    /// # Panics
    ///
    /// Panics if `polls` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().global_queue_interval(31).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn global_queue_interval(&mut self, polls: u32) -> &mut Self {
        assert!(
            polls > 0,
            "wsrt: `global_queue_interval(0)`: there is no such tick; 1 looks at the queue at every poll"
        );
        self.config.global_queue_interval = polls;
        self
    }

    /// Sets the part of a busy processor's time that [background
    /// tasks](crate::task::spawn_background) get. The default is 0.01, one hundredth.
    ///
    /// Background tasks also run whenever a processor has nothing else to do, and that time counts
    /// as theirs: a processor that has just polled one owes them nothing for 99 times as long as
    /// that poll took. If polls of background tasks take only a few microseconds, they get less.
    /// With 0, background tasks wait for as long as all processors are busy.
    ///
    /// # Panics
    ///
    /// Panics if `share` is negative, 1 or more, or not a number.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().background_share(0.05).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn background_share(&mut self, share: f64) -> &mut Self {
        assert!(
            (0.0..1.0).contains(&share),
            "wsrt: `background_share({share})`: a share is 0, or a part of the whole that is less than 1"
        );
        self.config.background_share = share;
        self
    }

    /// Sets after how many polls a busy processor checks the network. The default is 61.
    ///
    /// It skips checks until it has polled as many tasks as its last check has woken. It checks at
    /// least once every millisecond in any case, unless a single poll takes longer.
    ///
    /// # Panics
    ///
    /// Panics if `polls` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().event_interval(31).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn event_interval(&mut self, polls: u32) -> &mut Self {
        assert!(polls > 0, "wsrt: `event_interval(0)`: there is no such tick; the least is 1");
        self.config.event_interval = polls;
        self
    }

    /// Sets the maximum number of network events that a thread takes at once when it blocks waiting
    /// for the network. The default is 64.
    ///
    /// Remaining events are taken at the next check, in order. Values above 65,536 are treated as
    /// 65,536.
    ///
    /// # Panics
    ///
    /// Panics if `events` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_io_events_per_tick(256).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_io_events_per_tick(&mut self, events: usize) -> &mut Self {
        self.config.events_per_turn.waiting = at_least_one("max_io_events_per_tick", events);
        self
    }

    /// Sets the maximum number of network events that a busy processor takes at once when it checks
    /// the network without blocking. The default is the value of
    /// [`max_io_events_per_tick`](Self::max_io_events_per_tick).
    ///
    /// # Panics
    ///
    /// Panics if `events` is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().max_io_events_per_busy_tick(16).build()?;
    /// # drop(runtime);
    /// # std::io::Result::Ok(())
    /// ```
    #[track_caller]
    pub fn max_io_events_per_busy_tick(&mut self, events: usize) -> &mut Self {
        self.config.events_per_turn.busy = Some(at_least_one("max_io_events_per_busy_tick", events));
        self
    }
}

#[track_caller]
fn at_least_one(option: &str, events: usize) -> usize {
    assert!(events > 0, "wsrt: `{option}(0)`: {option} must be non-zero, since no event would ever be taken");
    events
}

#[cfg(feature = "tokio-compat")]
impl Builder {
    /// Sets the number of worker threads of the background tokio runtime that the feature
    /// `tokio-compat` starts. The default is 2.
    ///
    /// With two threads, one tokio task that blocks its thread does not stop all other tokio tasks,
    /// but two blocking tasks do. The threads belong to tokio, and wsrt's spare processors do not
    /// replace threads that block. An unused thread sleeps. This option overrides an earlier
    /// [`tokio_handle`](Self::tokio_handle).
    ///
    /// # Panics
    ///
    /// Panics if `threads` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().tokio_threads(4).build()?;
    /// let workers = runtime.block_on(async { tokio::runtime::Handle::current().metrics().num_workers() });
    /// assert_eq!(workers, 4);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn tokio_threads(&mut self, threads: usize) -> &mut Self {
        assert!(threads > 0, "wsrt: `tokio_threads` has to be above zero");
        self.config.tokio = Choice::Own(threads);
        self
    }

    /// Makes the runtime's threads enter an existing tokio runtime, instead of starting another.
    ///
    /// With this option, a tokio program can move to wsrt step by step, because code that runs on
    /// wsrt shares the tokio sockets, pools and timers of the program. A program can also build a
    /// tokio runtime with its own options, such as the number of threads, their stack size, a limit
    /// on blocking jobs, or hooks, and pass the handle here.
    ///
    /// wsrt never shuts down a tokio runtime passed to this method.
    ///
    /// # Not guaranteed
    ///
    /// Code on the tokio runtime's threads is not inside the wsrt runtime. On these threads, spawn
    /// wsrt tasks through a [`Handle`](crate::runtime::Handle), or
    /// [`enter`](crate::runtime::Handle::enter) the wsrt runtime. After the tokio runtime has shut
    /// down, tokio's types no longer work: they return errors or panic.
    ///
    /// # Examples
    ///
    /// ```
    /// // The program as it is.
    /// let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    ///
    /// let wsrt = wsrt::runtime::Builder::new_multi_thread().tokio_handle(tokio.handle().clone()).build()?;
    /// let (sender, receiver) = tokio::sync::oneshot::channel();
    /// wsrt.spawn(async move {
    ///     // On wsrt, with the program's tokio at hand.
    ///     let id = tokio::spawn(async { tokio::runtime::Handle::current().id() }).await;
    ///     sender.send(id)
    /// });
    /// let id = tokio.block_on(receiver)??;
    /// assert_eq!(id, tokio.handle().id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokio_handle(&mut self, handle: tokio::runtime::Handle) -> &mut Self {
        self.config.tokio = Choice::Lent(handle);
        self
    }
}
