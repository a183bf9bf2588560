//! The ends of a run before its time: a failure that is reported, an invariant that does not hold,
//! a deadline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use wsrt_world::{OUTSIDE, RunRecord, lacks_interposition};

use super::Simulation;
use crate::task::panic_message;
use crate::util::unwind::drop_quietly;
use wsrt_world::unread_panics::{self, UnreadPanic};

/// A condition that holds after each step.
pub(super) struct Invariant {
    name: String,
    holds: Box<dyn FnMut() -> bool + Send>,
}

/// The bounds of a run.
pub(super) struct Bounds {
    invariants: Vec<Invariant>,
    /// In nanoseconds since the runtime was made.
    deadline: u64,
    /// The first one, which stays.
    failure: Option<String>,
    allows_panics: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { invariants: Vec::new(), deadline: u64::MAX, failure: None, allows_panics: false }
    }
}

/// Added to the report on a run of a program that has not taken the C library's functions over.
const UNDECIDED: &str = "where the program asks the system, by std or otherwise, for random numbers (as a `HashMap` does), \
                         the time, names or sockets, the seed does not decide the answer; with the line \
                         `wsrt::sim::interpose!();` in the program it does";

/// The lines of a plan in a message.
const LINES: usize = 40;

impl Simulation {
    /// Says where the run has failed, and with which faults.
    pub(super) fn place_of_failure(&self) -> String {
        let RunRecord { seed, steps, now, .. } = self.record();
        let (micros, plan) = (now / 1_000, self.world.plan());
        let is_given = if self.settings.plan.is_some() { " with the plan of WSRT_SIM_PLAN" } else { "" };
        let place = format!(
            "the simulation with seed {seed} has failed at step {steps}, after {micros} µs; WSRT_SIM_SEED={seed} repeats it{is_given}"
        );
        let place = if lacks_interposition() { format!("{place}\nwsrt: {UNDECIDED}") } else { place };
        match plan.len() {
            0 => place,
            _ => format!("{place}\nwsrt: its faults, as WSRT_SIM_PLAN takes them:\n{}", plan.first_lines(LINES)),
        }
    }

    /// Tells the program that runs this one, if one does.
    pub(super) fn tell_runner(&self, why: &str) {
        let RunRecord { seed, steps, now, .. } = self.record();
        let why = why.lines().next().unwrap_or_default();
        let plan = self.world.plan();
        (self.settings.tell_runner)(&format!("failure {seed} {steps} {now}\n{why}\n{plan}\nend of failure"));
    }

    /// Ends the run, before the next step.
    pub(crate) fn fail(&self, why: String) {
        self.state.lock().bounds.failure.get_or_insert(why);
    }

    pub(crate) fn add_invariant(&self, name: String, holds: Box<dyn FnMut() -> bool + Send>) {
        self.state.lock().bounds.invariants.push(Invariant { name, holds });
    }

    /// The run fails if it takes longer.
    pub(crate) fn set_deadline(&self, deadline: Duration) {
        self.state.lock().bounds.deadline = u64::try_from(deadline.as_nanos()).unwrap_or(u64::MAX);
    }

    /// Why the run must go no further.
    pub(super) fn failure(&self) -> Option<String> {
        self.state.lock().bounds.failure.clone()
    }

    /// Fails if the next step begins after the deadline.
    pub(super) fn check_deadline(&self, next: u64) {
        let deadline = self.state.lock().bounds.deadline;
        if next > deadline {
            self.fail(format!("the deadline of {:?} has come", Duration::from_nanos(deadline)));
        }
    }

    pub(crate) fn allow_panics(&self) {
        self.state.lock().bounds.allows_panics = true;
    }

    /// Fails if a task has panicked, and no handle tells of it. Not one of a host that has crashed.
    fn check_panics(&self) {
        for UnreadPanic { task, spawned_at, message } in unread_panics::take() {
            if self.world.network().is_remnant(task) || self.state.lock().bounds.allows_panics {
                continue;
            }
            let host = match self.world.network().host_of_task(task) {
                OUTSIDE => String::new(),
                host => format!(" of the host `{}`", self.world.network().host_name(host)),
            };
            self.fail(format!(
                "a task{host}, spawned at {spawned_at}, has panicked, and no `JoinHandle` tells of it: {message}"
            ));
        }
    }

    pub(super) fn forget_invariants(&self) {
        let invariants = std::mem::take(&mut self.state.lock().bounds.invariants);
        invariants.into_iter().for_each(drop_quietly);
    }

    /// Looks whether the step before has failed.
    pub(super) fn check(&self) {
        self.check_panics();
        self.check_invariants();
    }

    /// Looks whether all invariants hold. They may look at anything, but for the simulation's lock.
    fn check_invariants(&self) {
        let mut state = self.state.lock();
        if state.bounds.invariants.is_empty() {
            return;
        }
        let mut invariants = std::mem::take(&mut state.bounds.invariants);
        drop(state);
        for Invariant { name, holds } in &mut invariants {
            match catch_unwind(AssertUnwindSafe(holds)) {
                Ok(true) => {}
                Ok(false) => self.fail(format!("the invariant `{name}` does not hold")),
                Err(panic) => self.fail(format!(
                    "the invariant `{name}` has panicked: {}",
                    panic_message(&*panic).unwrap_or("with a value that is no text")
                )),
            }
        }
        let mut state = self.state.lock();
        invariants.append(&mut state.bounds.invariants);
        state.bounds.invariants = invariants;
    }
}
