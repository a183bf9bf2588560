//! The record of one live task: when it was made, how often and how long it was polled, when it was
//! woken.
//!
//! Only of tasks that are to be shown ([`Identity::with_counts`](super::Identity::with_counts)).
//! The beginning of a poll is entered by the holder of the runnable, a wake by the waker that made
//! it, so that each of these has one writer at a time: plain stores. The end of a poll is entered
//! once that has returned, when the runnable is gone: the next poll may be under way by then, on
//! another thread, or over. So the side that ends a poll remembers when it began, adds up in one
//! step, and leaves the next one's entries alone. Readers see each figure by itself, and make do
//! with some that do not agree to the last unit.

// std's atomics on purpose: figures take no part in any protocol.
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::Runnable;
use super::reference::CountedRef;
use crate::util::sync;

/// The counts of one task. Moments are nanoseconds since it was made.
#[derive(Debug)]
pub(crate) struct TaskCounts {
    made: Instant,
    /// Polls that have begun.
    polls: AtomicU64,
    /// When the poll under way began, or [`NEVER`].
    poll_began: AtomicU64,
    /// The sum of the durations of all polls that have ended, and the longest of them.
    total: AtomicU64,
    longest: AtomicU64,
    /// When it was last woken, or [`NEVER`].
    woken: AtomicU64,
}

const NEVER: u64 = u64::MAX;

/// The counts at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatsRead {
    pub(crate) age: Duration,
    /// The poll under way included, here and below.
    pub(crate) polls: u64,
    pub(crate) total: Duration,
    pub(crate) longest: Duration,
    /// How long the poll under way has lasted.
    pub(crate) in_poll: Option<Duration>,
    /// How long ago it was last woken.
    pub(crate) since_wake: Option<Duration>,
}

impl TaskCounts {
    pub(super) fn open() -> Self {
        Self {
            made: sync::now(),
            polls: AtomicU64::new(0),
            poll_began: AtomicU64::new(NEVER),
            total: AtomicU64::new(0),
            longest: AtomicU64::new(0),
            woken: AtomicU64::new(NEVER),
        }
    }

    fn now(&self) -> u64 {
        self.at(sync::now())
    }

    fn at(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.made).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Tells when that was, for [`end_poll`](Self::end_poll).
    #[must_use]
    fn begin_poll(&self) -> u64 {
        let began = self.now();
        self.polls.store(self.polls.load(Relaxed) + 1, Relaxed);
        self.poll_began.store(began, Relaxed);
        began
    }

    fn end_poll(&self, began: u64) {
        let took = self.now().saturating_sub(began);
        // If it fails, that is the beginning of the next poll, which another thread will end.
        let _ = self.poll_began.compare_exchange(began, NEVER, Relaxed, Relaxed);
        self.total.fetch_add(took, Relaxed);
        self.longest.fetch_max(took, Relaxed);
    }

    /// The first poll follows the spawn, and no wake.
    fn note_wake(&self) {
        if self.polls.load(Relaxed) > 0 {
            self.woken.store(self.now(), Relaxed);
        }
    }

    /// The statistics at the moment `now`.
    pub(super) fn read(&self, now: Instant) -> StatsRead {
        let now = self.at(now);
        let since = |moment: u64| (moment != NEVER).then(|| Duration::from_nanos(now.saturating_sub(moment)));
        let in_poll = since(self.poll_began.load(Relaxed));
        let so_far = in_poll.unwrap_or_default();
        StatsRead {
            age: Duration::from_nanos(now),
            polls: self.polls.load(Relaxed),
            total: Duration::from_nanos(self.total.load(Relaxed)) + so_far,
            longest: Duration::from_nanos(self.longest.load(Relaxed)).max(so_far),
            in_poll,
            since_wake: since(self.woken.load(Relaxed)),
        }
    }
}

/// A poll that is counted; dropping this ends it. The task may be complete by then, so
/// this keeps its cell.
#[must_use = "the poll ends when this is dropped"]
pub(crate) struct CountedPoll {
    task: CountedRef,
    began: u64,
}

impl Drop for CountedPoll {
    fn drop(&mut self) {
        if let Some(counts) = self.task.header().counts() {
            counts.end_poll(self.began);
        }
    }
}

impl Runnable {
    /// Counts the poll that is about to begin, if the task is counted.
    pub(crate) fn begin_counted(&self) -> Option<CountedPoll> {
        let began = self.header().counts()?.begin_poll();
        Some(CountedPoll { task: self.counted(), began })
    }

    /// Runs the task, like [`run`](Self::run), and counts the poll if the task is counted.
    pub(crate) fn run_counted(self) {
        let _poll = self.begin_counted();
        self.run();
    }

    /// Counts the wake that has made this runnable, if the task is counted.
    pub(crate) fn count_wake(&self) {
        self.header().counts().into_iter().for_each(TaskCounts::note_wake);
    }
}
