//! The runtime's answer when the OS refuses a thread: it asks for no other for a while, and reports
//! the refusals now and then.
//!
//! Threads are asked for where work comes and no thread is there for it, which may be thousands of
//! times a second. A refusal takes the system some ten microseconds, and lasts: a control group's
//! limit on threads is reached, or memory is short.

use std::fmt;
use std::io;

use crate::util::report::Recurring;
use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::Relaxed;

/// No thread is asked for for so long after a refusal, in nanoseconds.
const PAUSE: u64 = 100_000_000;

/// The refusals that one runtime has met with.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    latest: LatestRefusal,
    /// The reports about machines, and about threads for blocking jobs.
    pub(crate) of_machines: Recurring,
    pub(crate) of_jobs: Recurring,
}

/// Why there is no thread.
#[derive(Debug)]
pub(crate) enum NoThread {
    /// The system has refused it.
    Refused(io::Error),
    /// The system was not asked, since it has refused another one a moment ago.
    RefusedLately,
    /// The limit on threads that run tasks is reached.
    AtLimit,
    /// The runtime has shut down.
    ShutDown,
}

impl fmt::Display for NoThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::RefusedLately => f.write_str("the system has refused another one a moment ago"),
            Self::AtLimit => f.write_str("as many threads run tasks as `Builder::max_machines` allows"),
            Self::ShutDown => f.write_str("the runtime has shut down"),
        }
    }
}

impl From<NoThread> for io::Error {
    /// The system's error as it is.
    fn from(why: NoThread) -> io::Error {
        match why {
            NoThread::Refused(error) => error,
            NoThread::RefusedLately | NoThread::AtLimit | NoThread::ShutDown => io::Error::other(why.to_string()),
        }
    }
}

impl Refusals {
    /// Whether no thread is to be asked for at the time `now`, in nanoseconds of the scheduler's
    /// clock. A hint: `ask` decides.
    pub(crate) fn are_recent(&self, now: u64) -> bool {
        self.latest.time().is_some_and(|refused| now.saturating_sub(refused) < PAUSE)
    }

    /// Calls `start`, which asks the system for a thread, unless that has refused one just before
    /// `now`.
    pub(crate) fn ask<T>(&self, now: u64, start: impl FnOnce() -> io::Result<T>) -> Result<T, NoThread> {
        if !self.latest.may_ask(now) {
            return Err(NoThread::RefusedLately);
        }
        match start() {
            Ok(thread) => {
                self.latest.forget();
                Ok(thread)
            }
            Err(error) => {
                self.latest.note(now);
                Err(NoThread::Refused(error))
            }
        }
    }
}

/// When the system has last refused a thread, in nanoseconds of the scheduler's clock: 0 if it has
/// granted one since, or was never asked. Relaxed throughout: it guards nothing, and a thread that
/// reads an old value asks once too often or too late.
#[derive(Debug, Default)]
struct LatestRefusal(AtomicU64);

impl LatestRefusal {
    fn time(&self) -> Option<u64> {
        Some(self.0.load(Relaxed)).filter(|&refused| refused > 0)
    }

    /// Whether the caller may ask at the time `now`. After a refusal, one at a time: the answer is
    /// for the others to wait for.
    #[must_use]
    fn may_ask(&self, now: u64) -> bool {
        let Some(refused) = self.time() else { return true };
        let is_over = now.saturating_sub(refused) >= PAUSE;
        is_over && self.0.compare_exchange(refused, now, Relaxed, Relaxed).is_ok()
    }

    fn note(&self, now: u64) {
        self.0.store(now.max(1), Relaxed);
    }

    fn forget(&self) {
        if self.time().is_some() {
            self.0.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refuse() -> io::Result<()> {
        Err(io::Error::other("no"))
    }

    #[test]
    fn no_thread_is_requested_just_after_a_refusal() {
        let refusals = Refusals::default();
        assert!(matches!(refusals.ask(0, refuse), Err(NoThread::Refused(_))));
        assert!(refusals.are_recent(PAUSE));
        assert!(matches!(refusals.ask(PAUSE, || Ok(())), Err(NoThread::RefusedLately)));
        assert!(!refusals.are_recent(PAUSE + 1));
        assert!(refusals.ask(PAUSE + 1, || Ok(())).is_ok());
        assert!(!refusals.are_recent(PAUSE + 1), "one was granted");
        assert!(refusals.ask(PAUSE + 1, || Ok(())).is_ok());
    }

    #[test]
    fn one_at_a_time_asks_after_the_pause() {
        let refusals = Refusals::default();
        assert!(refusals.ask(1, refuse).is_err());
        let later = 1 + PAUSE;
        let beside = refusals.ask(later, || {
            assert!(matches!(refusals.ask(later, || Ok(())), Err(NoThread::RefusedLately)));
            Ok(())
        });
        assert!(beside.is_ok());
    }
}
