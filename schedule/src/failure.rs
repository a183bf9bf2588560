//! A schedule that failed, and what is printed of it.

use std::fmt;

use crate::state::{State, Status};

/// A schedule that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    seed: u64,
    step: u64,
    reason: String,
    details: String,
}

impl Failure {
    pub(crate) fn new(state: &State, reason: String) -> Self {
        let mut details = format!("  {}, {} ns a step, at {} ns\n", state.strategy.name(), state.grain, state.now);
        for (number, thread) in state.threads.iter().enumerate() {
            let status = match thread.status {
                Status::Ready if number == state.running => "runs".to_string(),
                Status::Ready => "could run".to_string(),
                Status::Waiting { on, until: None } => format!("waits: {on:?}"),
                Status::Waiting { on, until: Some(until) } => format!("waits: {on:?} until {until} ns"),
                Status::Ended => "has ended".to_string(),
            };
            details.push_str(&format!("  thread {number} {:?}, {} steps: {status}\n", thread.name, thread.steps));
        }
        for panic in &state.panics {
            details.push_str(&format!("  panic: {panic}\n"));
        }
        Self { seed: state.seed, step: state.steps, reason, details }
    }

    /// Returns the seed under which the program fails again.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the reason, in one line.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {} fails at step {}: {}", self.seed, self.step, self.reason)?;
        f.write_str(&self.details)
    }
}
