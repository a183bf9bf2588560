//! The scheduler's trace: one line per period on standard error, and with detail, one for each
//! processor and machine below it.
//!
//! The numbers are read one by one while the runtime runs, so that they may be off from each other
//! by a few.

mod detail;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::runtime::periodic::Periodic;
use crate::scheduler::Scheduler;

/// The settings of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) period: Duration,
    /// Whether each processor and machine has a line of its own.
    pub(crate) detail: bool,
}

/// Starts the thread that prints.
pub(crate) fn start(scheduler: &Arc<Scheduler>, settings: Settings) -> io::Result<Periodic> {
    let start = Instant::now();
    let print = move |scheduler: &Scheduler| {
        let mut text = line(scheduler, start.elapsed());
        if settings.detail {
            detail::write(&mut text, scheduler);
        }
        // A closed standard error is no reason to end the program.
        let _ = io::stderr().write_all(text.as_bytes());
    };
    Periodic::start("wsrt-schedtrace", scheduler, settings.period, print)
}

/// Returns one line in the manner of Go's; fields that Go does not have come last.
fn line(scheduler: &Scheduler, elapsed: Duration) -> String {
    let mut line = format!(
        "SCHED {}ms: procs={} idleprocs={} spareprocs={} machines={} searching={} idlemachines={} runqueue={} [",
        elapsed.as_millis(),
        scheduler.processors.regular(),
        scheduler.idle.count_idle(),
        scheduler.processors.spares(),
        scheduler.threads.alive(),
        scheduler.idle.count_searching(),
        scheduler.idle.count_machines(),
        scheduler.injector.len(),
    );
    for (index, processor) in scheduler.processors.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(line, "{space}{}", processor.waiting());
    }
    let sum = |count: fn(&crate::observe::counters::Counters) -> u64| -> u64 {
        scheduler.processors.all().map(|processor| count(processor.counters())).sum()
    };
    let _ = writeln!(
        line,
        "] steal={} stolen={} polls={} parks={} overflows={} stalls={}",
        sum(|counters| counters.steals.steals()),
        sum(|counters| counters.steals.tasks()),
        sum(|counters| counters.polls()),
        sum(|counters| counters.parks.get()),
        sum(|counters| counters.overflows.get()),
        scheduler.stalls.total(),
    );
    line
}
