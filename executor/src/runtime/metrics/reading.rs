//! Reads a runtime's counts while it runs.

use std::cmp::Reverse;
use std::time::Duration;

use super::processor::Counts;
use super::{Arrivals, LatencyHistogram, Metrics, ProcessorMetrics, Steals};
use crate::observe::counters::{Arrivals as ArrivalCounts, Count, Counters};
use crate::scheduler::Scheduler;
use crate::scheduler::core::processor::Shared;
use crate::util::sync::atomic::Ordering::Acquire;
use crate::util::sync::atomic::fence;

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
            rescues: scheduler.rescues.all(),
            unexplained_rescues: scheduler.rescues.unexplained(),
            spawns: scheduler.tasks.listed(),
            blocking_jobs: waits.begun.get(),
            blocking_wait: Duration::from_nanos(waits.total.get()),
            blocking_wait_max: Duration::from_nanos(waits.longest.get()),
            workers: scheduler.processors.regular(),
            spares: scheduler.processors.spares(),
            idle_processors: scheduler.idle.count_idle(),
            searching: scheduler.idle.count_searching(),
            machines: scheduler.threads.alive(),
            idle_machines: scheduler.idle.count_machines(),
            helpers: scheduler.helpers.count(),
            alive_tasks: scheduler.tasks.len(),
            global_queue: scheduler.injector.len(),
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
fn read_at_rest(counters: &Counters) -> Counts {
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

fn read_counts(counters: &Counters) -> Counts {
    let steals = counters.steals.iter();
    Counts {
        polls: counters.polls_by_kind(),
        steals: steals.map(|from| Steals { operations: from.steals.get(), tasks: from.tasks.get() }).collect(),
        parks: counters.parks.get(),
        wakes: counters.wakes.get(),
        noops: counters.useless_wakes.get(),
        overflows: counters.overflows.get(),
        arrivals: read_arrivals(&counters.arrivals),
    }
}

fn read_arrivals(arrivals: &ArrivalCounts<impl Count>) -> Arrivals {
    Arrivals {
        turns: arrivals.turns.get(),
        events: arrivals.events.get(),
        timers: arrivals.timers.get(),
        timer_lateness: Duration::from_nanos(arrivals.late.get()),
        timer_lateness_max: Duration::from_nanos(arrivals.latest.get()),
    }
}
