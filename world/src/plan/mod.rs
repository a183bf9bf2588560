//! Plans: the faults of a run and their times, as lines of text.

mod effect;
mod moment;
mod parse;
mod share;
mod words;

use std::fmt;

pub(crate) use self::effect::FaultEffect;
pub use self::parse::FaultPlanError;
pub use self::share::WHOLE;
use self::words::QuotedName;

/// The maximum number of entries in a plan. Further ones are only counted, because a run of several
/// days may pass millions of fault points.
const MOST: usize = 10_000;

/// A fault, and the time at which it begins, in nanoseconds since the runtime was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: u64,
    pub(crate) what: FaultEffect,
    /// The duration of the fault in nanoseconds, or `None` if the fault lasts until the end of the
    /// run.
    pub(crate) lasting: Option<u64>,
}

/// A fault plan: the faults of a run in chronological order, and the calls of fault points that
/// fail.
///
/// A plan can be printed and parsed. Running a simulation again with the plan that an earlier run
/// recorded repeats the same faults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FaultPlan {
    pub(crate) faults: Vec<Fault>,
    /// The fault points that fail, each with the number of the failing call. Calls count from 1.
    pub(crate) points: Vec<(String, u64)>,
    /// How many further entries were counted but not stored.
    left_out: usize,
}

impl FaultPlan {
    /// Returns whether the plan contains no faults and no fault points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of faults and fault points in the plan.
    pub fn len(&self) -> usize {
        self.faults.len() + self.points.len()
    }

    pub(super) fn note_fault(&mut self, fault: Fault) {
        if self.has_room() {
            self.faults.push(fault);
        }
    }

    pub(super) fn note_point(&mut self, point: &str, call: u64) {
        if self.has_room() {
            self.points.push((point.to_owned(), call));
        }
    }

    /// Returns whether there is room for another entry, and counts the entry as left out if there
    /// is none.
    fn has_room(&mut self) -> bool {
        let has_room = self.len() < MOST;
        self.left_out += usize::from(!has_room);
        has_room
    }

    /// Returns whether the plan makes call number `call` of a fault point fail. Calls count from 1.
    pub fn fires(&self, point: &str, call: u64) -> bool {
        self.points.iter().any(|(other, number)| *number == call && other == point)
    }

    /// Returns the first `most` lines of the plan's text, indented, followed by a line that says
    /// how many lines are left out.
    pub fn first_lines(&self, most: usize) -> String {
        let text = self.to_string();
        let count = text.lines().count();
        let mut lines: Vec<String> = text.lines().take(most).map(|line| format!("  {line}")).collect();
        if count > most {
            lines.push(format!("  # and {} more", count - most));
        }
        lines.join("\n")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} {}", moment::text(self.at), self.what)?;
        match self.lasting {
            Some(lasting) if !self.what.is_instant() => write!(f, " for {}", moment::text(lasting)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for FaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = self.faults.iter().map(Fault::to_string);
        let points = self.points.iter().map(|(point, call)| format!("maybe {call} {}", QuotedName(point)));
        let lines: Vec<String> = faults.chain(points).collect();
        match lines.is_empty() {
            true => f.write_str("nothing")?,
            false => f.write_str(&lines.join("\n"))?,
        }
        match self.left_out {
            0 => Ok(()),
            more => write!(f, "\n# and {more} more, so that this is not all of it"),
        }
    }
}
