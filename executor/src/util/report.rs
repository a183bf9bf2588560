//! Reports: what the runtime says unasked, and where it says so.
//!
//! A finding about the program, a [`Report`], goes to one place: the runtime's hook; or else a
//! subscriber of `tracing`, with that feature, if one takes it; or else standard error. Since the
//! first two are the program's code, `sysmon/reporter.rs` chooses the thread.
//!
//! All else is written to standard error where it happens: a variable that makes no sense, a thread
//! that the system refuses, a timeline that cannot be written, the reason why the process ends.
//!
//! `eprintln!` panics when the write fails, as when the program that reads it has ended. The
//! threads that report must not end for that, so a write error is ignored.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::util::sync;
use crate::util::sync::Mutex;
use crate::util::unwind::call_hook;

/// What a runtime has found out about the program, without being asked. Passed to the hook of
/// [`Builder::on_report`](crate::runtime::Builder::on_report).
///
/// Displays as the text that is written to standard error without a hook.
#[derive(Debug, Clone)]
pub struct Report {
    kind: ReportKind,
    text: String,
}

/// The kind of a [`Report`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportKind {
    /// A poll holds its worker for long: [`Builder::on_stall`](crate::runtime::Builder::on_stall)
    /// says when.
    Stall,
    /// Tasks wait for each other's locks, and nothing can wake them.
    Deadlock,
    /// A task waits for a lock that was handed to a future which the task keeps and does not poll.
    Futurelock,
    /// A task waits, and nothing is left that could wake or end it.
    Orphan,
    /// No task can continue, nor the future in `block_on`, as far as the runtime knows.
    NoProgress,
}

impl ReportKind {
    /// Returns the kind's name, such as `stall`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stall => "stall",
            Self::Deadlock => "deadlock",
            Self::Futurelock => "futurelock",
            Self::Orphan => "orphan",
            Self::NoProgress => "no progress",
        }
    }
}

impl Report {
    pub(crate) fn new(kind: ReportKind, text: String) -> Self {
        Self { kind, text }
    }

    /// Returns what the report is about.
    pub fn kind(&self) -> ReportKind {
        self.kind
    }

    /// Returns the text: what has happened, to which task, and what to do. It may have several
    /// lines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether [`deliver`](Self::deliver) calls code of the program's.
    pub(crate) fn calls_program(hook: Option<&ReportHook>) -> bool {
        hook.is_some() || traced::is_on()
    }

    /// Passes the report on to its one place.
    pub(crate) fn deliver(&self, hook: Option<&ReportHook>) {
        match hook {
            Some(hook) => call_hook("on_report", || hook(self)),
            None if traced::is_on() => traced::deliver(self),
            None => report(format_args!("{self}")),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The hook that takes a runtime's reports.
pub(crate) type ReportHook = Arc<dyn Fn(&Report) + Send + Sync>;

/// Reports as events of `tracing`.
#[cfg(feature = "tracing")]
mod traced {
    use super::Report;
    use crate::util::unwind::quietly;

    /// Returns whether a subscriber takes reports.
    pub(super) fn is_on() -> bool {
        tracing::enabled!(target: "wsrt", tracing::Level::WARN)
    }

    pub(super) fn deliver(report: &Report) {
        quietly(|| tracing::warn!(target: "wsrt", kind = report.kind.name(), "{}", report.text));
    }
}

#[cfg(not(feature = "tracing"))]
mod traced {
    pub(super) fn is_on() -> bool {
        false
    }

    pub(super) fn deliver(_: &super::Report) {}
}

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
/// because only wsrt-hyper's server uses this type outside this crate.
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
