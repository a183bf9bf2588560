//! The half of a processor that any thread may touch.

use crossbeam_utils::CachePadded;
use wsrt_reactor::timer::TimerQueue;

use super::runnable;
use crate::observe::counters::{BusyTime, Counters};
use crate::scheduler::core::poll_watch::PollWatch;
use crate::scheduler::core::queue::{RingThief, RunNext, ring};
use crate::task::{Header, Runnable};

/// The half of a processor that any thread may touch.
#[derive(Debug)]
pub(crate) struct Shared {
    ring: RingThief<Header>,
    timers: TimerQueue,
    /// On separate cache lines: thieves write to the fields beside it.
    counters: CachePadded<Counters>,
    /// Written at the ends of a hold.
    busy: BusyTime,
    /// On separate cache lines: each look of each searcher reads the fields beside it.
    written: CachePadded<Written>,
}

/// The words that the holder writes at each poll and most wakes.
#[derive(Debug)]
struct Written {
    runnext: RunNext<Header>,
    watch: PollWatch,
}

impl Shared {
    pub(super) fn new(ring: RingThief<Header>, regular: usize, most: usize) -> Self {
        Self {
            ring,
            timers: TimerQueue::new(),
            counters: CachePadded::new(Counters::new(regular, most)),
            busy: BusyTime::default(),
            written: CachePadded::new(Written { runnext: RunNext::new(), watch: PollWatch::default() }),
        }
    }

    pub(crate) fn ring(&self) -> &RingThief<Header> {
        &self.ring
    }

    pub(crate) fn runnext(&self) -> &RunNext<Header> {
        &self.written.runnext
    }

    pub(crate) fn timers(&self) -> &TimerQueue {
        &self.timers
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn busy(&self) -> &BusyTime {
        &self.busy
    }

    pub(crate) fn watch(&self) -> &PollWatch {
        &self.written.watch
    }

    /// Takes the tasks that wait here now, oldest first, for one that will not run them.
    pub(crate) fn rob(&self) -> impl Iterator<Item = Runnable> {
        let (mut loot, _) = ring();
        // No more than these: the holder may push others all the time.
        let (mut left, mut batches) = (self.ring.len(), Vec::new());
        while left > 0 && self.ring.steal_into(&mut loot) > 0 {
            batches.push(std::iter::from_fn(|| loot.pop().map(runnable)).collect::<Vec<_>>());
            left = left.saturating_sub(batches.last().map_or(0, Vec::len));
        }
        // A thief takes the newest first.
        batches.into_iter().rev().flatten().chain(self.written.runnext.take().map(runnable))
    }

    /// Tasks waiting here, runnext included.
    pub(crate) fn waiting(&self) -> usize {
        self.ring.len() + usize::from(!self.written.runnext.is_empty())
    }
}
