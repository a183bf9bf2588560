//! One publication: each figure under its name. `executor/docs/METRICS.md` lists the names.

use std::time::Duration;

use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};
use wsrt::runtime::{Arrivals, LatencyHistogram, Metrics, ProcessorMetrics, Steals};

/// The quantiles of the histograms that are published, and their labels.
const QUANTILES: [(f64, &str); 4] = [(0.5, "0.5"), (0.9, "0.9"), (0.99, "0.99"), (0.999, "0.999")];

/// A figure that is published: its name, its description, and its value in a snapshot.
type Figure<S, V> = (&'static str, &'static str, fn(&S) -> V);

const GAUGES: [Figure<Metrics, usize>; 12] = [
    ("wsrt_processors", "Processors that run tasks while none is stuck", Metrics::num_workers),
    ("wsrt_spare_processors", "Spare processors in play", Metrics::num_spare_processors),
    ("wsrt_idle_processors", "Processors with nothing to do", Metrics::num_idle_processors),
    ("wsrt_searching_machines", "Machines that look for work to steal", Metrics::num_searching),
    ("wsrt_machines", "Threads that run tasks", Metrics::num_machines),
    ("wsrt_idle_machines", "Those that wait for a processor", Metrics::num_idle_machines),
    ("wsrt_helpers", "Threads that compute and hold no processor", Metrics::num_helpers),
    ("wsrt_alive_tasks", "Tasks that were spawned and have not ended", Metrics::num_alive_tasks),
    ("wsrt_global_queue_depth", "Tasks in the queue that all processors share", Metrics::global_queue_depth),
    ("wsrt_blocking_queue_depth", "Blocking jobs that wait for a thread", Metrics::blocking_queue_depth),
    ("wsrt_blocking_threads", "Threads for blocking jobs", Metrics::num_blocking_threads),
    ("wsrt_idle_blocking_threads", "Those that wait for a job", Metrics::num_idle_blocking_threads),
];

/// Labelled with the processor.
const PROCESSOR_GAUGES: [Figure<ProcessorMetrics, usize>; 2] = [
    ("wsrt_local_queue_depth", "Tasks in the processor's own queues", ProcessorMetrics::local_queue_depth),
    ("wsrt_timers", "Timers that the processor holds", ProcessorMetrics::timers_held),
];

/// Labelled with the processor.
const PROCESSOR_COUNTERS: [Figure<ProcessorMetrics, u64>; 5] = [
    ("wsrt_parks_total", "Times that the processor was given up for want of work", ProcessorMetrics::park_count),
    ("wsrt_wakes_total", "Times that it was taken up from among the idle", ProcessorMetrics::wake_count),
    ("wsrt_useless_wakes_total", "Wakes that were followed by no poll", ProcessorMetrics::noop_count),
    ("wsrt_overflows_total", "Times that the processor's queue was full", ProcessorMetrics::overflow_count),
    ("wsrt_sampled_polls_total", "Polls in the histograms", |processor| processor.poll_time().count()),
];

/// Labelled with the processor, or `none`.
const ARRIVALS: [Figure<Arrivals, u64>; 3] = [
    ("wsrt_netpolls_total", "Turns of the netpoller", |arrivals| arrivals.turns),
    ("wsrt_network_events_total", "Events that reached a socket", |arrivals| arrivals.events),
    ("wsrt_timers_fired_total", "Timers fired", |arrivals| arrivals.timers),
];

/// Counters with their own labels.
const OTHER_COUNTERS: [(&str, &str); 9] = [
    ("wsrt_polls_total", "Polls of tasks, by where the task was found"),
    ("wsrt_steals_total", "Successful steals, by victim"),
    ("wsrt_stolen_tasks_total", "Tasks that were stolen, by victim"),
    ("wsrt_stalls_total", "Polls that were reported as stalls"),
    ("wsrt_stalls_by_site_total", "The same by the place where the task was spawned"),
    ("wsrt_rescues_total", "Times that sysmon acted in the machines' stead"),
    ("wsrt_unexplained_rescues_total", "Those of them that no long poll explains"),
    ("wsrt_spawns_total", "Tasks that were spawned"),
    ("wsrt_blocking_jobs_total", "Blocking jobs that a thread has begun"),
];

/// Publishes snapshots; it keeps the previous one, for the figures of the time between.
pub(super) struct Publisher {
    previous: Metrics,
}

impl Publisher {
    /// Publishes `first` too, so that every name is known from the start.
    pub(super) fn new(first: Metrics) -> Self {
        describe();
        publish(&first);
        Self { previous: first }
    }

    pub(super) fn publish(&mut self, now: Metrics) {
        publish(&now);
        let total = now.since(&self.previous).total();
        quantiles("wsrt_schedule_latency_seconds", total.schedule_latency());
        quantiles("wsrt_poll_time_seconds", total.poll_time());
        self.previous = now;
    }
}

fn publish(now: &Metrics) {
    for (index, processor) in now.processors().iter().enumerate() {
        publish_processor(&index.to_string(), processor);
    }
    publish_arrivals("none", now.elsewhere());
    counter!("wsrt_stalls_total").absolute(now.stall_count());
    for (site, count) in now.stalls_by_site() {
        counter!("wsrt_stalls_by_site_total", "spawned_at" => site.to_string()).absolute(*count);
    }
    counter!("wsrt_rescues_total").absolute(now.rescue_count());
    counter!("wsrt_unexplained_rescues_total").absolute(now.unexplained_rescue_count());
    counter!("wsrt_spawns_total").absolute(now.spawn_count());
    counter!("wsrt_blocking_jobs_total").absolute(now.blocking_job_count());
    counter!("wsrt_blocking_queue_wait_nanoseconds_total").absolute(nanos(now.blocking_queue_wait()));
    gauge!("wsrt_blocking_queue_wait_max_seconds").set(now.blocking_queue_wait_max().as_secs_f64());
    for (name, _, value) in GAUGES {
        gauge!(name).set(value(now) as f64);
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn publish_processor(index: &str, processor: &ProcessorMetrics) {
    let polls = processor.polls_by_source();
    let by_source = [
        ("runnext", polls.runnext),
        ("ring", polls.ring),
        ("injector", polls.injector),
        ("network", polls.network),
        ("timer", polls.timer),
        ("stolen", polls.stolen),
    ];
    for (source, count) in by_source {
        counter!("wsrt_polls_total", "processor" => index.to_owned(), "source" => source).absolute(count);
    }
    for (victim, steals) in processor.steals_by_victim().iter().enumerate() {
        steals_from(index, victim, steals);
    }
    for (name, _, count) in PROCESSOR_COUNTERS {
        counter!(name, "processor" => index.to_owned()).absolute(count(processor));
    }
    counter!("wsrt_busy_nanoseconds_total", "processor" => index.to_owned()).absolute(nanos(processor.busy_time()));
    publish_arrivals(index, processor.arrivals());
    for (name, _, value) in PROCESSOR_GAUGES {
        gauge!(name, "processor" => index.to_owned()).set(value(processor) as f64);
    }
}

/// A pair of processors appears with its first steal: most of a large matrix never does.
fn steals_from(thief: &str, victim: usize, steals: &Steals) {
    if steals.operations > 0 {
        let labels = [("processor", thief.to_owned()), ("victim", victim.to_string())];
        counter!("wsrt_steals_total", &labels).absolute(steals.operations);
        counter!("wsrt_stolen_tasks_total", &labels).absolute(steals.tasks);
    }
}

fn publish_arrivals(processor: &str, arrivals: &Arrivals) {
    for (name, _, count) in ARRIVALS {
        counter!(name, "processor" => processor.to_owned()).absolute(count(arrivals));
    }
    let lateness = nanos(arrivals.timer_lateness);
    counter!("wsrt_timer_lateness_nanoseconds_total", "processor" => processor.to_owned()).absolute(lateness);
    let latest = arrivals.timer_lateness_max.as_secs_f64();
    gauge!("wsrt_timer_lateness_max_seconds", "processor" => processor.to_owned()).set(latest);
}

/// Publishes nothing if nothing was sampled: the last values stay.
fn quantiles(name: &'static str, histogram: &LatencyHistogram) {
    for (q, label) in QUANTILES {
        if let Some(duration) = histogram.quantile(q) {
            gauge!(name, "quantile" => label).set(duration.as_secs_f64());
        }
    }
}

fn describe() {
    let arrivals = ARRIVALS.map(|(name, text, _)| (name, text));
    let of_processors = PROCESSOR_COUNTERS.map(|(name, text, _)| (name, text));
    for (name, text) in OTHER_COUNTERS.into_iter().chain(of_processors).chain(arrivals) {
        describe_counter!(name, Unit::Count, text);
    }
    let nanoseconds = [
        ("wsrt_timer_lateness_nanoseconds_total", "By how much timers fired after their deadlines, added up"),
        ("wsrt_busy_nanoseconds_total", "For how long machines have held the processor"),
        ("wsrt_blocking_queue_wait_nanoseconds_total", "For how long blocking jobs waited for a thread, added up"),
    ];
    for (name, text) in nanoseconds {
        describe_counter!(name, Unit::Nanoseconds, text);
    }
    let of_processors = PROCESSOR_GAUGES.map(|(name, text, _)| (name, text));
    for (name, text) in GAUGES.map(|(name, text, _)| (name, text)).into_iter().chain(of_processors) {
        describe_gauge!(name, Unit::Count, text);
    }
    let seconds = [
        ("wsrt_schedule_latency_seconds", "From runnable to running, in the last period"),
        ("wsrt_poll_time_seconds", "How long polls took, in the last period"),
        ("wsrt_timer_lateness_max_seconds", "By how much the latest timer fired after its deadline"),
        ("wsrt_blocking_queue_wait_max_seconds", "The longest wait of a blocking job for a thread"),
    ];
    for (name, text) in seconds {
        describe_gauge!(name, Unit::Seconds, text);
    }
}
