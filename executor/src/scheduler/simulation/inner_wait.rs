//! Waits inside of turns, of a task or a job in `block_on`, and how they end.

use std::thread::panicking;

use super::Simulation;
use super::network::Member;
use crate::scheduler::root::RootRef;

/// How a run of the stage has ended.
pub(super) enum RunEnd {
    RootDone,
    /// Nothing can go on, or the run has failed, says the report.
    Stuck(String),
    /// Of a wait inside of a turn: it has lost its sense.
    Left,
}

impl RunEnd {
    /// The run has failed, which the outermost one reports. A thread that unwinds could not leave a
    /// wait by unwinding.
    pub(super) fn failed(why: String, inner: Option<&InnerWait>) -> Self {
        if inner.is_some() && !panicking() { Self::Left } else { Self::Stuck(format!("wsrt: {why}")) }
    }
}

/// A wait inside of a turn.
pub(super) struct InnerWait {
    /// Where the task or job that waits belongs.
    member: Member,
    /// The root of the run of the stage around this one.
    outer: Option<RootRef>,
}

impl InnerWait {
    pub(super) fn new(simulation: &Simulation, outer: Option<RootRef>) -> Self {
        Self { member: simulation.network.current_member(), outer }
    }

    /// Whether it has lost its sense: its host has crashed, or the run is over.
    ///
    /// A thread that unwinds could not leave it: it goes on then.
    pub(super) fn is_over(&self, simulation: &Simulation) -> bool {
        let has_ended = simulation.network.is_over(self.member) || self.outer.is_some_and(RootRef::is_last_done);
        has_ended && !panicking()
    }

    /// Ends it, since nothing can go on. That fails the run, but where the future of a wait further
    /// out is done, and would go on without this one.
    pub(super) fn get_stuck(&self, simulation: &Simulation, report: String) -> RunEnd {
        let why = report.strip_prefix("wsrt: ").unwrap_or(&report).to_owned();
        if !self.outer.is_some_and(RootRef::is_any_done) {
            simulation.fail(why.clone());
        }
        RunEnd::failed(why, Some(self))
    }
}
