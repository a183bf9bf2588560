//! What a queue and its timers share: the heap of items, the count of dead ones among them, and the
//! rule for throwing them out.
//!
//! Apart from the queue so that a cancel can count without the queue's lock, and after the queue is
//! gone.

use super::earliest::Earliest;
use super::entry::{Fire, TimerEntry};
use super::fired::Fired;
use super::heap::Heap;
use crate::sync::atomic::AtomicUsize;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::{Arc, COMPACTION_FLOOR, FIRED_PER_HOLD, Mutex, MutexGuard, hand_on};
use std::cmp::Ordering;
use std::task::Waker;

/// The deadline that never comes.
pub(super) const NEVER: u64 = u64::MAX;

/// An arm searches for the dead when more than one item in this many is dead: each search of the
/// whole heap then costs a constant per cancelled timer.
const DEAD_SHARE_AT_ARM: usize = 4;
/// A cancel does when more than one in this many is: seldom, since another thread's arms wait for
/// it.
const DEAD_SHARE_AT_CANCEL: usize = 2;

/// A heap of so many items is searched for the dead in one go: it fits a processor's own cache.
const SEARCHED_WHOLE: usize = 2048;
/// Of a larger one, each arm or cancel that finds too many dead looks at so many items, and the
/// next one goes on from there. So no task pays for the whole heap. While the search lasts the heap
/// grows by one item in this many at most.
const LOOKS_PER_STEP: usize = 64;

/// Items looked at under one hold of the lock by a walk over all of them.
const ITEMS_PER_HOLD: usize = 64;

#[derive(Debug)]
pub(crate) struct Store {
    /// The deadline on top of the heap, dead items included.
    earliest: Earliest,
    /// How many items are dead: cancelled or re-armed, and not yet thrown away.
    dead: AtomicUsize,
    /// With more dead than this, a cancel cleans up. Written under the lock.
    most_dead: AtomicUsize,
    armed: Mutex<Armed>,
    /// The most items touched under one hold of the lock.
    #[cfg(test)]
    longest_hold: std::sync::atomic::AtomicUsize,
}

#[derive(Debug)]
struct Armed {
    heap: Heap<Item>,
    /// Items ever filed or moved on: the order among equal deadlines.
    filed: u64,
    /// Where the search for the dead goes on: it has yet to look at the items before this one. It
    /// begins at the end.
    unsearched: usize,
    /// Set at shutdown; nothing is filed after it.
    is_closed: bool,
}

/// What became of an item.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Filed {
    Earliest,
    BehindOthers,
    /// The store is closed.
    Refused,
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
            earliest: Earliest::new(NEVER),
            dead: AtomicUsize::new(0),
            most_dead: AtomicUsize::new(COMPACTION_FLOOR),
            armed: Mutex::new(Armed { heap: Heap::new(), filed: 0, unsearched: 0, is_closed: false }),
            #[cfg(test)]
            longest_hold: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Armed> {
        let armed = self.armed.lock();
        #[cfg(test)]
        self.longest_hold.fetch_max(armed.heap.take_touched(), Relaxed);
        armed
    }

    /// The most items touched under one hold of the lock.
    #[cfg(test)]
    pub(super) fn longest_hold(&self) -> usize {
        drop(self.lock());
        self.longest_hold.load(Relaxed)
    }

    pub(super) fn earliest(&self) -> u64 {
        self.earliest.read()
    }

    /// Files an item.
    pub(super) fn file(&self, deadline: u64, generation: u64, entry: &Arc<TimerEntry>) -> Filed {
        let mut armed = self.lock();
        if armed.is_closed {
            return Filed::Refused;
        }
        let dead = self.throw_out(&mut armed, DEAD_SHARE_AT_ARM);
        let sequence = armed.put(deadline, generation, Arc::clone(entry));
        self.publish(&armed.heap);
        let is_earliest = armed.heap.peek().is_some_and(|item| item.sequence == sequence);
        drop(armed);
        drop(dead);
        if is_earliest { Filed::Earliest } else { Filed::BehindOthers }
    }

    /// Fires what is due at `now`, earliest first, up to `most`, and moves on what was put off.
    ///
    /// In short holds of the lock, so that an arm does not wait for a whole crowd that is due at
    /// once. It ends: what is armed while it goes on is armed by a thread that has read the clock
    /// since, for later than `now`.
    pub(super) fn fire_due(&self, now: u64, most: usize, wakers: &mut Vec<Waker>) -> Fired {
        let mut fired = Fired::default();
        loop {
            // Freed after the lock is released: theirs may be the last references.
            let mut done = Vec::new();
            let mut armed = self.lock();
            let fired_before = fired.count;
            let mut is_over = false;
            for _ in 0..FIRED_PER_HOLD {
                let item = if fired.count < most { armed.pop_due(now) } else { None };
                let Some(item) = item else {
                    is_over = true;
                    break;
                };
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
            self.count_removed(done.len() - (fired.count - fired_before));
            self.publish(&armed.heap);
            hand_on(armed);
            if is_over {
                return fired;
            }
        }
    }

    /// Takes dead items off the top, and moves on those there that were put off, until the earliest
    /// deadline is that of a timer which will fire; returns it. In short holds of the lock, as a
    /// firing.
    pub(super) fn settle(&self) -> u64 {
        loop {
            let mut dead = Vec::new();
            let mut armed = self.lock();
            let is_settled = (0..FIRED_PER_HOLD).any(|_| armed.settle_top(&mut dead));
            self.count_removed(dead.len());
            self.publish(&armed.heap);
            hand_on(armed);
            if is_settled {
                return self.earliest();
            }
        }
    }

    pub(super) fn count_until(&self, deadline: u64, most: usize) -> usize {
        if self.earliest() > deadline { 0 } else { self.lock().heap.count_top(most, |item| item.deadline <= deadline) }
    }

    pub(super) fn len(&self) -> usize {
        self.lock().heap.len()
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(super) fn dead(&self) -> usize {
        self.dead.load(Acquire)
    }

    /// Takes no more items, and lets go of those that there are: each holds a timer, and each timer
    /// that is armed this store. Adds their waiters to `wakers`.
    pub(super) fn close(&self, wakers: &mut Vec<Waker>) {
        let mut armed = self.lock();
        armed.is_closed = true;
        let items = std::mem::replace(&mut armed.heap, Heap::new());
        self.publish(&armed.heap);
        drop(armed);
        // With the lock released, for they may be many.
        for item in items.into_items() {
            self.abandon(item.generation, &item.entry, wakers);
        }
    }

    /// Ends an arming that is in no heap any more, or never was.
    pub(super) fn abandon(&self, generation: u64, entry: &TimerEntry, wakers: &mut Vec<Waker>) {
        match entry.abandon(generation) {
            Some(waker) => wakers.extend(waker),
            // It was counted by its owner.
            None => self.count_removed(1),
        }
    }

    /// Shows `f` who waits for each armed timer, and when that is due.
    ///
    /// From the end of the heap, a few items at a time: what a firing moves is moved towards the
    /// front, so that it comes up still. What an arming or a clean-up moves may be missed.
    pub(super) fn for_each_waiter(&self, mut f: impl FnMut(u64, &Waker)) {
        let mut end = usize::MAX;
        while end > 0 {
            let armed = self.lock();
            let items = armed.heap.items();
            end = end.min(items.len());
            let start = end.saturating_sub(ITEMS_PER_HOLD);
            items[start..end].iter().for_each(|item| item.entry.show(item.generation, &mut f));
            end = start;
            hand_on(armed);
        }
    }

    /// Counts one dead item more; true if they are so many that the caller should clean up, with no
    /// lock held.
    #[must_use]
    pub(super) fn count_dead(&self) -> bool {
        // AcqRel: the chain of read-modify-writes is the count; the order against the phase is the
        // entry lock's business.
        let before = self.dead.fetch_add(1, AcqRel);
        // Relaxed: a limit that is a moment old makes for a clean-up too early or too late by a
        // few.
        before >= self.most_dead.load(Relaxed)
    }

    /// Throws dead items out, unless somebody is at the queue: that may be an arm, which does it
    /// too, and if not, another cancel will.
    pub(super) fn clean(&self) {
        let Some(mut armed) = self.armed.try_lock() else { return };
        #[cfg(test)]
        self.longest_hold.fetch_max(armed.heap.take_touched(), Relaxed);
        let dead = self.throw_out(&mut armed, DEAD_SHARE_AT_CANCEL);
        self.publish(&armed.heap);
        drop(armed);
        drop(dead);
    }

    /// Goes on searching for dead items if they are more than one in `share`, and takes out what it
    /// finds. The caller drops them after releasing the lock: theirs may be the last references.
    fn throw_out(&self, armed: &mut Armed, share: usize) -> Vec<Item> {
        // Acquire: as in `count_dead`. A count that is a moment old delays a search by one arm.
        let population = self.dead.load(Acquire);
        if armed.heap.len() < COMPACTION_FLOOR || population <= armed.heap.len() / share {
            return Vec::new();
        }
        let dead = armed.search();
        self.count_removed(dead.len());
        dead
    }

    fn count_removed(&self, count: usize) {
        if count > 0 {
            self.dead.fetch_sub(count, AcqRel);
        }
    }

    /// Tells those without the lock what the heap is like.
    fn publish(&self, heap: &Heap<Item>) {
        self.earliest.publish(heap.peek().map_or(NEVER, |item| item.deadline));
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

    /// Sees to the top item if it is dead or was put off; true if it is neither, or there is none.
    fn settle_top(&mut self, dead: &mut Vec<Item>) -> bool {
        let Some(top) = self.heap.peek() else { return true };
        let truth = top.entry.truth(top.generation);
        if truth == Some(top.deadline) {
            return true;
        }
        match (self.heap.pop(), truth) {
            (Some(item), Some(deadline)) => drop(self.put(deadline, item.generation, item.entry)),
            (item, _) => dead.extend(item),
        }
        false
    }

    /// Takes out dead items, of the whole heap if that is small, of the next few otherwise.
    fn search(&mut self) -> Vec<Item> {
        let mut dead = Vec::new();
        if self.heap.len() <= SEARCHED_WHOLE {
            // A look either goes on or takes an item out: it ends within two for each item.
            self.unsearched = self.heap.take_dead(usize::MAX, usize::MAX, Item::is_dead, &mut dead);
            return dead;
        }
        let end = if self.unsearched == 0 { usize::MAX } else { self.unsearched };
        self.unsearched = self.heap.take_dead(end, LOOKS_PER_STEP, Item::is_dead, &mut dead);
        dead
    }

    fn pop_due(&mut self, now: u64) -> Option<Item> {
        if self.heap.peek()?.deadline > now {
            return None;
        }
        self.heap.pop()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// As far as the allocator is asked to keep it so: the reference count of the `Arc` lies before
    /// the whole.
    #[test]
    fn arms_write_no_cache_line_that_all_processors_read() {
        let line = offset_of!(Store, earliest)..offset_of!(Store, earliest) + 128;
        assert_eq!((size_of::<Earliest>(), line.start % 128), (128, 0));
        let others = [offset_of!(Store, dead), offset_of!(Store, most_dead), offset_of!(Store, armed)];
        assert!(others.iter().all(|offset| !line.contains(offset)), "{line:?} {others:?}");
        let store = Arc::new(Store::new());
        assert_eq!(Arc::as_ptr(&store).addr() % 128, 0);
    }
}
