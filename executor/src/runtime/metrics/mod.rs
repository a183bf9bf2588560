//! Metrics: a runtime's counters and gauges, as values that can be read, subtracted and passed on.

mod histogram;
mod live;
mod processor;
mod sites;

use std::cmp::Reverse;
use std::panic::Location;
use std::time::Duration;

use crate::observe::counters::{ArrivalCounters, Count, Counters};
use crate::runtime::metrics::processor::ProcessorCounts;
use crate::scheduler::Scheduler;
use crate::scheduler::core::processor::Shared;
use crate::util::sync::atomic::Ordering::Acquire;
use crate::util::sync::atomic::fence;

pub use self::histogram::LatencyHistogram;
pub use self::live::RuntimeMetrics;
pub use self::processor::{Arrivals, PollSources, ProcessorMetrics, Steals};
pub use self::sites::{NamePolls, SitePolls};

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
    polls_by_site: Vec<SitePolls>,
    polls_by_name: Vec<NamePolls>,
    rescues: u64,
    unexplained_rescues: u64,
    spawns: u64,
    blocking_jobs: u64,
    blocking_wait: Duration,
    blocking_wait_max: Duration,
    shed_requests: u64,
    shed_connections: u64,
    // Gauges: numbers of the moment.
    workers: usize,
    spares: usize,
    idle_processors: usize,
    searching: usize,
    machines: usize,
    idle_machines: usize,
    helpers: usize,
    alive_tasks: usize,
    orphan_tasks: usize,
    global_queue: usize,
    background_queue: usize,
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

    /// Returns the polls of the tasks of each place that has spawned any, the place whose polls
    /// took the most time first.
    ///
    /// The list is empty unless [`Builder::site_polls`](crate::runtime::Builder::site_polls) or
    /// [`Handle::set_site_polls`](crate::runtime::Handle::set_site_polls) has switched the
    /// measurement on. Only polls that ended while it was on are included.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().site_polls(true).build()?;
    /// runtime.block_on(runtime.spawn(async {}))?;
    /// for site in runtime.metrics().snapshot().polls_by_site() {
    ///     let (polls, time) = (site.poll_time().count(), site.poll_time().sum());
    ///     println!("{}: {polls} polls took {time:?}, the longest {:?}", site.spawned_at(), site.longest_poll());
    /// }
    /// # std::io::Result::Ok(())
    /// ```
    pub fn polls_by_site(&self) -> &[SitePolls] {
        &self.polls_by_site
    }

    /// Returns the measured polls of each task name, the name whose polls have taken the most time
    /// first.
    ///
    /// The list is empty unless [`Builder::name_polls`](crate::runtime::Builder::name_polls) or
    /// [`Handle::set_name_polls`](crate::runtime::Handle::set_name_polls) has switched the
    /// measurement on. Only polls that ended while it was on are included.
    ///
    /// # Examples
    ///
    /// ```
    /// let runtime = wsrt::runtime::Builder::new_multi_thread().name_polls(true).build()?;
    /// let task = wsrt::task::Builder::new().name("resize").spawn_on(async {}, runtime.handle());
    /// runtime.block_on(task)?;
    /// for name in runtime.metrics().snapshot().polls_by_name() {
    ///     println!("{}: {:?}", name.name(), name.poll_time().sum());
    /// }
    /// # std::io::Result::Ok(())
    /// ```
    pub fn polls_by_name(&self) -> &[NamePolls] {
        &self.polls_by_name
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

    /// Returns the number of requests that `wsrt_hyper::serve` has answered with status 503 because
    /// they had waited for too long. Zero unless a server sheds load (`Serve::with_load_shedding`).
    pub fn shed_request_count(&self) -> u64 {
        self.shed_requests
    }

    /// Returns the number of new connections that `wsrt_hyper::serve` has closed because they had
    /// waited for too long.
    pub fn shed_connection_count(&self) -> u64 {
        self.shed_connections
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

    /// Returns the number of orphans: tasks that wait, and that nothing can wake or end, as
    /// [`TaskDump::is_orphan`](crate::runtime::TaskDump::is_orphan) describes. A gauge.
    ///
    /// The number includes tasks of a [`LocalSet`](crate::task::LocalSet). To find it, a snapshot
    /// reads a word of each live task, at some tens of nanoseconds for each.
    pub fn num_orphan_tasks(&self) -> usize {
        self.orphan_tasks
    }

    /// Returns the number of tasks in the global queue, which all processors share. A gauge.
    pub fn global_queue_depth(&self) -> usize {
        self.global_queue
    }

    /// Returns the number of [background tasks](crate::task::spawn_background) that are ready to
    /// run. A gauge.
    pub fn background_queue_depth(&self) -> usize {
        self.background_queue
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

/// How often the counters of a processor are read at most, in the hope that two readings agree.
const READINGS: usize = 8;

impl Metrics {
    pub(crate) fn read(scheduler: &Scheduler) -> Self {
        let processors = scheduler.processors.all().enumerate();
        let pool = scheduler.blocking.census();
        let waits = &scheduler.blocking.waits;
        let mut stalls_by_site = scheduler.stalls.by_site();
        stalls_by_site.sort_by_key(|(_, count)| Reverse(*count));
        Self {
            elapsed: Duration::from_nanos(scheduler.clock.elapsed()),
            processors: processors.map(|(index, processor)| read_processor(scheduler, index, processor)).collect(),
            elsewhere: read_arrivals(&*scheduler.elsewhere),
            stalls: stalls_by_site.iter().map(|(_, count)| count).sum(),
            stalls_by_site,
            polls_by_site: SitePolls::read(&scheduler.observer.sites),
            polls_by_name: NamePolls::read(&scheduler.observer.sites),
            rescues: scheduler.rescues.all(),
            unexplained_rescues: scheduler.rescues.unexplained(),
            spawns: scheduler.tasks.listed(),
            blocking_jobs: waits.begun.get(),
            blocking_wait: Duration::from_nanos(waits.total.get()),
            blocking_wait_max: Duration::from_nanos(waits.longest.get()),
            shed_requests: scheduler.observer.shed.requests.get(),
            shed_connections: scheduler.observer.shed.connections.get(),
            workers: scheduler.processors.regular(),
            spares: scheduler.processors.spares(),
            idle_processors: scheduler.idle.count_idle(),
            searching: scheduler.idle.count_searching(),
            machines: scheduler.threads.alive(),
            idle_machines: scheduler.idle.count_machines(),
            helpers: scheduler.helpers.count(),
            alive_tasks: scheduler.tasks.len(),
            // The tasks are walked by `snapshot` alone: nobody else shows the number.
            orphan_tasks: 0,
            global_queue: scheduler.injector.len(),
            background_queue: scheduler.background.len(),
            blocking_queue: pool.queued,
            blocking_threads: pool.threads,
            idle_blocking_threads: pool.idle,
        }
    }
}

fn read_processor(scheduler: &Scheduler, index: usize, processor: &Shared) -> ProcessorMetrics {
    let histograms = scheduler.observer.latency.of_processor(index);
    ProcessorMetrics {
        counts: read_at_rest(processor.counters()),
        busy: Duration::from_nanos(processor.busy().read(scheduler.clock.elapsed())),
        is_idle: scheduler.idle.is_idle(index),
        queue: processor.waiting(),
        timers: processor.timers().len(),
        schedule_latency: histograms.map_or_else(Default::default, |both| LatencyHistogram::read(&both.waits)),
        poll_time: histograms.map_or_else(Default::default, |both| LatencyHistogram::read(&both.polls)),
    }
}

/// Reads until two readings agree: counters that only rise all had those values at one moment. It
/// gives up after some readings, since a busy processor may count more often than it can be read.
fn read_at_rest(counters: &Counters) -> ProcessorCounts {
    let mut counts = read_counts(counters);
    for _ in 1..READINGS {
        // Keeps the readings apart. It pairs with nothing: the counters' stores order nothing.
        fence(Acquire);
        let again = read_counts(counters);
        if again == counts {
            break;
        }
        counts = again;
    }
    counts
}

fn read_counts(counters: &Counters) -> ProcessorCounts {
    let steals = counters.steals.iter();
    ProcessorCounts {
        polls: counters.polls_by_kind(),
        steals: steals.map(|from| Steals { operations: from.steals.get(), tasks: from.tasks.get() }).collect(),
        parks: counters.parks.get(),
        wakes: counters.wakes.get(),
        noops: counters.useless_wakes.get(),
        overflows: counters.overflows.get(),
        background_polls: counters.background_polls.get(),
        background_nanos: counters.background_time.get(),
        arrivals: read_arrivals(&counters.arrivals),
    }
}

fn read_arrivals(arrivals: &ArrivalCounters<impl Count>) -> Arrivals {
    Arrivals {
        turns: arrivals.turns.get(),
        events: arrivals.events.get(),
        timers: arrivals.timers.get(),
        timer_lateness: Duration::from_nanos(arrivals.late.get()),
        timer_lateness_max: Duration::from_nanos(arrivals.latest.get()),
    }
}

impl Metrics {
    /// Returns the counts between the `earlier` snapshot of the same runtime and this snapshot.
    /// Gauges are this snapshot's.
    ///
    /// If the snapshots are in the wrong order, or belong to different runtimes, the counters of
    /// the result are unspecified. A counter that would be negative is zero.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let none = ProcessorMetrics::default();
        let before = earlier.processors.iter().chain(std::iter::repeat(&none));
        Self {
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
            processors: self.processors.iter().zip(before).map(|(now, before)| now.since(before)).collect(),
            elsewhere: self.elsewhere.combine(&earlier.elsewhere, u64::saturating_sub),
            stalls: self.stalls.saturating_sub(earlier.stalls),
            stalls_by_site: sites_since(&self.stalls_by_site, &earlier.stalls_by_site),
            polls_by_site: SitePolls::since(&self.polls_by_site, &earlier.polls_by_site),
            polls_by_name: NamePolls::since(&self.polls_by_name, &earlier.polls_by_name),
            rescues: self.rescues.saturating_sub(earlier.rescues),
            unexplained_rescues: self.unexplained_rescues.saturating_sub(earlier.unexplained_rescues),
            spawns: self.spawns.saturating_sub(earlier.spawns),
            blocking_jobs: self.blocking_jobs.saturating_sub(earlier.blocking_jobs),
            blocking_wait: self.blocking_wait.saturating_sub(earlier.blocking_wait),
            shed_requests: self.shed_requests.saturating_sub(earlier.shed_requests),
            shed_connections: self.shed_connections.saturating_sub(earlier.shed_connections),
            ..*self
        }
    }
}

type Sites = [(&'static Location<'static>, u64)];

fn sites_since(now: &Sites, before: &Sites) -> Vec<(&'static Location<'static>, u64)> {
    let count_before = |site| before.iter().find(|(other, _)| *other == site).map_or(0, |(_, count)| *count);
    let grown = now.iter().map(|&(site, count)| (site, count.saturating_sub(count_before(site))));
    let mut grown: Vec<_> = grown.filter(|(_, count)| *count > 0).collect();
    grown.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    grown
}

impl ProcessorMetrics {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            counts: self.counts.combine(&earlier.counts, u64::saturating_sub),
            busy: self.busy.saturating_sub(earlier.busy),
            schedule_latency: self.schedule_latency.since(&earlier.schedule_latency),
            poll_time: self.poll_time.since(&earlier.poll_time),
            ..*self
        }
    }

    fn add(&mut self, other: &Self) {
        let latest = self.counts.arrivals.timer_lateness_max.max(other.counts.arrivals.timer_lateness_max);
        self.counts = self.counts.combine(&other.counts, u64::saturating_add);
        self.counts.arrivals.timer_lateness_max = latest;
        self.busy += other.busy;
        self.queue += other.queue;
        self.timers += other.timers;
        self.schedule_latency.add(&other.schedule_latency);
        self.poll_time.add(&other.poll_time);
    }
}

impl ProcessorCounts {
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64) -> Self {
        Self {
            polls: std::array::from_fn(|kind| f(self.polls[kind], other.polls[kind])),
            steals: combine_rows(&self.steals, &other.steals, f),
            parks: f(self.parks, other.parks),
            wakes: f(self.wakes, other.wakes),
            noops: f(self.noops, other.noops),
            overflows: f(self.overflows, other.overflows),
            background_polls: f(self.background_polls, other.background_polls),
            background_nanos: f(self.background_nanos, other.background_nanos),
            arrivals: self.arrivals.combine(&other.arrivals, f),
        }
    }
}

/// Combines victim by victim; a row that ends before a victim counts zero for it.
fn combine_rows(one: &[Steals], other: &[Steals], f: fn(u64, u64) -> u64) -> Vec<Steals> {
    let at = |row: &[Steals], victim: usize| row.get(victim).copied().unwrap_or_default();
    let combine = |victim| {
        let (one, other) = (at(one, victim), at(other, victim));
        Steals { operations: f(one.operations, other.operations), tasks: f(one.tasks, other.tasks) }
    };
    (0..one.len().max(other.len())).map(combine).collect()
}

impl Arrivals {
    /// Combines all but the maximum, which is taken from `self`.
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64) -> Self {
        Self {
            turns: f(self.turns, other.turns),
            events: f(self.events, other.events),
            timers: f(self.timers, other.timers),
            timer_lateness: Duration::from_nanos(f(self.lateness_nanos(), other.lateness_nanos())),
            timer_lateness_max: self.timer_lateness_max,
        }
    }

    /// Returns `timer_lateness` in nanoseconds, which are counted in 64 bits.
    fn lateness_nanos(&self) -> u64 {
        u64::try_from(self.timer_lateness.as_nanos()).unwrap_or(u64::MAX)
    }
}
