//! The machines' threads: how many there are, and the answer when the OS refuses one.
//!
//! Threads are asked for where work comes and no thread is there for it, which may be thousands of
//! times a second. A refusal takes the system some ten microseconds, and lasts: a control group's
//! limit on threads is reached, or memory is short. So the runtime asks for no other for a while,
//! and reports the refusals now and then.

use std::sync::{Arc, Once, Weak};
use std::{fmt, io};

use crate::scheduler::core::machine::{Machine, OffProcessor};
use crate::util::report::{Recurring, report};
use crate::util::sync::Mutex;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use crate::util::sync::thread::JoinHandle;
use crate::util::threads::{ThreadKey, join_others};

/// The machines' threads.
#[derive(Debug)]
pub(crate) struct Threads {
    /// Machines that have not been let go. Relaxed throughout: a count, it guards nothing.
    alive: AtomicUsize,
    /// To be joined when the runtime is dropped. The handles of threads that have ended are dropped
    /// as others are started.
    handles: Mutex<Vec<JoinHandle<()>>>,
    /// Machines that have begun, for observers.
    machines: Mutex<Vec<Weak<Machine>>>,
    /// How many ever have.
    enrolled: AtomicU32,
    pub(crate) refusals: Refusals,
    /// Done when it was said that there are as many as there may be.
    limit_told: Once,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Self {
            alive: AtomicUsize::new(0),
            handles: Mutex::new(Vec::new()),
            machines: Mutex::new(Vec::new()),
            enrolled: AtomicU32::new(0),
            refusals: Refusals::default(),
            limit_told: Once::new(),
        }
    }

    pub(crate) fn alive(&self) -> usize {
        self.alive.load(Relaxed)
    }

    /// Gives the machine of the current thread a number, and lists it for as long as it exists.
    pub(crate) fn enroll(&self, machine: &Arc<Machine>) {
        machine.status().introduce(self.enrolled.fetch_add(1, Relaxed));
        let mut machines = self.machines.lock();
        machines.retain(|machine| machine.strong_count() > 0);
        machines.push(Arc::downgrade(machine));
    }

    /// The machines that there are, by their numbers, without those whose threads are away.
    pub(crate) fn machines(&self) -> Vec<Arc<Machine>> {
        let is_here = |machine: &Arc<Machine>| machine.status().off_processor() != OffProcessor::Away;
        self.machines.lock().iter().filter_map(Weak::upgrade).filter(is_here).collect()
    }

    pub(crate) fn keep(&self, handle: JoinHandle<()>) {
        let mut handles = self.handles.lock();
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
    }

    /// Counts one machine more, unless there are `most` already.
    #[must_use]
    pub(in crate::scheduler) fn count_in(&self, most: usize) -> bool {
        let more = |alive: usize| (alive < most).then_some(alive + 1);
        self.alive.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    /// Counts one machine less: its thread could not be started.
    pub(in crate::scheduler) fn count_out(&self) {
        self.alive.fetch_sub(1, Relaxed);
    }

    /// Counts one machine less, if that leaves as many as there are processors: the calling one,
    /// which was not needed for long, and ends.
    #[must_use]
    pub(crate) fn let_one_go(&self, processors: usize) -> bool {
        let fewer = |alive: usize| (alive > processors).then(|| alive - 1);
        self.alive.fetch_update(Relaxed, Relaxed, fewer).is_ok()
    }

    /// Returns whether `most` threads run tasks, as many as may.
    pub(crate) fn is_at_limit(&self, most: usize) -> bool {
        self.alive() >= most
    }

    /// Says once that `most` threads run tasks, as many as may, and that others wait.
    pub(crate) fn report_limit(&self, most: usize) {
        self.limit_told.call_once(|| {
            report(format_args!(
                "the limit of {} threads is reached, and tasks wait because others block, as in `block_on` (reported once; \
                 `Builder::max_machines` sets the limit)",
                most
            ));
        });
    }

    /// Waits until every other machine's thread is gone. Only after shutdown has finished.
    pub(crate) fn join(&self) {
        let handles = std::mem::take(&mut *self.handles.lock());
        join_others(handles);
    }
}

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
    /// Returns whether no thread is to be asked for at the time `now`, in nanoseconds of the
    /// scheduler's clock. A hint: `ask` decides.
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

    /// Returns whether the caller may ask at the time `now`. After a refusal, one at a time: the
    /// answer is for the others to wait for.
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

// The thread that is in `Runtime::block_on` of a current-thread runtime: of several, the first.

/// No thread.
const NONE: u64 = 0;

/// Which thread that is, if any: its key.
///
/// Relaxed: the one question is whether it is the thread that asks, which sees its own writes.
#[derive(Debug)]
pub(crate) struct RootThread(AtomicU64);

impl RootThread {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(NONE))
    }

    /// Makes it the current thread until the guard is dropped, unless there is one.
    #[must_use]
    pub(crate) fn enter(&self) -> Option<InRoot<'_>> {
        let key = ThreadKey::of_this_thread().number();
        // Not `then_some`: a guard that is made has to be dropped.
        self.0.compare_exchange(NONE, key, Relaxed, Relaxed).is_ok().then(|| InRoot(self))
    }

    /// Returns whether it is the current thread.
    pub(crate) fn is_current(&self) -> bool {
        self.0.load(Relaxed) == ThreadKey::of_this_thread().number()
    }
}

/// The thread is the one.
pub(crate) struct InRoot<'a>(&'a RootThread);

impl Drop for InRoot<'_> {
    fn drop(&mut self) {
        self.0.0.store(NONE, Relaxed);
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
