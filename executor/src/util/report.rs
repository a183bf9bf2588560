//! Reports that the runtime writes to standard error.
//!
//! `eprintln!` panics when the write fails, as when the program that reads it has ended. The
//! threads that report must not end for that, so a write error is ignored.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::util::sync;
use crate::util::sync::Mutex;

/// Writes one line to standard error with a single write.
pub(crate) fn report(text: fmt::Arguments<'_>) {
    let line = format!("wsrt: {text}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Returns a function that reports why a runtime could not be built. The builder itself returns
/// only the OS error, which does not say what was requested.
pub(crate) fn not_built<E: fmt::Display>(refused: &str) -> impl FnOnce(&E) {
    move |error| report(format_args!("could not build a runtime: {refused}: {error}"))
}

/// The minimum time between two reports of a recurring event.
const PERIOD: Duration = Duration::from_secs(1);

/// A rate-limited report for an event that may recur often: the first report is written
/// immediately, and later ones at most once a second, with the number of omitted reports. Hidden,
/// because only wsrt-hyper's server uses this type outside of this crate.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Recurring(Mutex<LastReport>);

#[derive(Debug, Default)]
struct LastReport {
    at: Option<Instant>,
    left_out: u64,
}

impl Recurring {
    /// Writes `text` to standard error, unless another report was written within the last second.
    #[doc(hidden)]
    pub fn report(&self, text: fmt::Arguments<'_>) {
        match self.left_out_before(sync::now()) {
            None => {}
            Some(0) => report(text),
            Some(left_out) => report(format_args!("{text} ({left_out} more times since the last report)")),
        }
    }

    /// Returns the number of omitted reports if a report is due now, and `None` otherwise.
    fn left_out_before(&self, now: Instant) -> Option<u64> {
        let mut last = self.0.lock();
        if last.at.is_some_and(|at| now.saturating_duration_since(at) < PERIOD) {
            last.left_out += 1;
            return None;
        }
        last.at = Some(now);
        Some(std::mem::take(&mut last.left_out))
    }
}

#[cfg(all(test, not(wsrt_loom)))]
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
