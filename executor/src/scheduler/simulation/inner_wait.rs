//! Waits inside turns, of a task or a job in `block_on`, and how they end.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::thread::panicking;

use wsrt_world::HostLife;

use super::Simulation;
use crate::scheduler::block_on::root::RootRef;
use crate::util::report::report;

/// How a run of the stage has ended.
pub(super) enum RunEnd {
    RootDone,
    /// Nothing can continue, or the run has failed, says the report.
    Stuck(String),
    /// A wait inside a turn that no longer has a purpose.
    Left,
}

impl RunEnd {
    /// The run has failed, which the outermost one reports. A thread that unwinds could not leave a
    /// wait by unwinding.
    pub(super) fn failed(why: String, inner: Option<&InnerWait>) -> Self {
        if inner.is_some() && !panicking() { Self::Left } else { Self::Stuck(format!("wsrt: {why}")) }
    }
}

/// A wait inside a turn.
pub(super) struct InnerWait {
    /// Where the task or job that waits belongs.
    member: HostLife,
    /// The root of the run of the stage around this one.
    outer: Option<RootRef>,
    /// Since when the future of a wait further out has been done.
    buried_since: Cell<Option<u64>>,
}

/// A wait that is over may be kept waiting for so long, in nanoseconds: ten minutes.
const LONG: u64 = 600_000_000_000;

const BURIED: &str = "a blocking wait of a task or job is over, and cannot return: another began inside it, has not \
                      ended, and may wait for the first. All of them wait on the one thread of the simulation, so that \
                      the last to begin has to be the first to return: await in tasks what may wait for long";

impl InnerWait {
    pub(super) fn new(simulation: &Simulation, outer: Option<RootRef>) -> Self {
        Self { member: simulation.world.network().current_member(), outer, buried_since: Cell::new(None) }
    }

    /// Returns whether the wait has no purpose any more: its host has crashed, or the run is over.
    ///
    /// A thread that unwinds could not leave the wait, which continues then.
    pub(super) fn is_over(&self, simulation: &Simulation) -> bool {
        (self.has_crashed(simulation) || self.outer.is_some_and(RootRef::is_last_done)) && !panicking()
    }

    fn has_crashed(&self, simulation: &Simulation) -> bool {
        simulation.world.network().is_over(self.member)
    }

    /// The future that is waited for. After a crash of its host it is polled no more, by a wait
    /// further in neither: below that one, it cannot be left yet.
    pub(super) fn while_its_host_lives<F: Future>(
        &self,
        simulation: &Simulation,
        mut future: Pin<&mut F>,
    ) -> impl Future<Output = F::Output> {
        poll_fn(move |cx| match self.has_crashed(simulation) && !panicking() {
            true => Poll::Pending,
            false => future.as_mut().poll(cx),
        })
    }

    /// Ends it, since nothing can continue, which fails the run. Where the future of a wait further
    /// out is done, that is for the limits of a simulation: on threads it would continue.
    pub(super) fn get_stuck(&self, simulation: &Simulation, report: String) -> RunEnd {
        let why = report.strip_prefix("wsrt: ").unwrap_or(&report);
        let is_buried = self.outer.is_some_and(RootRef::is_any_done);
        let why = if is_buried { format!("{BURIED}\n{why}") } else { why.to_owned() };
        simulation.fail(why.clone());
        RunEnd::failed(why, Some(self))
    }

    /// Fails the run if the future of a wait further out has been done for long, and this one still
    /// keeps it from continuing.
    pub(super) fn check_outer(&self, simulation: &Simulation, now: u64) {
        if !self.outer.is_some_and(RootRef::is_any_done) {
            self.buried_since.set(None);
            return;
        }
        let since = self.buried_since.get().unwrap_or(now);
        self.buried_since.set(Some(since));
        if now - since > LONG {
            simulation.fail(BURIED.to_owned());
        }
    }
}

/// The waits that were left since the last step.
#[derive(Default)]
pub(super) struct LeftWaits(Cell<u32>);

/// So many may be left without a step between.
const MOST_LEFT_WAITS: u32 = 10_000;
/// The exit code of a program that has panicked.
const FAILED: i32 = 101;

impl LeftWaits {
    /// Counts one. Ends the process after too many: the program catches the panic by which it is to
    /// leave them, and would wait forever.
    pub(super) fn count(&self, simulation: &Simulation) {
        self.0.set(self.0.get() + 1);
        if self.0.get() == MOST_LEFT_WAITS {
            let why = simulation.failure().unwrap_or_else(|| "the run is over".to_owned());
            report(format_args!("{why}\nwsrt: {}", simulation.place_of_failure()));
            report(format_args!(
                "a loop catches the panic by which its wait is left, and waits again: the process ends"
            ));
            simulation.tell_runner(&why);
            std::process::exit(FAILED);
        }
    }

    pub(super) fn forget(&self) {
        self.0.set(0);
    }
}
