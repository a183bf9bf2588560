//! What a queue and its timers share: the heap of items, the count of dead ones among them, and the rule for throwing them
//! out.
//!
//! Apart from the queue so that a cancel can count without the queue's lock, and after the queue is gone.

use super::entry::{Fire, TimerEntry};
use super::fired::Fired;
use super::heap::Heap;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicU64, AtomicUsize};
use crate::sync::{Arc, COMPACTION_FLOOR, Mutex, hand_on};
use std::cmp::Ordering;
use std::task::Waker;

/// The deadline that never comes.
pub(super) const NEVER: u64 = u64::MAX;

/// An arm throws the dead out when more than one item in this many is dead: each pass then costs a constant per cancelled
/// timer.
const DEAD_SHARE_AT_ARM: usize = 4;
/// A cancel does when more than one in this many is: seldom, since another thread's arms wait for it.
const DEAD_SHARE_AT_CANCEL: usize = 2;

/// Items looked at under one hold of the lock by who walks over all of them.
const ITEMS_PER_HOLD: usize = 64;

#[derive(Debug)]
pub(crate) struct Store {
    /// The deadline on top of the heap, dead items included. Written under the lock.
    earliest: AtomicU64,
    /// How many items are dead: cancelled or re-armed, and not yet thrown away.
    dead: AtomicUsize,
    /// With more dead than this, a cancel cleans up. Written under the lock.
    most_dead: AtomicUsize,
    armed: Mutex<Armed>,
}

#[derive(Debug)]
struct Armed {
    heap: Heap<Item>,
    /// Items ever filed or moved on: the order among equal deadlines.
    filed: u64,
}

#[derive(Debug)]
struct Item {
    deadline: u64,
    sequence: u64,
    generation: u64,
    entry: Arc<TimerEntry>,
}

impl Item {
    fn rank(&self) -> (u64, u64) {
        (self.deadline, self.sequence)
    }

    fn is_dead(&self) -> bool {
        self.entry.is_dead(self.generation)
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Item {}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl Store {
    pub(super) fn new() -> Self {
        Self {
            earliest: AtomicU64::new(NEVER),
            dead: AtomicUsize::new(0),
            most_dead: AtomicUsize::new(COMPACTION_FLOOR),
            armed: Mutex::new(Armed { heap: Heap::new(), filed: 0 }),
        }
    }

    pub(super) fn earliest(&self) -> u64 {
        // Acquire: pairs with the Release in `publish`.
        self.earliest.load(Acquire)
    }

    /// Files an item; true if it has become the earliest.
    pub(super) fn file(&self, deadline: u64, generation: u64, entry: &Arc<TimerEntry>) -> bool {
        let mut armed = self.armed.lock();
        let dead = self.throw_out(&mut armed.heap, DEAD_SHARE_AT_ARM);
        let sequence = armed.put(deadline, generation, Arc::clone(entry));
        self.publish(&armed.heap);
        let is_earliest = armed.heap.peek().is_some_and(|item| item.sequence == sequence);
        drop(armed);
        drop(dead);
        is_earliest
    }

    /// Fires what is due at `now`, earliest first, up to `most`, and moves on what was put off.
    pub(super) fn fire_due(&self, now: u64, most: usize, wakers: &mut Vec<Waker>) -> Fired {
        let mut fired = Fired::default();
        // Freed after the lock is released: theirs may be the last references.
        let mut done = Vec::new();
        let mut armed = self.armed.lock();
        while fired.count < most {
            let Some(item) = armed.pop_due(now) else { break };
            match item.entry.fire(item.generation) {
                Fire::Fired(waker) => {
                    fired.add(now - item.deadline);
                    wakers.extend(waker);
                    done.push(item.entry);
                }
                Fire::Later(deadline) => drop(armed.put(deadline, item.generation, item.entry)),
                Fire::Dead => done.push(item.entry),
            }
        }
        self.exhume(done.len() - fired.count);
        self.publish(&armed.heap);
        drop(armed);
        drop(done);
        fired
    }

    /// Takes dead items off the top, and moves on those there that were put off, until the earliest deadline is that of a
    /// timer which will fire; returns it.
    pub(super) fn settle(&self) -> u64 {
        let mut dead = Vec::new();
        let mut armed = self.armed.lock();
        while let Some(top) = armed.heap.peek() {
            let truth = top.entry.truth(top.generation);
            if truth == Some(top.deadline) {
                break;
            }
            let Some(item) = armed.heap.pop() else { break };
            match truth {
                Some(deadline) => drop(armed.put(deadline, item.generation, item.entry)),
                None => dead.push(item),
            }
        }
        self.exhume(dead.len());
        self.publish(&armed.heap);
        drop(armed);
        drop(dead);
        self.earliest()
    }

    pub(super) fn count_until(&self, deadline: u64, most: usize) -> usize {
        if self.earliest() > deadline {
            0
        } else {
            self.armed.lock().heap.count_top(most, |item| item.deadline <= deadline)
        }
    }

    pub(super) fn len(&self) -> usize {
        self.armed.lock().heap.len()
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(super) fn dead(&self) -> usize {
        self.dead.load(Acquire)
    }

    /// Lets go of all items: each holds a timer, and each timer that is armed this store.
    pub(super) fn clear(&self) {
        let mut armed = self.armed.lock();
        let items = std::mem::replace(&mut armed.heap, Heap::new());
        self.publish(&armed.heap);
        drop(armed);
        drop(items);
    }

    /// Shows `f` who waits for each armed timer, and when that is due.
    ///
    /// From the end of the heap, a few items at a time: what a firing moves is moved towards the front, so that it comes up
    /// still. What an arming or a clean-up moves may be missed.
    pub(super) fn for_each_waiter(&self, mut f: impl FnMut(u64, &Waker)) {
        let mut end = usize::MAX;
        while end > 0 {
            let armed = self.armed.lock();
            let items = armed.heap.items();
            end = end.min(items.len());
            let start = end.saturating_sub(ITEMS_PER_HOLD);
            items[start..end].iter().for_each(|item| item.entry.show(item.generation, &mut f));
            end = start;
            hand_on(armed);
        }
    }

    /// Counts one dead item more; true if they are so many that the caller should clean up, with no lock held.
    #[must_use]
    pub(super) fn bury(&self) -> bool {
        // AcqRel: the chain of read-modify-writes is the count; the order against the phase is the entry lock's
        // business.
        let before = self.dead.fetch_add(1, AcqRel);
        // Relaxed: a limit that is a moment old makes for a clean-up too early or too late by a few.
        before >= self.most_dead.load(Relaxed)
    }

    /// Throws the dead out, unless somebody is at the queue: that may be an arm, which does it too, and if not, another
    /// cancel will.
    pub(super) fn clean(&self) {
        let Some(mut armed) = self.armed.try_lock() else { return };
        let dead = self.throw_out(&mut armed.heap, DEAD_SHARE_AT_CANCEL);
        self.publish(&armed.heap);
        drop(armed);
        drop(dead);
    }

    /// Throws the dead items out if they are more than one in `share`. The caller drops them after releasing the lock:
    /// theirs may be the last references.
    fn throw_out(&self, heap: &mut Heap<Item>, share: usize) -> Vec<Item> {
        // Acquire: as in `bury`. A count that is a moment old delays a pass by one arm.
        let population = self.dead.load(Acquire);
        if heap.len() < COMPACTION_FLOOR || population <= heap.len() / share {
            return Vec::new();
        }
        let dead = heap.take_dead(Item::is_dead);
        self.exhume(dead.len());
        dead
    }

    fn exhume(&self, count: usize) {
        if count > 0 {
            self.dead.fetch_sub(count, AcqRel);
        }
    }

    /// Tells those without the lock what the heap is like.
    fn publish(&self, heap: &Heap<Item>) {
        let earliest = heap.peek().map_or(NEVER, |item| item.deadline);
        // Release: pairs with the Acquire in `earliest`.
        self.earliest.store(earliest, Release);
        self.most_dead.store((heap.len() / DEAD_SHARE_AT_CANCEL).max(COMPACTION_FLOOR), Relaxed);
    }
}

impl Armed {
    /// Puts an item in, behind those with the same deadline, and returns its sequence number.
    fn put(&mut self, deadline: u64, generation: u64, entry: Arc<TimerEntry>) -> u64 {
        let sequence = self.filed;
        self.filed += 1;
        self.heap.push(Item { deadline, sequence, generation, entry });
        sequence
    }

    fn pop_due(&mut self, now: u64) -> Option<Item> {
        if self.heap.peek()?.deadline > now {
            return None;
        }
        self.heap.pop()
    }
}
