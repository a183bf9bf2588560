//! The counts of a task: its age, its polls and their durations, and its last wake.
//!
//! Only tasks that are to be shown have counts
//! ([`Identity::with_counts`](super::Identity::with_counts)). The holder of the runnable records
//! the beginning of a poll, and the waker that created the runnable records the wake. So each of
//! these fields has one writer at a time, and plain stores are enough. The end of a poll is
//! recorded after the poll, when the next poll may have begun on another thread. So the thread that
//! ends a poll remembers when the poll began, adds the duration in one step, and does not overwrite
//! the next poll's beginning. Readers read each field by itself, and the fields may differ by one
//! poll.

// std's atomics, since counts are part of no protocol.
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use super::Runnable;
use super::inherited::leave_layers;
use super::reference::CountedRef;
use crate::util::sync;

/// The counts of one task. Times are nanoseconds since the task was created.
#[derive(Debug)]
pub(crate) struct TaskCounts {
    made: Instant,
    /// The number of polls that have begun.
    polls: AtomicU64,
    /// The beginning of the current poll, or [`NEVER`].
    poll_began: AtomicU64,
    /// The total duration of the polls that have ended.
    total: AtomicU64,
    longest: AtomicU64,
    /// The last wake, or [`NEVER`].
    woken: AtomicU64,
}

const NEVER: u64 = u64::MAX;

/// The counts of one task at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatsRead {
    pub(crate) age: Duration,
    /// Includes the current poll, like the fields below.
    pub(crate) polls: u64,
    pub(crate) total: Duration,
    pub(crate) longest: Duration,
    /// The duration of the current poll so far.
    pub(crate) in_poll: Option<Duration>,
    /// The time since the last wake.
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

    /// Returns the time of the beginning, for [`end_poll`](Self::end_poll).
    #[must_use]
    fn begin_poll(&self) -> u64 {
        let began = self.now();
        self.polls.store(self.polls.load(Relaxed) + 1, Relaxed);
        self.poll_began.store(began, Relaxed);
        began
    }

    fn end_poll(&self, began: u64) {
        let took = self.now().saturating_sub(began);
        // Fails if the next poll has begun, which another thread will end.
        let _ = self.poll_began.compare_exchange(began, NEVER, Relaxed, Relaxed);
        self.total.fetch_add(took, Relaxed);
        self.longest.fetch_max(took, Relaxed);
    }

    /// Records a wake. The runnable of the first poll comes from the spawn, and is no wake.
    fn note_wake(&self) {
        if self.polls.load(Relaxed) > 0 {
            self.woken.store(self.now(), Relaxed);
        }
    }

    /// Returns the counts at the time `now`.
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

/// A counted poll, which ends when this is dropped. The task may be complete by then, so this keeps
/// the cell.
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
    /// Counts the poll that is about to begin, if the task has counts.
    pub(crate) fn begin_counted(&self) -> Option<CountedPoll> {
        let began = self.header().counts()?.begin_poll();
        Some(CountedPoll { task: self.counted(), began })
    }

    /// Runs the task, like [`run`](Self::run), perhaps in the middle of another poll, and counts
    /// the poll if the task has counts.
    pub(crate) fn run_counted(self) {
        let (_poll, _layers) = (self.begin_counted(), leave_layers());
        self.run();
    }

    /// Counts the wake that has created this runnable, if the task has counts.
    pub(crate) fn count_wake(&self) {
        self.header().counts().into_iter().for_each(TaskCounts::note_wake);
    }
}
