//! The results of a run, as text and as JSON.

use std::ffi::OsString;
use std::fmt;
use std::time::Duration;

use serde_json::json;

use crate::cli::Wishes;
use crate::plan;
use crate::shell;
use crate::shrinking::Smallest;
use crate::sweep::Sweep;

#[derive(Debug)]
pub(crate) struct Findings {
    ran: u64,
    seconds: f64,
    pub(crate) failed: Vec<u64>,
    /// The smallest failing seed, or `None` if no seed failed.
    pub(crate) smallest: Option<Smallest>,
    words: Vec<OsString>,
}

impl Findings {
    pub(crate) fn of(wishes: &Wishes, sweep: &Sweep, took: Duration) -> Self {
        Self {
            ran: sweep.ran,
            seconds: took.as_secs_f64(),
            failed: sweep.failed.clone(),
            smallest: None,
            words: wishes.words.clone(),
        }
    }

    fn rate(&self) -> f64 {
        self.ran as f64 / self.seconds.max(1e-9)
    }

    /// Returns the command line that repeats the failure.
    fn command(&self, smallest: &Smallest) -> String {
        let mut words = vec![format!("WSRT_SIM_SEED={}", smallest.seed)];
        if smallest.plan.is_some() {
            let plan = plan::text(&smallest.shrunk).replace('\n', "; ");
            words.push(format!("WSRT_SIM_PLAN={}", shell::quoted(plan.as_ref())));
        }
        words.extend(self.words.iter().map(|word| shell::quoted(word)));
        words.join(" ")
    }

    /// Returns the results as one line of JSON.
    pub(crate) fn to_json(&self) -> String {
        let smallest = self.smallest.as_ref().map(|smallest| {
            let Smallest { seed, why, plan, shrunk, runs, is_repeated } = smallest;
            json!({
                "seed": seed,
                "why": why,
                "is_repeated": is_repeated,
                "plan": plan.as_ref().map(|lines| plan::text(lines)),
                "shrunk": plan::text(shrunk),
                "runs": runs,
                "command": self.command(smallest),
            })
        });
        let Self { ran, seconds, failed, .. } = self;
        format!("{}\n", json!({ "ran": ran, "seconds": seconds, "failed": failed, "smallest": smallest }))
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.failed.len();
        writeln!(f, "{} seeds, {:.0} a second; {count} have failed", self.ran, self.rate())?;
        let Some(smallest) = &self.smallest else { return Ok(()) };
        let seeds: Vec<String> = self.failed.iter().take(10).map(u64::to_string).collect();
        writeln!(f, "the smallest that fail: {}", seeds.join(", "))?;
        writeln!(f, "\nseed {}: {}", smallest.seed, smallest.why)?;
        if !smallest.is_repeated {
            return writeln!(f, "it has failed once, and not again: the seed does not decide all of the run");
        }
        match &smallest.plan {
            Some(plan) => writeln!(
                f,
                "its plan has {} faults; with {} of them it still fails, as {} runs have shown:\n\n{}",
                plan.len(),
                smallest.shrunk.len(),
                smallest.runs,
                plan::text(&smallest.shrunk)
            )?,
            None => writeln!(f, "it has told of no plan of faults with which it fails")?,
        }
        writeln!(f, "\nto repeat it:\n\n{}", self.command(smallest))
    }
}
