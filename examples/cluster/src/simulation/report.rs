//! The outcome of a simulation, beside the ideal one.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::protocol::Named;

/// The work of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// How many jobs it did.
    pub jobs: u64,
    /// How many of them it had stolen.
    pub steals: u64,
    /// The cost of those jobs together.
    pub busy: Duration,
    /// The cost of the largest of them.
    pub longest: Duration,
}

/// The body of `simulation_ok`. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Whether workers without jobs stole.
    pub stealing: bool,
    /// How many jobs were done.
    pub jobs_done: u64,
    /// How many of them were done by a thief.
    pub steals: u64,
    /// From the start to the end of the last job.
    #[serde(serialize_with = "milliseconds")]
    pub makespan_ms: Duration,
    /// No schedule is shorter: the work shared out evenly, or the largest job alone if that is
    /// longer.
    #[serde(serialize_with = "milliseconds")]
    pub ideal_ms: Duration,
    /// The makespan by the ideal.
    #[serde(serialize_with = "three_digits")]
    pub ratio: f64,
    /// The idle time of all workers together until the last job was done.
    #[serde(serialize_with = "milliseconds")]
    pub idle_ms: Duration,
    /// The workers in their order.
    pub workers: Named<Line>,
}

/// One worker's line in the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// How many jobs it did.
    pub jobs: u64,
    /// How many of them it had stolen.
    pub steals: u64,
    /// The cost of those jobs together.
    #[serde(serialize_with = "milliseconds")]
    pub busy_ms: Duration,
    /// Which part of all work that is.
    #[serde(serialize_with = "three_digits")]
    pub share: f64,
}

impl Report {
    pub(super) fn new(stealing: bool, shares: Vec<(String, Share)>, makespan: Duration) -> Self {
        let work: Duration = shares.iter().map(|(_, share)| share.busy).sum();
        let longest = shares.iter().map(|(_, share)| share.longest).max().unwrap_or_default();
        let count = u32::try_from(shares.len().max(1)).unwrap_or(u32::MAX);
        let ideal = (work / count).max(longest);
        let line = |share: Share| Line {
            jobs: share.jobs,
            steals: share.steals,
            busy_ms: share.busy,
            share: quotient(share.busy, work).unwrap_or(0.0),
        };
        Self {
            stealing,
            jobs_done: shares.iter().map(|(_, share)| share.jobs).sum(),
            steals: shares.iter().map(|(_, share)| share.steals).sum(),
            makespan_ms: makespan,
            ideal_ms: ideal,
            ratio: quotient(makespan, ideal).unwrap_or(1.0),
            idle_ms: (makespan * count).saturating_sub(work),
            workers: Named(shares.into_iter().map(|(name, share)| (name, line(share))).collect()),
        }
    }
}

fn quotient(dividend: Duration, divisor: Duration) -> Option<f64> {
    (!divisor.is_zero()).then(|| dividend.as_secs_f64() / divisor.as_secs_f64())
}

fn milliseconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    three_digits(&(duration.as_secs_f64() * 1e3), serializer)
}

fn three_digits<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((number * 1e3).round() / 1e3)
}
