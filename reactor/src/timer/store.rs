//! What a queue and its timers share: the heap of items, the count of dead ones among them, and the rule for throwing them
//! out.
//!
//! Apart from the queue so that a cancel can count without the queue's lock, and after the queue is gone.

use super::entry::{Due, Fire, TimerEntry};
use super::heap::Heap;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicU64, AtomicUsize};
use crate::sync::{Arc, COMPACTION_FLOOR, Mutex};
use std::cmp::Ordering;
use std::task::Waker;

/// The deadline that never comes.
pub(super) const NEVER: u64 = u64::MAX;

/// An arm throws the dead out when more than one item in this many is dead: each pass then costs a constant per cancelled
/// timer.
const DEAD_SHARE_AT_ARM: usize = 4;
/// A cancel does when more than one in this many is: seldom, since another thread's arms wait for it.
const DEAD_SHARE_AT_CANCEL: usize = 2;

#[derive(Debug)]
pub(crate) struct Store {
    /// The deadline on top of the heap, dead items included. Written under the lock.
    earliest: AtomicU64,
    /// How many items are dead: cancelled or re-armed, and not yet thrown away.
    dead: AtomicUsize,
    /// With more dead than this, a cancel cleans up. Written under the lock.
    most_dead: AtomicUsize,
    /// Armings so far: the order among equal deadlines.
    armings: AtomicU64,
    heap: Mutex<Heap<Item>>,
}

#[derive(Debug)]
struct Item {
    due: Due,
    generation: u64,
    entry: Arc<TimerEntry>,
}

impl Item {
    fn is_dead(&self) -> bool {
        self.entry.is_dead(self.generation)
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
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
        self.due.cmp(&other.due)
    }
}

impl Store {
    pub(super) fn new() -> Self {
        Self {
            earliest: AtomicU64::new(NEVER),
            dead: AtomicUsize::new(0),
            most_dead: AtomicUsize::new(COMPACTION_FLOOR),
            armings: AtomicU64::new(0),
            heap: Mutex::new(Heap::new()),
        }
    }

    pub(super) fn earliest(&self) -> u64 {
        // Acquire: pairs with the Release in `publish`.
        self.earliest.load(Acquire)
    }

    /// The place of a new arming for `deadline`.
    pub(super) fn due(&self, deadline: u64) -> Due {
        // Relaxed: who arms one timer after another reads growing numbers, and nobody else asks for an order.
        Due { deadline, order: self.armings.fetch_add(1, Relaxed) }
    }

    /// Files an item; true if it has become the earliest.
    pub(super) fn file(&self, due: Due, generation: u64, entry: &Arc<TimerEntry>) -> bool {
        let mut heap = self.heap.lock();
        let dead = self.throw_out(&mut heap, DEAD_SHARE_AT_ARM);
        heap.push(Item { due, generation, entry: Arc::clone(entry) });
        self.publish(&heap);
        let is_earliest = heap.peek().is_some_and(|item| item.due == due);
        drop(heap);
        drop(dead);
        is_earliest
    }

    /// Fires what is due at `now`, earliest first, and moves on what was put off.
    pub(super) fn fire_due(&self, now: u64, wakers: &mut Vec<Waker>) -> usize {
        let mut fired = 0;
        let mut dead = Vec::new();
        let mut heap = self.heap.lock();
        while let Some(mut item) = pop_due(&mut heap, now) {
            match item.entry.fire(item.generation, item.due) {
                Fire::Fired(waker) => {
                    fired += 1;
                    wakers.extend(waker);
                    // Freed after the lock, with those that are dead.
                    dead.push(item);
                }
                Fire::Later(due) => {
                    item.due = due;
                    heap.push(item);
                }
                Fire::Dead => dead.push(item),
            }
        }
        self.exhume(dead.len() - fired);
        self.publish(&heap);
        drop(heap);
        drop(dead);
        fired
    }

    /// Takes dead items off the top, and moves on those there that were put off, until the earliest deadline is that of a
    /// timer which will fire; returns it.
    pub(super) fn settle(&self) -> u64 {
        let mut dead = Vec::new();
        let mut heap = self.heap.lock();
        while let Some(top) = heap.peek() {
            let truth = if top.is_dead() { None } else { top.entry.put_off_from(top.generation, top.due) };
            match truth {
                Some(due) if due == top.due => break,
                _ => {}
            }
            let Some(mut item) = heap.pop() else { break };
            match truth {
                Some(due) => {
                    item.due = due;
                    heap.push(item);
                }
                None => dead.push(item),
            }
        }
        self.exhume(dead.len());
        self.publish(&heap);
        let earliest = self.earliest();
        drop(heap);
        drop(dead);
        earliest
    }

    pub(super) fn len(&self) -> usize {
        self.heap.lock().len()
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(super) fn dead(&self) -> usize {
        self.dead.load(Acquire)
    }

    /// Lets go of all items: each holds a timer, and each timer that is armed this store.
    pub(super) fn clear(&self) {
        let mut heap = self.heap.lock();
        let items = std::mem::replace(&mut *heap, Heap::new());
        self.publish(&heap);
        drop(heap);
        drop(items);
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
        let Some(mut heap) = self.heap.try_lock() else { return };
        let dead = self.throw_out(&mut heap, DEAD_SHARE_AT_CANCEL);
        self.publish(&heap);
        drop(heap);
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
        let earliest = heap.peek().map_or(NEVER, |item| item.due.deadline);
        // Release: pairs with the Acquire in `earliest`.
        self.earliest.store(earliest, Release);
        self.most_dead.store((heap.len() / DEAD_SHARE_AT_CANCEL).max(COMPACTION_FLOOR), Relaxed);
    }
}

fn pop_due(heap: &mut Heap<Item>, now: u64) -> Option<Item> {
    if heap.peek()?.due.deadline > now {
        return None;
    }
    heap.pop()
}
