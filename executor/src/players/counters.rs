//! Counts that one thread at a time writes and anybody may read: a plain store each, no shared line, no locked cycle.

// std's atomics on purpose: counts take no part in any protocol, and a model need not explore them.
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::players::Source;

/// A count with a single writer.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `count`. Only for the one thread that owns the counter now: two at once could lose counts.
    #[inline]
    pub(crate) fn add(&self, count: u64) {
        self.0.store(self.get().wrapping_add(count), Relaxed);
    }

    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// What a processor counts, written by its holder.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Polls of tasks, by the kind of place where the task was found.
    polls: [Counter; Source::KINDS],
    /// Successful steals by this processor.
    pub(crate) steals: Counter,
    /// Tasks that those steals moved.
    pub(crate) stolen: Counter,
    /// Times that the processor was given up for want of work.
    pub(crate) parks: Counter,
    /// Turns of the netpoller.
    pub(crate) netpolls: Counter,
    /// Times that the ring was full.
    pub(crate) overflows: Counter,
}

impl Counters {
    /// Counts a poll of a task that was found at `source`.
    #[inline]
    pub(crate) fn count_poll(&self, source: Source) {
        self.polls[source.kind()].add(1);
    }

    /// Polls of tasks. A thief that watches this stand still knows that its victim is in one long poll.
    pub(crate) fn polls(&self) -> u64 {
        self.polls.iter().map(Counter::get).sum()
    }
}
