//! One publication: each figure under its name. The names are listed in `docs/METRICS.md`.

use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};

use super::super::{Arrivals, LatencyHistogram, Metrics, ProcessorMetrics, Steals};

/// The quantiles of the histograms that are published, and their labels.
const QUANTILES: [(f64, &str); 4] = [(0.5, "0.5"), (0.9, "0.9"), (0.99, "0.99"), (0.999, "0.999")];

/// What publishes; it remembers the snapshot before, for what is said of the time between.
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
        counts_of_processor(&index.to_string(), processor);
    }
    arrivals("none", now.elsewhere());
    counter!("wsrt_stalls_total").absolute(now.stall_count());
    for (site, count) in now.stalls_by_site() {
        counter!("wsrt_stalls_by_site_total", "spawned_at" => site.to_string()).absolute(*count);
    }
    let gauges = [
        ("wsrt_processors", now.num_workers()),
        ("wsrt_spare_processors", now.num_spare_processors()),
        ("wsrt_idle_processors", now.num_idle_processors()),
        ("wsrt_searching_machines", now.num_searching()),
        ("wsrt_machines", now.num_machines()),
        ("wsrt_idle_machines", now.num_idle_machines()),
        ("wsrt_helpers", now.num_helpers()),
        ("wsrt_alive_tasks", now.num_alive_tasks()),
        ("wsrt_global_queue_depth", now.global_queue_depth()),
        ("wsrt_blocking_queue_depth", now.blocking_queue_depth()),
        ("wsrt_blocking_threads", now.num_blocking_threads()),
        ("wsrt_idle_blocking_threads", now.num_idle_blocking_threads()),
    ];
    for (name, value) in gauges {
        gauge!(name).set(value as f64);
    }
}

fn counts_of_processor(index: &str, processor: &ProcessorMetrics) {
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
    let counts = [
        ("wsrt_parks_total", processor.park_count()),
        ("wsrt_wakes_total", processor.wake_count()),
        ("wsrt_useless_wakes_total", processor.noop_count()),
        ("wsrt_overflows_total", processor.overflow_count()),
        ("wsrt_sampled_polls_total", processor.poll_time().count()),
    ];
    for (name, count) in counts {
        counter!(name, "processor" => index.to_owned()).absolute(count);
    }
    arrivals(index, processor.arrivals());
    gauge!("wsrt_local_queue_depth", "processor" => index.to_owned()).set(processor.local_queue_depth() as f64);
    gauge!("wsrt_timers", "processor" => index.to_owned()).set(processor.timers_held() as f64);
}

/// A pair of processors appears with its first steal: most of a large matrix never does.
fn steals_from(thief: &str, victim: usize, steals: &Steals) {
    if steals.operations > 0 {
        let labels = [("processor", thief.to_owned()), ("victim", victim.to_string())];
        counter!("wsrt_steals_total", &labels).absolute(steals.operations);
        counter!("wsrt_stolen_tasks_total", &labels).absolute(steals.tasks);
    }
}

fn arrivals(processor: &str, arrivals: &Arrivals) {
    let counts = [
        ("wsrt_netpolls_total", arrivals.turns),
        ("wsrt_network_events_total", arrivals.events),
        ("wsrt_timers_fired_total", arrivals.timers),
        (
            "wsrt_timer_lateness_nanoseconds_total",
            u64::try_from(arrivals.timer_lateness.as_nanos()).unwrap_or(u64::MAX),
        ),
    ];
    for (name, count) in counts {
        counter!(name, "processor" => processor.to_owned()).absolute(count);
    }
    let latest = arrivals.timer_lateness_max.as_secs_f64();
    gauge!("wsrt_timer_lateness_max_seconds", "processor" => processor.to_owned()).set(latest);
}

/// Nothing where nothing was sampled: what was said last stands.
fn quantiles(name: &'static str, histogram: &LatencyHistogram) {
    for (q, label) in QUANTILES {
        if let Some(duration) = histogram.quantile(q) {
            gauge!(name, "quantile" => label).set(duration.as_secs_f64());
        }
    }
}

fn describe() {
    let counters = [
        ("wsrt_polls_total", "Polls of tasks, by where the task was found"),
        ("wsrt_steals_total", "Successful steals, by victim"),
        ("wsrt_stolen_tasks_total", "Tasks that were stolen, by victim"),
        ("wsrt_parks_total", "Times that the processor was given up for want of work"),
        ("wsrt_wakes_total", "Times that it was taken up from among the idle"),
        ("wsrt_useless_wakes_total", "Wakes that were followed by no poll"),
        ("wsrt_overflows_total", "Times that the processor's queue was full"),
        ("wsrt_sampled_polls_total", "Polls in the histograms"),
        ("wsrt_netpolls_total", "Fairness of the netpoller"),
        ("wsrt_network_events_total", "Events that reached a socket"),
        ("wsrt_timers_fired_total", "Timers fired"),
        ("wsrt_stalls_total", "Polls that were reported as stalls"),
        ("wsrt_stalls_by_site_total", "The same by the place where the task was spawned"),
    ];
    for (name, text) in counters {
        describe_counter!(name, Unit::Count, text);
    }
    let lateness = "By how much timers fired after their deadlines, added up";
    describe_counter!("wsrt_timer_lateness_nanoseconds_total", Unit::Nanoseconds, lateness);
    let gauges = [
        ("wsrt_processors", "Processors that run tasks while none is stuck"),
        ("wsrt_spare_processors", "Spare processors in play"),
        ("wsrt_idle_processors", "Processors with nothing to do"),
        ("wsrt_searching_machines", "Machines that look for work to steal"),
        ("wsrt_machines", "Threads that run tasks"),
        ("wsrt_idle_machines", "Those that wait for a processor"),
        ("wsrt_helpers", "Threads that compute and hold no processor"),
        ("wsrt_alive_tasks", "Tasks that were spawned and have not ended"),
        ("wsrt_global_queue_depth", "Tasks in the queue that all processors share"),
        ("wsrt_local_queue_depth", "Tasks in the processor's own queues"),
        ("wsrt_timers", "Timers that the processor holds"),
        ("wsrt_blocking_queue_depth", "Blocking jobs that wait for a thread"),
        ("wsrt_blocking_threads", "Threads for blocking jobs"),
        ("wsrt_idle_blocking_threads", "Those that wait for a job"),
    ];
    for (name, text) in gauges {
        describe_gauge!(name, Unit::Count, text);
    }
    let seconds = [
        ("wsrt_schedule_latency_seconds", "From runnable to running, in the last period"),
        ("wsrt_poll_time_seconds", "How long polls took, in the last period"),
        ("wsrt_timer_lateness_max_seconds", "By how much the latest timer fired after its deadline"),
    ];
    for (name, text) in seconds {
        describe_gauge!(name, Unit::Seconds, text);
    }
}
