//! Metrics: the counters and gauges of a runtime, as values to read, subtract and pass on.

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

/// A snapshot of the counters and gauges of a runtime. Made by [`RuntimeMetrics::snapshot`].
///
/// Counters only rise, from zero when the runtime was built. For the counts of a period, take two
/// snapshots and [subtract](Self::since) the earlier. Gauges are numbers of the moment: in a
/// difference they are taken from the later snapshot.
///
/// # How consistent it is
///
/// The runtime runs while it is read; nothing is stopped for that. Each number was right at some
/// moment during the call, and no counter is less than in an earlier snapshot. The counters of
/// *one* processor are read until two reads agree, eight times at most: they are of one moment if
/// the processor counted nothing for some hundred nanoseconds, and else of moments less than a few
/// microseconds apart. Sums over processors, and the counts of [`elsewhere`](Self::elsewhere), are
/// of moments as far apart as the call takes.
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
    /// Returns the age of the runtime; in a difference, the time from one snapshot to the other.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the metrics of each processor, by index. From [`num_workers`](Self::num_workers) on
    /// they are spares, which keep their counts while they are not in use.
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

    /// Returns the sum over all processors. Steals are summed by victim.
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

    /// Returns the network events and timers that were collected by threads without a processor: by
    /// the thread that sleeps in the netpoller, helpers in parallel calls, and the watcher.
    pub fn elsewhere(&self) -> &Arrivals {
        &self.elsewhere
    }

    /// Counts the polls that were reported as stalls: see
    /// [`Builder::on_stall`](crate::runtime::Builder::on_stall).
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

    /// Counts those polls by the place where the task was spawned, the most frequent first.
    pub fn stalls_by_site(&self) -> &[(&'static Location<'static>, u64)] {
        &self.stalls_by_site
    }

    /// Counts the times that the watcher acted instead of a worker: it woke a thread for waiting
    /// tasks, or took over tasks, timers or network events.
    ///
    /// Nearly always a poll explains it that blocked or computed for long: others had to wait for
    /// it, some milliseconds at most. Many rescues a second say that polls are too long; what is
    /// behind them, [stall reports](crate::runtime::Builder::on_stall) and a trace show. Zero on a
    /// current-thread runtime, which has no watcher.
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

    /// Counts the [rescues](Self::rescue_count) that no poll explains: a thread slept although a
    /// task or a processor was waiting for it.
    ///
    /// It should stay at zero. On a machine with more threads than cores the system may stop a
    /// thread just between making a task ready and waking a machine for it, and it may count that:
    /// once in some hundred thousand wakes. If it rises faster, it is a bug of wsrt: please
    /// report it.
    pub fn unexplained_rescue_count(&self) -> u64 {
        self.unexplained_rescues
    }

    /// Counts the tasks that were spawned. It includes neither blocking jobs, nor the tasks of a
    /// [`LocalSet`](crate::task::LocalSet), nor spawns that were refused.
    pub fn spawn_count(&self) -> u64 {
        self.spawns
    }

    /// Counts the blocking jobs that a thread has begun.
    pub fn blocking_job_count(&self) -> u64 {
        self.blocking_jobs
    }

    /// Returns the total time for which those jobs waited for a thread. It is a counter: in a
    /// [difference](Self::since), divided by the number of jobs, it is their mean wait.
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

    /// Returns the longest of those waits since the runtime was built, even in a difference.
    pub fn blocking_queue_wait_max(&self) -> Duration {
        self.blocking_wait_max
    }

    /// Returns the number of processors that run tasks while none is stuck: the builder's
    /// `worker_threads`, until the runtime is [resized](crate::runtime::Handle::resize). A gauge.
    pub fn num_workers(&self) -> usize {
        self.workers
    }

    /// Returns how many spare processors are in play, because polls are stuck or were recently. A
    /// gauge.
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

    /// Returns how many processors are in play and have nothing to do. A gauge.
    pub fn num_idle_processors(&self) -> usize {
        self.idle_processors
    }

    /// Returns the number of threads that look for work to steal. A gauge.
    pub fn num_searching(&self) -> usize {
        self.searching
    }

    /// Returns the number of threads that run tasks, idle ones included. A gauge. On a
    /// current-thread runtime it is zero: the thread in `block_on` is not the runtime's.
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

    /// Returns how many of them wait for a processor. A gauge.
    pub fn num_idle_machines(&self) -> usize {
        self.idle_machines
    }

    /// Returns how many threads compute for parallel calls and hold no processor. A gauge.
    pub fn num_helpers(&self) -> usize {
        self.helpers
    }

    /// Returns the number of tasks that were spawned and have not ended. A gauge. It includes
    /// neither blocking jobs nor the tasks of a [`LocalSet`](crate::task::LocalSet).
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

    /// Returns how many tasks wait in the queue that all processors share. A gauge.
    pub fn global_queue_depth(&self) -> usize {
        self.global_queue
    }

    /// Returns how many blocking jobs wait for a thread. A gauge.
    pub fn blocking_queue_depth(&self) -> usize {
        self.blocking_queue
    }

    /// Returns the number of threads for blocking jobs. A gauge.
    pub fn num_blocking_threads(&self) -> usize {
        self.blocking_threads
    }

    /// Returns how many of them wait for a job. A gauge.
    pub fn num_idle_blocking_threads(&self) -> usize {
        self.idle_blocking_threads
    }
}
