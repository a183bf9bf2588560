//! The rule for removing dead items, whose timers were cancelled or armed again.
//!
//! A cancel counts its item and leaves it in the heap. Once the dead are a quarter of the heap,
//! each arm searches for them; once they are half of it, a cancel does as well. A search takes a
//! few items at a time if the heap is large. A small heap is not searched, unless its queue rests:
//! where no timer is armed any more, no arm would ever search it.

use super::queue::{QueuedTimer, Store, TimerQueue, TimerQueueState};
use crate::sync::COMPACTION_FLOOR;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// An arm searches for the dead when more than one item in this many is dead: each search of the
/// whole heap then costs a constant per cancelled timer.
pub(super) const DEAD_SHARE_AT_ARM: usize = 4;
/// A cancel does when more than one in this many is: seldom, since another thread's arms wait for
/// it.
pub(super) const DEAD_SHARE_AT_CANCEL: usize = 2;

/// A heap of this many items is searched for the dead in one go: it fits a processor's own cache.
const SEARCHED_WHOLE: usize = 2048;
/// In a larger heap, each arm or cancel that finds too many dead items looks at this many items,
/// and the next one continues from there. So no task pays for the whole heap. While the search
/// lasts the heap grows by one item in this many at most.
const LOOKS_PER_STEP: usize = 64;

impl TimerQueue {
    /// Begins a rest, a period in which timers are cancelled and few are armed. Removes the
    /// cancelled timers, and from now on keeps at most as many cancelled timers as live ones,
    /// however few there are. The call takes the lock.
    ///
    /// A queue that is not resting keeps some dozens of cancelled timers, so that most calls that
    /// arm or cancel a timer search nothing. More may remain if other threads arm or cancel timers
    /// at the same time, or if the queue is large.
    pub fn begin_rest(&self) {
        let mut contents = self.store.lock();
        contents.floor = 0;
        // However few are dead.
        let dead = self.store.throw_out(&mut contents, usize::MAX);
        self.store.publish(&contents);
        drop(contents);
        drop(dead);
    }

    /// Ends a rest that [`begin_rest`](Self::begin_rest) began.
    pub fn end_rest(&self) {
        let mut contents = self.store.lock();
        contents.floor = COMPACTION_FLOOR;
        self.store.publish(&contents);
    }
}

impl Store {
    /// Counts one more dead item; true if they are so many that the caller should clean up, with no
    /// lock held.
    #[must_use]
    pub(super) fn count_dead(&self) -> bool {
        // AcqRel: the chain of read-modify-writes is the count; its order against the timer's word
        // comes from the entry's lock.
        let before = self.dead.fetch_add(1, AcqRel);
        // Relaxed: a limit that is a moment old makes for a clean-up too early or too late by a
        // few.
        before >= self.most_dead.load(Relaxed)
    }

    pub(super) fn count_removed(&self, count: usize) {
        if count > 0 {
            self.dead.fetch_sub(count, AcqRel);
        }
    }

    /// Removes dead items, unless another thread holds the queue's lock: if that is an arm, it
    /// removes some too, and if not, another cancel will.
    pub(super) fn clean(&self) {
        let Some(mut contents) = self.contents.try_lock() else { return };
        #[cfg(test)]
        self.longest_hold.fetch_max(contents.heap.take_touched(), Relaxed);
        let dead = self.throw_out(&mut contents, DEAD_SHARE_AT_CANCEL);
        self.publish(&contents);
        drop(contents);
        drop(dead);
    }

    /// Continues the search for dead items if they are more than one in `share`, and takes out
    /// those that it finds. The caller drops them after releasing the lock: theirs may be the last
    /// references.
    pub(super) fn throw_out(&self, contents: &mut TimerQueueState, share: usize) -> Vec<QueuedTimer> {
        // Acquire: as in `count_dead`. A count that is a moment old delays a search by one arm.
        let population = self.dead.load(Acquire);
        if contents.heap.len() < contents.floor || population <= contents.heap.len() / share {
            return Vec::new();
        }
        let dead = contents.search();
        self.count_removed(dead.len());
        dead
    }
}

impl TimerQueueState {
    /// Takes out dead items: all of them if the heap is small, else those among the next few items.
    fn search(&mut self) -> Vec<QueuedTimer> {
        let mut dead = Vec::new();
        if self.heap.len() <= SEARCHED_WHOLE {
            // A look either moves on or takes an item out: it ends within two for each item.
            self.unsearched = self.heap.take_dead(usize::MAX, usize::MAX, QueuedTimer::is_dead, &mut dead);
            return dead;
        }
        let end = if self.unsearched == 0 { usize::MAX } else { self.unsearched };
        self.unsearched = self.heap.take_dead(end, LOOKS_PER_STEP, QueuedTimer::is_dead, &mut dead);
        dead
    }
}
