//! The scheduler's trace: one line per period on standard error, and with detail, one for each
//! processor and machine below it.
//!
//! The numbers are read one by one while the runtime runs, so that they may be off from each other
//! by a few.

mod detail;

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::{Arc, Once};
use std::time::Duration;

use wsrt_sync::drop_in;

use crate::runtime::Metrics;
use crate::runtime::periodic::Periodic;
use crate::scheduler::Scheduler;
use crate::util::report::report;
use crate::util::sync;

/// The settings of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) period: Duration,
    /// True if each processor and each machine gets a line.
    pub(crate) detail: bool,
}

/// Starts the thread that prints, and says once in the process which runtime this is: cargo may
/// have left the patch of the drop-in unused, and then nothing is printed.
pub(crate) fn start(scheduler: &Arc<Scheduler>, settings: Settings) -> io::Result<Periodic> {
    static SAID: Once = Once::new();
    SAID.call_once(|| report(format_args!("this is wsrt {}{}", env!("CARGO_PKG_VERSION"), drop_in::AS_TOKIO)));
    let start = sync::now();
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
    let metrics = Metrics::read(scheduler);
    let total = metrics.total();
    let mut line = format!(
        "SCHED {}ms: procs={} idleprocs={} spareprocs={} machines={} searching={} idlemachines={} runqueue={} [",
        elapsed.as_millis(),
        metrics.num_workers(),
        metrics.num_idle_processors(),
        metrics.num_spare_processors(),
        metrics.num_machines(),
        metrics.num_searching(),
        metrics.num_idle_machines(),
        metrics.global_queue_depth(),
    );
    for (index, processor) in scheduler.processors.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(line, "{space}{}", processor.waiting());
    }
    let _ = writeln!(
        line,
        "] steal={} stolen={} polls={} parks={} overflows={} stalls={}",
        total.steal_operations(),
        total.steal_count(),
        total.poll_count(),
        total.park_count(),
        total.overflow_count(),
        metrics.stall_count(),
    );
    line
}
