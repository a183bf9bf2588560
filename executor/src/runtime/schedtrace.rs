//! The scheduler's trace: one line per period on standard error, and with detail, one for each
//! processor and machine below it.
//!
//! The numbers are read one by one while the runtime runs, so that they may be off from each other
//! by a few.
//!
//! ```text
//!   P0: status=running m=1 task=17 since=3ms ring=12 runnext=1 timers=2 polls=8311 steal=4 stolen=31 parks=7 noops=1 overflows=0
//!   M1: thread=24817 status=running p=0
//!   sysmon: rescues=3 unexplained=0
//! ```

use std::fmt::Write as _;
use std::io;
use std::io::Write as _;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Once, Weak};
use std::time::Duration;

use wsrt_sync::drop_in;

use crate::runtime::Metrics;
use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::{Machine, OffProcessor};
use crate::scheduler::core::poll_watch::PollState;
use crate::scheduler::core::processor::Shared;
use crate::util::report::report;
use crate::util::sync::{self, thread};
use crate::util::threads::JoinedThread;

/// The settings of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchedtraceSettings {
    pub(crate) period: Duration,
    /// True if each processor and each machine gets a line.
    pub(crate) detail: bool,
}

/// Starts the thread that prints, and says once in the process which runtime this is: cargo may
/// have left the patch of the drop-in unused, and then nothing is printed.
pub(crate) fn start(scheduler: &Arc<Scheduler>, settings: SchedtraceSettings) -> io::Result<Periodic> {
    static SAID: Once = Once::new();
    SAID.call_once(|| report(format_args!("this is wsrt {}{}", env!("CARGO_PKG_VERSION"), drop_in::AS_TOKIO)));
    let start = sync::now();
    let print = move |scheduler: &Scheduler| {
        let mut text = line(scheduler, start.elapsed());
        if settings.detail {
            write(&mut text, scheduler);
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
        "] steal={} stolen={} polls={} parks={} overflows={} stalls={} background={}",
        total.steal_operations(),
        total.steal_count(),
        total.poll_count(),
        total.park_count(),
        total.overflow_count(),
        metrics.stall_count(),
        metrics.background_queue_depth(),
    );
    line
}

fn write(text: &mut String, scheduler: &Scheduler) {
    let held: Vec<Held> =
        scheduler.processors.iter().enumerate().map(|(index, p)| Held::see(scheduler, index, p)).collect();
    let machines = scheduler.threads.machines();
    for (processor, held) in scheduler.processors.iter().zip(&held) {
        write_processor(text, scheduler, processor, held, &machines);
    }
    for machine in &machines {
        write_machine(text, machine, &held);
    }
    if scheduler.config.has_watcher() {
        let rescues = &scheduler.rescues;
        let _ = writeln!(text, "  sysmon: rescues={} unexplained={}", rescues.all(), rescues.unexplained());
    }
}

/// A processor and its holder, as far as other threads can see.
struct Held {
    index: usize,
    state: PollState,
    /// The holder's thread; `None` for a processor that is idle, or out of play.
    thread: Option<u32>,
}

impl Held {
    fn see(scheduler: &Scheduler, index: usize, processor: &Shared) -> Self {
        let state = processor.watch().state();
        let thread = (!scheduler.idle.is_idle(index)).then_some(state.thread);
        Self { index, state, thread }
    }

    fn status(&self) -> &'static str {
        match self.state {
            _ if self.thread.is_none() => "idle",
            PollState { blocking: true, .. } => "blocked",
            PollState { computing: true, .. } => "computing",
            PollState { searching: true, .. } => "searching",
            _ => "running",
        }
    }

    fn is_in_a_poll(&self) -> bool {
        self.thread.is_some() && !self.state.searching && self.state.task != 0
    }

    /// Always false where threads have no numbers.
    fn is_held_by(&self, thread: u32) -> bool {
        thread != 0 && self.thread == Some(thread)
    }
}

fn write_processor(
    text: &mut String,
    scheduler: &Scheduler,
    processor: &Shared,
    held: &Held,
    machines: &[Arc<Machine>],
) {
    let _ = write!(text, "  P{}: status={}", held.index, held.status());
    let names = machines.iter().filter_map(|machine| machine.status().name());
    if let Some(name) = names.clone().find(|name| held.is_held_by(name.thread)) {
        let _ = write!(text, " m={}", name.number);
    }
    if held.is_in_a_poll() {
        let _ = write!(text, " task={}", held.state.task);
        if let Some(since) = processor.watch().under_way_since(processor.counters().poll_stamp()) {
            let _ = write!(text, " since={}ms", scheduler.clock.elapsed().saturating_sub(since) / 1_000_000);
        }
    }
    let counters = processor.counters();
    let _ = writeln!(
        text,
        " ring={} runnext={} timers={} polls={} steal={} stolen={} parks={} noops={} overflows={}",
        processor.ring().len(),
        u8::from(!processor.runnext().is_empty()),
        processor.timers().len(),
        counters.polls(),
        counters.steals.steals(),
        counters.steals.tasks(),
        counters.parks.get(),
        counters.useless_wakes.get(),
        counters.overflows.get(),
    );
}

fn write_machine(text: &mut String, machine: &Machine, held: &[Held]) {
    let Some(name) = machine.status().name() else { return };
    let _ = write!(text, "  M{}: thread={}", name.number, name.thread);
    let parker = machine.parker();
    let off = match machine.status().off_processor() {
        OffProcessor::Helping => Some("helping"),
        OffProcessor::HandedOver => Some("blocked"),
        OffProcessor::No if parker.is_polling() => Some("netpoller"),
        OffProcessor::No if parker.is_parked() => Some("parked"),
        // Away: since it was listed.
        OffProcessor::No | OffProcessor::Away => None,
    };
    let _ = match (off, held.iter().find(|held| held.is_held_by(name.thread))) {
        (Some(off), _) => writeln!(text, " status={off}"),
        (None, Some(held)) => writeln!(text, " status={} p={}", held.status(), held.index),
        // On its way to sleep, or just woken.
        (None, None) => writeln!(text, " status=awake"),
    };
}

/// A thread that looks at a runtime periodically; dropping this ends it, after one last look.
///
/// It needs no processor, so that it runs even if every processor is stuck, and it does not keep
/// the runtime alive.
#[derive(Debug)]
pub(crate) struct Periodic {
    /// Nothing is sent: the thread learns from its drop, which comes before the thread is joined.
    _until_dropped: Sender<()>,
    _thread: JoinedThread,
}

impl Periodic {
    /// Starts a thread called `name`, which calls `look` after each `period`.
    pub(crate) fn start(
        name: &str,
        scheduler: &Arc<Scheduler>,
        period: Duration,
        look: impl FnMut(&Scheduler) + Send + 'static,
    ) -> io::Result<Self> {
        let (until_dropped, ended) = channel();
        let watched = Arc::downgrade(scheduler);
        let thread =
            thread::Builder::new().name(name.into()).spawn(move || look_until(&ended, &watched, period, look))?;
        Ok(Self { _until_dropped: until_dropped, _thread: JoinedThread::new(thread) })
    }
}

fn look_until(ended: &Receiver<()>, scheduler: &Weak<Scheduler>, period: Duration, mut look: impl FnMut(&Scheduler)) {
    let mut due = Some(sync::now());
    let mut goes_on = true;
    while goes_on {
        due = due.and_then(|due| due.checked_add(period));
        goes_on = match due {
            Some(due) => {
                let left = due.saturating_duration_since(sync::now());
                ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout)
            }
            // Beyond the clock: only the end is left to wait for.
            None => ended.recv().is_ok(),
        };
        let Some(scheduler) = scheduler.upgrade() else { return };
        look(&scheduler);
    }
}
