//! The figures: each with its name, its kind, what it means, and its values in a snapshot.
//! `executor/docs/METRICS.md` lists them. What publishes them is elsewhere: `text` for Prometheus'
//! text format, `publishing` for the crate `metrics`, and the crate wsrt-opentelemetry.

use std::time::Duration;

use wsrt::runtime::{__ShortLocation as ShortLocation, Arrivals, LatencyHistogram, Metrics, ProcessorMetrics};

use self::Kind::{Counter, Gauge, Histogram};
use self::Source::{Each, Labelled, OfArrivals, Whole};
use self::Value::{Count, Seconds};

/// A figure: a name, what it means, and where its values come from.
#[doc(hidden)]
#[derive(Debug)]
pub struct Figure {
    /// What the figure does over time.
    pub kind: Kind,
    /// The figure's name in Prometheus.
    pub name: &'static str,
    /// What the figure means, as a sentence without its full stop.
    pub about: &'static str,
    source: Source,
}

/// What a figure does over time, by Prometheus' words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Kind {
    /// A number that only rises.
    Counter,
    /// A current number.
    Gauge,
    /// Durations, counted in buckets.
    Histogram,
}

/// Where the values of a figure come from.
#[derive(Debug)]
enum Source {
    /// A number of the whole runtime: one series.
    Whole(fn(&Metrics) -> Value),
    /// A number of each processor.
    Each(fn(&ProcessorMetrics) -> Value),
    /// A number of each processor, and of the threads without one.
    OfArrivals(fn(&Arrivals) -> Value),
    /// Series with labels of their own.
    Labelled(fn(&Metrics, &mut Series<'_>)),
}

/// A function that takes the labels and the value of a series.
pub(crate) type Series<'a> = dyn FnMut(Labels<'_>, Value) + 'a;
pub(crate) type Labels<'a> = &'a [(&'static str, &'a str)];

/// The value of a series.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// A duration.
    Seconds(Duration),
    /// A distribution of durations.
    Durations(LatencyHistogram),
}

const PROCESSOR: &str = "processor";
/// The value of the label `processor` for what threads without a processor have done.
const NO_PROCESSOR: &str = "none";

impl Figure {
    /// Calls `put` with each series of `metrics`.
    pub fn each_series(&self, metrics: &Metrics, put: &mut Series<'_>) {
        match self.source {
            Whole(value) => put(&[], value(metrics)),
            Each(value) => each_processor(metrics, put, value),
            OfArrivals(value) => {
                each_processor(metrics, put, |processor| value(processor.arrivals()));
                put(&[(PROCESSOR, NO_PROCESSOR)], value(metrics.elsewhere()));
            }
            Labelled(put_all) => put_all(metrics, put),
        }
    }
}

fn each_processor(metrics: &Metrics, put: &mut Series<'_>, value: impl Fn(&ProcessorMetrics) -> Value) {
    for (index, processor) in metrics.processors().iter().enumerate() {
        put(&[(PROCESSOR, &index.to_string())], value(processor));
    }
}

const fn figure(kind: Kind, name: &'static str, about: &'static str, source: Source) -> Figure {
    Figure { kind, name, about, source }
}

const fn number(count: usize) -> Value {
    Count(count as u64)
}

/// The figures, in the order in which they are published.
pub const FIGURES: [Figure; 47] = [
    figure(Counter, "wsrt_polls_total", "Polls of tasks, by where the task was found", Labelled(polls)),
    figure(Counter, "wsrt_steals_total", "Successful steals", Each(|processor| Count(processor.steal_operations()))),
    figure(
        Counter,
        "wsrt_stolen_tasks_total",
        "Tasks that were stolen",
        Each(|processor| Count(processor.steal_count())),
    ),
    figure(
        Counter,
        "wsrt_overflows_total",
        "Times that the processor's queue was full",
        Each(|processor| Count(processor.overflow_count())),
    ),
    figure(
        Counter,
        "wsrt_parks_total",
        "Times that the processor ran out of work",
        Each(|processor| Count(processor.park_count())),
    ),
    figure(
        Counter,
        "wsrt_wakes_total",
        "Times that the processor was taken up from among the idle",
        Each(|processor| Count(processor.wake_count())),
    ),
    figure(
        Counter,
        "wsrt_useless_wakes_total",
        "Wakes that were followed by no poll",
        Each(|processor| Count(processor.noop_count())),
    ),
    figure(
        Counter,
        "wsrt_busy_seconds_total",
        "For how long machines have held the processor",
        Each(|processor| Seconds(processor.busy_time())),
    ),
    figure(
        Counter,
        "wsrt_background_polls_total",
        "Polls of background tasks",
        Each(|processor| Count(processor.background_poll_count())),
    ),
    figure(
        Counter,
        "wsrt_background_seconds_total",
        "For how long background tasks were polled",
        Each(|processor| Seconds(processor.background_time())),
    ),
    figure(
        Gauge,
        "wsrt_local_queue_depth",
        "Tasks in the processor's own queues",
        Each(|processor| number(processor.local_queue_depth())),
    ),
    figure(Gauge, "wsrt_timers", "Timers that the processor holds", Each(|processor| number(processor.timers_held()))),
    figure(Counter, "wsrt_netpolls_total", "Turns of the netpoller", OfArrivals(|arrivals| Count(arrivals.turns))),
    figure(
        Counter,
        "wsrt_network_events_total",
        "Events that reached a socket",
        OfArrivals(|arrivals| Count(arrivals.events)),
    ),
    figure(Counter, "wsrt_timers_fired_total", "Timers fired", OfArrivals(|arrivals| Count(arrivals.timers))),
    figure(
        Counter,
        "wsrt_timer_lateness_seconds_total",
        "By how much timers fired after their deadlines, added up",
        OfArrivals(|arrivals| Seconds(arrivals.timer_lateness)),
    ),
    figure(
        Gauge,
        "wsrt_timer_lateness_max_seconds",
        "By how much the latest timer fired after its deadline",
        OfArrivals(|arrivals| Seconds(arrivals.timer_lateness_max)),
    ),
    figure(
        Histogram,
        "wsrt_schedule_latency_seconds",
        "From runnable to running, of one poll in eight while latencies are sampled",
        Whole(|metrics| summed(metrics, ProcessorMetrics::schedule_latency)),
    ),
    figure(
        Histogram,
        "wsrt_poll_time_seconds",
        "How long polls took, of the same polls",
        Whole(|metrics| summed(metrics, ProcessorMetrics::poll_time)),
    ),
    figure(
        Counter,
        "wsrt_stalls_total",
        "Polls that were reported as stalls",
        Whole(|metrics| Count(metrics.stall_count())),
    ),
    figure(
        Counter,
        "wsrt_stalls_by_site_total",
        "The same by the place where the task was spawned",
        Labelled(stalls_by_site),
    ),
    figure(
        Histogram,
        "wsrt_site_poll_time_seconds",
        "How long polls took, by the place where the task was spawned",
        Labelled(site_polls),
    ),
    figure(
        Gauge,
        "wsrt_site_longest_poll_seconds",
        "The longest of them since measuring began",
        Labelled(site_longest),
    ),
    figure(
        Histogram,
        "wsrt_name_poll_time_seconds",
        "How long polls took, by the name of the task",
        Labelled(name_polls),
    ),
    figure(
        Gauge,
        "wsrt_name_longest_poll_seconds",
        "The longest of them since measuring began",
        Labelled(name_longest),
    ),
    figure(
        Counter,
        "wsrt_rescues_total",
        "Times that the watcher acted instead of a machine",
        Whole(|metrics| Count(metrics.rescue_count())),
    ),
    figure(
        Counter,
        "wsrt_unexplained_rescues_total",
        "Rescues that no long poll explains",
        Whole(|metrics| Count(metrics.unexplained_rescue_count())),
    ),
    figure(Counter, "wsrt_spawns_total", "Tasks that were spawned", Whole(|metrics| Count(metrics.spawn_count()))),
    figure(
        Counter,
        "wsrt_blocking_jobs_total",
        "Blocking jobs that a thread has begun",
        Whole(|metrics| Count(metrics.blocking_job_count())),
    ),
    figure(
        Counter,
        "wsrt_blocking_queue_wait_seconds_total",
        "For how long blocking jobs waited for a thread, added up",
        Whole(|metrics| Seconds(metrics.blocking_queue_wait())),
    ),
    figure(
        Gauge,
        "wsrt_blocking_queue_wait_max_seconds",
        "The longest wait of a blocking job for a thread",
        Whole(|metrics| Seconds(metrics.blocking_queue_wait_max())),
    ),
    figure(
        Counter,
        "wsrt_shed_requests_total",
        "Requests that servers answered with 503 since they had waited too long",
        Whole(|metrics| Count(metrics.shed_request_count())),
    ),
    figure(
        Counter,
        "wsrt_shed_connections_total",
        "New connections that servers closed since they had waited too long",
        Whole(|metrics| Count(metrics.shed_connection_count())),
    ),
    figure(
        Gauge,
        "wsrt_processors",
        "Processors that run tasks while none is stuck",
        Whole(|metrics| number(metrics.num_workers())),
    ),
    figure(
        Gauge,
        "wsrt_spare_processors",
        "Spare processors in play",
        Whole(|metrics| number(metrics.num_spare_processors())),
    ),
    figure(
        Gauge,
        "wsrt_idle_processors",
        "Processors with nothing to do",
        Whole(|metrics| number(metrics.num_idle_processors())),
    ),
    figure(
        Gauge,
        "wsrt_searching_machines",
        "Machines that look for work to steal",
        Whole(|metrics| number(metrics.num_searching())),
    ),
    figure(Gauge, "wsrt_machines", "Threads that run tasks", Whole(|metrics| number(metrics.num_machines()))),
    figure(
        Gauge,
        "wsrt_idle_machines",
        "Those that wait for a processor",
        Whole(|metrics| number(metrics.num_idle_machines())),
    ),
    figure(
        Gauge,
        "wsrt_helpers",
        "Threads that compute and hold no processor",
        Whole(|metrics| number(metrics.num_helpers())),
    ),
    figure(
        Gauge,
        "wsrt_alive_tasks",
        "Tasks that were spawned and have not ended",
        Whole(|metrics| number(metrics.num_alive_tasks())),
    ),
    figure(
        Gauge,
        "wsrt_orphan_tasks",
        "Tasks that wait, and that nothing can wake or end",
        Whole(|metrics| number(metrics.num_orphan_tasks())),
    ),
    figure(
        Gauge,
        "wsrt_global_queue_depth",
        "Tasks in the queue that all processors share",
        Whole(|metrics| number(metrics.global_queue_depth())),
    ),
    figure(
        Gauge,
        "wsrt_background_queue_depth",
        "Background tasks that are ready to run",
        Whole(|metrics| number(metrics.background_queue_depth())),
    ),
    figure(
        Gauge,
        "wsrt_blocking_queue_depth",
        "Blocking jobs that wait for a thread",
        Whole(|metrics| number(metrics.blocking_queue_depth())),
    ),
    figure(
        Gauge,
        "wsrt_blocking_threads",
        "Threads for blocking jobs",
        Whole(|metrics| number(metrics.num_blocking_threads())),
    ),
    figure(
        Gauge,
        "wsrt_idle_blocking_threads",
        "Those that wait for a job",
        Whole(|metrics| number(metrics.num_idle_blocking_threads())),
    ),
];

fn polls(metrics: &Metrics, put: &mut Series<'_>) {
    for (index, processor) in metrics.processors().iter().enumerate() {
        let (index, polls) = (index.to_string(), processor.polls_by_source());
        for (source, count) in [
            ("runnext", polls.runnext),
            ("ring", polls.ring),
            ("injector", polls.injector),
            ("network", polls.network),
            ("timer", polls.timer),
            ("stolen", polls.stolen),
        ] {
            put(&[(PROCESSOR, &index), ("source", source)], Count(count));
        }
    }
}

/// Returns the sum of one histogram over all processors.
fn summed(metrics: &Metrics, histogram: fn(&ProcessorMetrics) -> &LatencyHistogram) -> Value {
    let mut sum = LatencyHistogram::default();
    metrics.processors().iter().for_each(|processor| sum.add(histogram(processor)));
    Value::Durations(sum)
}

fn stalls_by_site(metrics: &Metrics, put: &mut Series<'_>) {
    for (site, count) in metrics.stalls_by_site() {
        put(&[("spawned_at", &ShortLocation(site).to_string())], Count(*count));
    }
}

fn site_polls(metrics: &Metrics, put: &mut Series<'_>) {
    for site in metrics.polls_by_site() {
        put(
            &[("spawned_at", &ShortLocation(site.spawned_at()).to_string())],
            Value::Durations(site.poll_time().clone()),
        );
    }
}

fn site_longest(metrics: &Metrics, put: &mut Series<'_>) {
    for site in metrics.polls_by_site() {
        put(&[("spawned_at", &ShortLocation(site.spawned_at()).to_string())], Seconds(site.longest_poll()));
    }
}

fn name_polls(metrics: &Metrics, put: &mut Series<'_>) {
    for name in metrics.polls_by_name() {
        put(&[("task", name.name())], Value::Durations(name.poll_time().clone()));
    }
}

fn name_longest(metrics: &Metrics, put: &mut Series<'_>) {
    for name in metrics.polls_by_name() {
        put(&[("task", name.name())], Seconds(name.longest_poll()));
    }
}
