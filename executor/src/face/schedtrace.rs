//! The scheduler's trace: one line each so many milliseconds, on standard error.
//!
//! The thread that prints needs no processor, so that it goes on whatever the processors are stuck in. The numbers are read
//! one by one while everything runs, so that they need not agree with each other to the last unit.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::policy::Scheduler;

/// The thread that prints; dropping this ends it.
#[derive(Debug)]
pub(crate) struct SchedTrace {
    ending: Arc<Ending>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Ending {
    ended: Mutex<bool>,
    on_end: Condvar,
}

impl SchedTrace {
    pub(crate) fn start(scheduler: &Arc<Scheduler>, period: Duration) -> io::Result<Self> {
        let ending = Arc::new(Ending::default());
        let (watched, ends) = (Arc::downgrade(scheduler), Arc::clone(&ending));
        let thread = thread::Builder::new()
            .name("wsrt-schedtrace".into())
            .spawn(move || print_until_ended(&watched, &ends, period))?;
        Ok(Self { ending, thread: Some(thread) })
    }
}

impl Drop for SchedTrace {
    fn drop(&mut self) {
        *self.ending.ended.lock() = true;
        self.ending.on_end.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn print_until_ended(scheduler: &Weak<Scheduler>, ending: &Ending, period: Duration) {
    let start = Instant::now();
    let mut due = start;
    let mut ended = ending.ended.lock();
    while !*ended {
        due += period;
        while !*ended && !ending.on_end.wait_until(&mut ended, due).timed_out() {}
        let Some(scheduler) = scheduler.upgrade() else { return };
        let line = line(&scheduler, start.elapsed());
        // A closed standard error is no reason to end the program.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// One line, in the manner of Go's, with what Go leaves out at its end.
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
    let sum = |count: fn(&crate::players::Counters) -> u64| -> u64 {
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
