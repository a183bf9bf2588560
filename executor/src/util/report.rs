//! What wsrt itself has to say, on standard error.
//!
//! `eprintln!` panics where that cannot be written, as when the program that read it has gone.
//! Reports come from threads that must not end for that, so what cannot be told is not.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::util::sync::Mutex;

/// Writes one line, in one piece.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    let line = format!("wsrt: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}

/// How often a recurring report is written.
const PERIOD: Duration = Duration::from_secs(1);

/// A report of what may come in crowds: it is written at once, and then once a second at most, with
/// the number of those that were left out.
#[derive(Debug, Default)]
pub(crate) struct Recurring(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    at: Option<Instant>,
    left_out: u64,
}

impl Recurring {
    /// Reports `text`, unless this was done within the last second.
    pub(crate) fn report(&self, text: fmt::Arguments<'_>) {
        match self.left_out_before(Instant::now()) {
            None => {}
            Some(0) => report(text),
            Some(left_out) => report(format_args!("{text} ({left_out} more times since this was last said)")),
        }
    }

    /// How many were left out before this one, if this one is to be written.
    fn left_out_before(&self, now: Instant) -> Option<u64> {
        let mut told = self.0.lock();
        if told.at.is_some_and(|at| now.saturating_duration_since(at) < PERIOD) {
            told.left_out += 1;
            return None;
        }
        told.at = Some(now);
        Some(std::mem::take(&mut told.left_out))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn of_a_crowd_the_first_and_then_one_a_second() {
        let (crowd, start) = (Recurring::default(), Instant::now());
        assert_eq!(crowd.left_out_before(start), Some(0));
        assert_eq!(crowd.left_out_before(start), None);
        assert_eq!(crowd.left_out_before(start + PERIOD / 2), None);
        assert_eq!(crowd.left_out_before(start + PERIOD), Some(2));
        assert_eq!(crowd.left_out_before(start + PERIOD), None);
        assert_eq!(crowd.left_out_before(start + 2 * PERIOD), Some(1));
        assert_eq!(crowd.left_out_before(start + 3 * PERIOD), Some(0));
    }
}
