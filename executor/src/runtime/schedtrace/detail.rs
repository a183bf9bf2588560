//! The detail: a line for each processor in state, one for each machine, and one for sysmon.
//!
//! ```text
//!   P0: status=running m=1 task=17 since=3ms ring=12 runnext=1 timers=2 polls=8311 steal=4 stolen=31 parks=7 noops=1 overflows=0
//!   M1: thread=24817 status=running p=0
//!   sysmon: rescues=3 unexplained=0
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::machine::OffProcessor;
use crate::scheduler::core::poll_watch::PollState;
use crate::scheduler::core::processor::Shared;

pub(super) fn write(text: &mut String, scheduler: &Scheduler) {
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
        if let Some(since) = processor.watch().under_way_since(processor.counters().polls()) {
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
