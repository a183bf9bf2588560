//! Metrics: a runtime's counters and gauges, as values that can be read, subtracted and passed on.

mod difference;
mod histogram;
mod live;
mod processor;
mod reading;

use std::panic::Location;
use std::time::Duration;

pub use self::histogram::LatencyHistogram;
pub use self::live::RuntimeMetrics;
pub use self::processor::{Arrivals, PollSources, ProcessorMetrics, Steals};

/// A snapshot of a runtime's counters and gauges. Returned by [`RuntimeMetrics::snapshot`].
///
/// Counters start at zero when the runtime is built, and never decrease. To count the events of a
/// period, take two snapshots and [subtract](Self::since) the earlier one from the later one.
/// Gauges describe a single moment, so the difference of two snapshots contains the gauges of the
/// later snapshot.
///
/// # How consistent it is
///
/// The runtime keeps running while a snapshot is taken. Each number was correct at some moment
/// during the call, and no counter is less than in an earlier snapshot.
///
/// The counters of a *single* processor are read until two reads agree, at most eight times. They
/// belong to one moment if the processor counted nothing for some hundred nanoseconds, and
/// otherwise to moments that are a few microseconds apart at most. Sums over processors, and the
/// counts of [`elsewhere`](Self::elsewhere), combine moments as far apart as the whole call takes.
///
/// # Examples
///
/// ```
/// let runtime = wsrt::runtime::Runtime::new()?;
/// let before = runtime.metrics().snapshot();
/// runtime.run(async {
///     for _ in 0..100 {
///         wsrt::task::yield_now().await;
///     }
/// });
/// let during = runtime.metrics().snapshot().since(&before);
/// assert!(during.total().poll_count() >= 101);
/// println!("{:.0} polls a second", during.total().poll_count() as f64 / during.elapsed().as_secs_f64());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// [`RuntimeMetrics::snapshot`]: crate::runtime::RuntimeMetrics::snapshot
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Metrics {
    elapsed: Duration,
    processors: Vec<ProcessorMetrics>,
    elsewhere: Arrivals,
    stalls: u64,
    stalls_by_site: Vec<(&'static Location<'static>, u64)>,
    rescues: u64,
    unexplained_rescues: u64,
    spawns: u64,
    blocking_jobs: u64,
    blocking_wait: Duration,
    blocking_wait_max: Duration,
    // Gauges: numbers of the moment.
    workers: usize,
    spares: usize,
    idle_processors: usize,
    searching: usize,
    machines: usize,
    idle_machines: usize,
    helpers: usize,
    alive_tasks: usize,
    global_queue: usize,
    blocking_queue: usize,
    blocking_threads: usize,
    idle_blocking_threads: usize,
}

impl Metrics {
    /// Returns the runtime's age. In a difference, returns the time between the two snapshots.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the metrics of each processor, ordered by processor index.
    ///
    /// Processors with an index of [`num_workers`](Self::num_workers) or more are spare processors.
    /// A spare keeps its counts while it is not in use.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// for (index, processor) in runtime.metrics().snapshot().processors().iter().enumerate() {
    ///     println!("P{index}: {} polls, {} steals", processor.poll_count(), processor.steal_operations());
    /// }
    /// # std::io::Result::Ok(())
    /// ```
    pub fn processors(&self) -> &[ProcessorMetrics] {
        &self.processors
    }

    /// Returns the sum of the metrics of all processors. Steals are added up for each victim.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// assert!(runtime.metrics().snapshot().total().poll_count() >= 1);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn total(&self) -> ProcessorMetrics {
        let mut total = ProcessorMetrics::default();
        self.processors.iter().for_each(|processor| total.add(processor));
        total
    }

    /// Returns the network events and timers that were collected by threads without a processor:
    /// the thread that sleeps in the netpoller, helpers in parallel calls, and the watcher.
    pub fn elsewhere(&self) -> &Arrivals {
        &self.elsewhere
    }

    /// Returns the number of polls that were reported as stalls.
    /// [`Builder::on_stall`](crate::runtime::Builder::on_stall) says when a poll is a stall.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} long polls", runtime.metrics().snapshot().stall_count());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn stall_count(&self) -> u64 {
        self.stalls
    }

    /// Returns the number of stalls for each source location that has spawned a stalled task, the
    /// location with the most stalls first.
    pub fn stalls_by_site(&self) -> &[(&'static Location<'static>, u64)] {
        &self.stalls_by_site
    }

    /// Returns how often the watcher did a worker's job: it woke a thread for waiting tasks, or
    /// took over tasks, timers or network events.
    ///
    /// The usual cause is a poll that blocked or computed for long, so that other tasks had to
    /// wait, for a few milliseconds at most. Many rescues per second mean that polls are too long.
    /// [Stall reports](crate::runtime::Builder::on_stall) and a trace show the polls. The count is
    /// always zero on a current-thread runtime, which has no watcher.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let metrics = runtime.metrics().snapshot();
    /// println!("{} rescues, {} unexplained", metrics.rescue_count(), metrics.unexplained_rescue_count());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn rescue_count(&self) -> u64 {
        self.rescues
    }

    /// Returns the number of [rescues](Self::rescue_count) that no long poll explains: a thread
    /// slept although a task or a processor was waiting for the thread.
    ///
    /// The count should stay at zero. On a machine with more threads than cores, the operating
    /// system may suspend a thread exactly between making a task ready and waking another thread
    /// for the task. Such a delay may be counted here, about once in some hundred thousand wakes.
    /// If the count rises faster, please report it as a bug in wsrt.
    pub fn unexplained_rescue_count(&self) -> u64 {
        self.unexplained_rescues
    }

    /// Returns the number of tasks that were spawned. Blocking jobs, tasks of a
    /// [`LocalSet`](crate::task::LocalSet), and spawns that were refused are not included.
    pub fn spawn_count(&self) -> u64 {
        self.spawns
    }

    /// Returns the number of blocking jobs that a thread has begun to run.
    pub fn blocking_job_count(&self) -> u64 {
        self.blocking_jobs
    }

    /// Returns the total time that blocking jobs have waited in the queue for a thread.
    ///
    /// The value is a counter. In a [difference](Self::since) of two snapshots, divide it by
    /// [`blocking_job_count`](Self::blocking_job_count) to get the mean wait of a job.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// runtime.block_on(runtime.spawn_blocking(|| 7)).expect("it does not panic");
    /// let metrics = runtime.metrics().snapshot();
    /// let mean = metrics.blocking_queue_wait() / metrics.blocking_job_count() as u32;
    /// assert!(mean <= metrics.blocking_queue_wait_max());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn blocking_queue_wait(&self) -> Duration {
        self.blocking_wait
    }

    /// Returns the longest time that a blocking job has waited for a thread since the runtime was
    /// built. A difference of two snapshots has the same maximum.
    pub fn blocking_queue_wait_max(&self) -> Duration {
        self.blocking_wait_max
    }

    /// Returns the number of processors that run tasks, without spare processors. A gauge.
    ///
    /// The number is the builder's `worker_threads`, until the runtime is
    /// [resized](crate::runtime::Handle::resize).
    pub fn num_workers(&self) -> usize {
        self.workers
    }

    /// Returns the number of spare processors in use, because polls are or were stuck. A gauge.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// assert_eq!(runtime.metrics().snapshot().num_spare_processors(), 0, "no task blocks");
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_spare_processors(&self) -> usize {
        self.spares
    }

    /// Returns the number of processors in use that have nothing to run. A gauge.
    pub fn num_idle_processors(&self) -> usize {
        self.idle_processors
    }

    /// Returns the number of threads that are looking for tasks to steal. A gauge.
    pub fn num_searching(&self) -> usize {
        self.searching
    }

    /// Returns the number of threads that run tasks, including idle threads. A gauge.
    ///
    /// Zero on a current-thread runtime, because the thread in `block_on` is not the runtime's.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// println!("{} threads", runtime.metrics().snapshot().num_machines());
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_machines(&self) -> usize {
        self.machines
    }

    /// Returns how many [threads that run tasks](Self::num_machines) wait for a processor. A gauge.
    pub fn num_idle_machines(&self) -> usize {
        self.idle_machines
    }

    /// Returns the number of threads without a processor that compute for parallel calls. A gauge.
    pub fn num_helpers(&self) -> usize {
        self.helpers
    }

    /// Returns the number of tasks that were spawned and have not ended. A gauge. Blocking jobs and
    /// tasks of a [`LocalSet`](crate::task::LocalSet) are not included.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Runtime::new()?;
    /// let task = runtime.spawn(std::future::pending::<()>());
    /// assert_eq!(runtime.metrics().snapshot().num_alive_tasks(), 1);
    /// # task.abort();
    /// # std::io::Result::Ok(())
    /// ```
    pub fn num_alive_tasks(&self) -> usize {
        self.alive_tasks
    }

    /// Returns the number of tasks in the global queue, which all processors share. A gauge.
    pub fn global_queue_depth(&self) -> usize {
        self.global_queue
    }

    /// Returns the number of blocking jobs that are waiting for a thread. A gauge.
    pub fn blocking_queue_depth(&self) -> usize {
        self.blocking_queue
    }

    /// Returns the number of threads in the blocking pool, including idle threads. A gauge.
    pub fn num_blocking_threads(&self) -> usize {
        self.blocking_threads
    }

    /// Returns the number of threads in the blocking pool that wait for a job. A gauge.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.idle_blocking_threads
    }
}
