//! The builder: everything that can be chosen about a runtime.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::runtime::environment;
use crate::runtime::services::RuntimeServices;
use crate::runtime::{FlightRecorder, Runtime};
use crate::scheduler::limits::{EVENT_INTERVAL, GLOBAL_QUEUE_INTERVAL};
use crate::scheduler::{Config, Flavor, Hook, Scheduler};
#[cfg(all(unix, feature = "signal"))]
use crate::signal::unix::SignalKind;
use crate::sysmon::stall::{Stall, StallHook};

/// Processors that tasks run on at most: half of what Linux can be built for. Each counts what it
/// steals from each of the others.
const MOST_WORKERS: usize = 4096;

/// Chooses how a runtime is to be, and builds it.
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
pub struct Builder {
    flavor: Flavor,
    worker_threads: Option<usize>,
    thread_name: Arc<dyn Fn() -> String + Send + Sync>,
    thread_stack_size: Option<usize>,
    max_blocking_threads: usize,
    thread_keep_alive: Duration,
    on_thread_start: Option<Hook>,
    on_thread_stop: Option<Hook>,
    max_machines: usize,
    on_stall: Option<StallHook>,
    global_queue_interval: u32,
    event_interval: u32,
    start_paused: bool,
    latency_histograms: bool,
    task_stats: Option<bool>,
    #[cfg(all(unix, feature = "signal"))]
    dump_signal: Option<SignalKind>,
    trace: Option<PathBuf>,
    flight_recorder: Option<FlightRecorder>,
}

impl Builder {
    fn new(flavor: Flavor) -> Self {
        Self {
            flavor,
            worker_threads: None,
            thread_name: Arc::new(|| "wsrt-machine".to_owned()),
            thread_stack_size: None,
            max_blocking_threads: 512,
            thread_keep_alive: Duration::from_secs(10),
            on_thread_start: None,
            on_thread_stop: None,
            max_machines: 512,
            on_stall: None,
            global_queue_interval: GLOBAL_QUEUE_INTERVAL,
            event_interval: EVENT_INTERVAL,
            start_paused: false,
            latency_histograms: false,
            task_stats: None,
            #[cfg(all(unix, feature = "signal"))]
            dump_signal: None,
            trace: None,
            flight_recorder: None,
        }
    }

    /// Begins a runtime with several processors, which run tasks on threads of their own and steal
    /// from each other.
    pub fn new_multi_thread() -> Self {
        Self::new(Flavor::MultiThread)
    }

    /// Begins a runtime with one processor and no thread of its own: its tasks run on the thread
    /// that is in [`Runtime::block_on`], and wait while there is none.
    ///
    /// For tests, for futures that are not Send (see [`spawn_local`](crate::task::spawn_local)),
    /// and for programs that are to use a single core. Threads for blocking jobs are started as on
    /// the other kind.
    ///
    /// Tasks run in the order in which they were spawned and woken, whoever woke them: each goes
    /// behind all that wait. What one poll of the network, or one look at the timers, finds ready
    /// is woken together, timers in the order of their deadlines, and those of one deadline in the
    /// order in which they were set.
    pub fn new_current_thread() -> Self {
        Self::new(Flavor::CurrentThread)
    }

    /// Sets the number of processors of a multi-thread runtime: how many tasks may run at the same
    /// time.
    ///
    /// The default is the environment variable `WSRT_WORKER_THREADS`, and without it as many as the
    /// process's CPU affinity and its control group's quota allow. A current-thread runtime has
    /// one, whatever is set here. More than 4096 are refused by [`build`](Self::build).
    ///
    /// # Panics
    ///
    /// If `count` is zero.
    #[track_caller]
    pub fn worker_threads(&mut self, count: usize) -> &mut Self {
        assert!(count > 0, "wsrt: `worker_threads(0)`: a runtime needs at least one processor to run tasks on");
        self.worker_threads = Some(count);
        self
    }

    /// Names the runtime's threads. The default is `wsrt-machine`.
    pub fn thread_name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        self.thread_name_fn(move || name.clone())
    }

    /// Names each of the runtime's threads by what `name` returns when it is started.
    ///
    /// Should `name` panic, or return a name with a NUL in it, the thread is not started, as if the
    /// system had none to give.
    pub fn thread_name_fn(&mut self, name: impl Fn() -> String + Send + Sync + 'static) -> &mut Self {
        self.thread_name = Arc::new(name);
        self
    }

    /// Sets the stack size of the runtime's threads, in bytes. The default is std's, 2 MiB. Less
    /// than the system's least means that; what it has no room for is an error of
    /// [`build`](Self::build).
    pub fn thread_stack_size(&mut self, bytes: usize) -> &mut Self {
        self.thread_stack_size = Some(bytes);
        self
    }

    /// Limits the threads that run blocking jobs. The default is 512. Jobs beyond that wait in a
    /// queue without bound.
    ///
    /// # Panics
    ///
    /// If `count` is zero.
    #[track_caller]
    pub fn max_blocking_threads(&mut self, count: usize) -> &mut Self {
        assert!(count > 0, "wsrt: `max_blocking_threads(0)`: blocking jobs, name lookups among them, need a thread");
        self.max_blocking_threads = count;
        self
    }

    /// Sets for how long a thread that is not needed waits for work before it ends. The default is
    /// 10 seconds. It goes for threads of blocking jobs, and for machines beyond the number of
    /// processors. With [`Duration::MAX`] they never end.
    pub fn thread_keep_alive(&mut self, duration: Duration) -> &mut Self {
        self.thread_keep_alive = duration;
        self
    }

    /// Calls `hook` on each of the runtime's threads before it does anything else. A panic in it
    /// aborts the process.
    pub fn on_thread_start(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.on_thread_start = Some(Arc::new(hook));
        self
    }

    /// Calls `hook` on each of the runtime's threads before it ends. A panic in it aborts the
    /// process.
    pub fn on_thread_stop(&mut self, hook: impl Fn() + Send + Sync + 'static) -> &mut Self {
        self.on_thread_stop = Some(Arc::new(hook));
        self
    }

    /// Limits the threads that run tasks, and the processors in play when polls are stuck. The
    /// default is 512.
    ///
    /// A poll that blocks its thread is stood in for by a spare processor, so that others go on; up
    /// to as many as there are worker threads stand in for polls that burn CPU time. A task in
    /// [`Handle::block_on`] hands its processor to another thread, and keeps its own: it counts as
    /// well. At the limit, which is reported once on standard error, others wait, and so may do for
    /// ever if they are what all those tasks wait for: that is what a limit means. A number below
    /// that of the worker threads means that of the worker threads, and no spares. There are never
    /// more than 16,384 processors, whatever is set here.
    ///
    /// [`Handle::block_on`]: crate::runtime::Handle::block_on
    pub fn max_machines(&mut self, count: usize) -> &mut Self {
        self.max_machines = count;
        self
    }

    /// Calls `hook` for each poll that has held its processor for longer than `WSRT_STALL_MS`
    /// milliseconds, while it still does. It runs on the watcher's thread, so that it must not
    /// block; a panic in it aborts the process.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread()
    ///     .on_stall(|stall| eprintln!("{stall}"))
    ///     .build()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_stall(&mut self, hook: impl Fn(&Stall) + Send + Sync + 'static) -> &mut Self {
        self.on_stall = Some(Arc::new(hook));
        self
    }

    /// Has statistics kept of each task, for [dumps](crate::runtime::Handle::dump): its age, how
    /// often and for how long it was polled, when it was last woken. The default is the environment
    /// variable `WSRT_TASK_STATS`, which is 1 or 0, and without it not to.
    ///
    /// Each poll reads the clock twice then, and each task takes an allocation more.
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
    /// that a signal comes, until the runtime has been shut down: on a thread of its own, so that
    /// it does though every processor is stuck. The default is the environment variable
    /// `WSRT_DUMP_SIGNAL`, the name of a signal such as `SIGUSR2`, and without it not to.
    ///
    /// Signals that come while a dump is written are one. The signal loses its default effect, for
    /// the life of the process. Building the runtime fails if it is one that a program cannot
    /// handle.
    ///
    /// # Examples
    ///
    /// A program that can be asked what it is doing with `kill -USR2`:
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

    /// Sets after how many polls at most a busy processor takes tasks from the queue that all
    /// share, where tasks wait that were spawned or woken outside of the runtime. The default is
    /// 61.
    ///
    /// It looks there at least once in 200 µs, however few polls that were, unless one of them
    /// takes longer. If more than one task waits it runs several in a row: eight times this
    /// interval at most, and for no longer than its own tasks had before; then those have their
    /// turn. With 1, tasks from that queue always come first, and may hold up all others. A
    /// current-thread runtime, where tasks run in the order in which they were spawned and woken,
    /// makes no use of it.
    ///
    /// # Panics
    ///
    /// If `polls` is zero.
    #[track_caller]
    pub fn global_queue_interval(&mut self, polls: u32) -> &mut Self {
        assert!(
            polls > 0,
            "wsrt: `global_queue_interval(0)`: there is no such tick; 1 looks at the queue at every poll"
        );
        self.global_queue_interval = polls;
        self
    }

    /// Sets after how many polls at most a busy processor looks at the network. The default is 61.
    /// It looks at least once in a millisecond, however few polls that were, unless one of them
    /// takes longer.
    ///
    /// # Panics
    ///
    /// If `polls` is zero.
    #[track_caller]
    pub fn event_interval(&mut self, polls: u32) -> &mut Self {
        assert!(polls > 0, "wsrt: `event_interval(0)`: there is no such tick; 1 looks at the network at every poll");
        self.event_interval = polls;
        self
    }

    /// Builds a current-thread runtime whose clock stands from the start, as if
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

    /// Has the runtime sample how long tasks wait to be run, from the moment they are runnable, and
    /// how long their polls take, for [`ProcessorMetrics::schedule_latency`] and [`poll_time`]. The
    /// default is off, which costs nothing; [`Handle::set_latency_histograms`] changes it while the
    /// runtime runs.
    ///
    /// One poll in eight is sampled, chosen at random when its task is readied. That takes one
    /// reading of the clock then and two at the poll, and a look into a table at each poll. The
    /// table has room for 1024 samples on the way: in a crowd of more than some thousand runnable
    /// tasks fewer are taken, whatever they wait for. A task that was readied before this was
    /// switched on is not in the sample, one that has waited for more than a minute may not be.
    ///
    /// [`ProcessorMetrics::schedule_latency`]: crate::runtime::ProcessorMetrics::schedule_latency
    /// [`poll_time`]: crate::runtime::ProcessorMetrics::poll_time
    /// [`Handle::set_latency_histograms`]: crate::runtime::Handle::set_latency_histograms
    pub fn latency_histograms(&mut self, on: bool) -> &mut Self {
        self.latency_histograms = on;
        self
    }

    /// Records the timeline of the whole run to the file at `path`, which Perfetto opens
    /// (<https://ui.perfetto.dev>): see [`Handle::trace_for`](crate::runtime::Handle::trace_for)
    /// for what is in it. One that is there already is written over.
    ///
    /// The default is the environment variable `WSRT_TRACE`, and without it no recording. Where a
    /// process has several runtimes, the variable means the first; the second records to the same
    /// name with `-2` before its extension, and so on. A file that cannot be made or written is
    /// reported once on standard error, and the program runs on. The file is complete when the
    /// runtime is dropped; of a process that ends without, it can be read as far as it was written.
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

    /// Keeps the last seconds of the timeline in memory, and writes them when something happens:
    /// see [`FlightRecorder`].
    pub fn flight_recorder(&mut self, recorder: FlightRecorder) -> &mut Self {
        self.flight_recorder = Some(recorder);
        self
    }

    /// Does nothing: network and timers are always there. For those who come from tokio.
    pub fn enable_all(&mut self) -> &mut Self {
        self
    }

    /// Does nothing: the network is always there. For those who come from tokio.
    pub fn enable_io(&mut self) -> &mut Self {
        self
    }

    /// Does nothing: timers are always there. For those who come from tokio.
    pub fn enable_time(&mut self) -> &mut Self {
        self
    }

    /// Builds the runtime, and starts its machines.
    ///
    /// # Errors
    ///
    /// If `WSRT_WORKER_THREADS` is needed and is no whole number above zero, or there are to be
    /// more than 4096 processors, or a runtime with several processors is to start paused, or a
    /// program cannot handle the signal for dumps: the message says which. If the system refuses
    /// one of the threads, a file descriptor or the signal: the system's error, as it is.
    pub fn build(&mut self) -> io::Result<Runtime> {
        if self.start_paused && self.flavor == Flavor::MultiThread {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "`start_paused(true)` needs a current-thread runtime: on a multi-thread one the clock cannot be paused",
            ));
        }
        let scheduler = self.scheduler()?;
        if self.start_paused {
            let _ = scheduler.clock.stop();
        }
        scheduler.sample_latencies(self.latency_histograms);
        if self.task_stats.unwrap_or_else(environment::task_stats) {
            scheduler.keep_task_stats();
        }
        // From here on the runtime's drop ends whatever was started, should something else fail.
        let mut runtime = Runtime::new_stopped(scheduler);
        self.start_timeline(&runtime)?;
        runtime.start()?;
        #[cfg(all(unix, feature = "signal"))]
        runtime.dump_on(self.dump_signal)?;
        #[cfg(not(all(unix, feature = "signal")))]
        environment::refuse_dump_signal();
        Ok(runtime)
    }

    /// Before any thread is there to be seen.
    fn start_timeline(&self, runtime: &Runtime) -> io::Result<()> {
        let scheduler = runtime.handle().scheduler();
        if let Some(path) = self.trace.clone().or_else(environment::trace) {
            scheduler.trace_all(&path);
        }
        match self.flight_recorder.clone() {
            Some(recorder) => scheduler.fly(recorder),
            None => Ok(()),
        }
    }

    /// The scheduler of a runtime that is not started yet.
    pub(crate) fn scheduler(&self) -> io::Result<Arc<Scheduler>> {
        Scheduler::new(self.config()?, RuntimeServices::of)
    }

    fn config(&self) -> io::Result<Config> {
        let processors = match (self.flavor, self.worker_threads) {
            (Flavor::CurrentThread, _) => 1,
            (Flavor::MultiThread, Some(count)) => count,
            (Flavor::MultiThread, None) => environment::worker_threads()?,
        };
        self.refuse_nonsense(processors)?;
        Ok(Config {
            flavor: self.flavor,
            processors,
            thread_name: Arc::clone(&self.thread_name),
            thread_stack_size: self.thread_stack_size,
            max_blocking_threads: self.max_blocking_threads,
            thread_keep_alive: self.thread_keep_alive,
            on_thread_start: self.on_thread_start.clone(),
            on_thread_stop: self.on_thread_stop.clone(),
            max_machines: self.max_machines,
            stall_threshold: environment::stall_threshold(),
            on_stall: self.on_stall.clone(),
            global_queue_interval: self.global_queue_interval,
            event_interval: self.event_interval,
        })
    }
}

impl Builder {
    /// What no system has, be it ever so large.
    fn refuse_nonsense(&self, processors: usize) -> io::Result<()> {
        let nonsense = |message| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        if processors > MOST_WORKERS {
            return nonsense(format!("{processors} worker threads are too many: a runtime has {MOST_WORKERS} at most"));
        }
        match self.thread_stack_size {
            Some(size) if isize::try_from(size).is_err() => {
                nonsense(format!("`thread_stack_size({size})`: no thread can have a stack of so many bytes"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("flavor", &self.flavor)
            .field("worker_threads", &self.worker_threads)
            .field("thread_stack_size", &self.thread_stack_size)
            .field("max_blocking_threads", &self.max_blocking_threads)
            .field("thread_keep_alive", &self.thread_keep_alive)
            .field("global_queue_interval", &self.global_queue_interval)
            .field("event_interval", &self.event_interval)
            .field("start_paused", &self.start_paused)
            .field("latency_histograms", &self.latency_histograms)
            .finish_non_exhaustive()
    }
}
