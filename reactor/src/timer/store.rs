//! The store of a timer queue: a heap under a lock, the words beside it that every thread reads
//! without the lock, and the rule for removing dead items, whose timers were cancelled or armed
//! again.
//!
//! A cancel counts its item and leaves it in the heap. Once the dead are a quarter of the heap,
//! each arm searches for them; once they are half of it, a cancel does as well. A search takes a
//! few items at a time if the heap is large. A small heap is not searched, unless its queue rests:
//! where no timer is armed any more, no arm would ever search it.
//!
//! The heap has four children per node instead of two: half the depth, and the four lie side by
//! side. Sinking an item compares more and misses the cache less, which is the better trade for
//! items that are mostly pushed, cancelled and never popped.

use super::earliest::Earliest;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::sync::atomic::{AtomicBool, AtomicUsize};
use crate::sync::{Arc, COMPACTION_FLOOR, Mutex, MutexGuard};
use std::cmp::Ordering;

/// The deadline that never comes.
pub(super) const NEVER: u64 = u64::MAX;

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

/// The number of children of a node.
const ARITY: usize = 4;

/// Memory is released when less than one part in this many is in use.
const SPARE_SHARE: usize = 4;

/// A timer, as the store knows it.
pub(crate) trait QueuedEntry {
    /// Returns whether the item made for `generation` is dead. If so, it stays dead, and the caller
    /// throws it out.
    fn remove_if_dead(&self, generation: u64) -> bool;
}

/// The heap of items, and the words beside it that are read without its lock.
#[derive(Debug)]
pub(crate) struct Store<E> {
    /// The deadline on top of the heap, dead items included.
    pub(super) earliest: Earliest,
    /// The number of dead items: cancelled or re-armed, and not yet removed.
    pub(super) dead: AtomicUsize,
    /// With more dead than this, a cancel cleans up. Written under the lock.
    most_dead: AtomicUsize,
    /// True if its queue rests. Written under the lock.
    rests: AtomicBool,
    contents: Mutex<StoredTimers<E>>,
    /// The most items touched under one hold of the lock.
    #[cfg(test)]
    pub(super) longest_hold: std::sync::atomic::AtomicUsize,
}

/// The data that the lock protects.
#[derive(Debug)]
pub(super) struct StoredTimers<E> {
    pub(super) heap: Heap<QueuedTimer<E>>,
    /// Items ever inserted or moved on: the order among equal deadlines.
    inserted: u64,
    /// Where the search for the dead continues: the items before this one have yet to be looked at.
    /// It begins at the end.
    unsearched: usize,
    /// Set at shutdown; nothing is inserted after it.
    pub(super) is_closed: bool,
}

/// One arming in the heap, ordered by deadline and then by the order of insertion.
#[derive(Debug)]
pub(super) struct QueuedTimer<E> {
    pub(super) deadline: u64,
    pub(super) sequence: u64,
    pub(super) generation: u64,
    pub(super) entry: Arc<E>,
}

impl<E> QueuedTimer<E> {
    fn rank(&self) -> (u64, u64) {
        (self.deadline, self.sequence)
    }
}

impl<E> PartialEq for QueuedTimer<E> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl<E> Eq for QueuedTimer<E> {}

impl<E> PartialOrd for QueuedTimer<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for QueuedTimer<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl<E> Store<E> {
    pub(super) fn new() -> Self {
        Self {
            earliest: Earliest::new(NEVER),
            dead: AtomicUsize::new(0),
            most_dead: AtomicUsize::new(COMPACTION_FLOOR),
            rests: AtomicBool::new(false),
            contents: Mutex::new(StoredTimers { heap: Heap::new(), inserted: 0, unsearched: 0, is_closed: false }),
            #[cfg(test)]
            longest_hold: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, StoredTimers<E>> {
        let contents = self.contents.lock();
        #[cfg(test)]
        self.longest_hold.fetch_max(contents.heap.take_touched(), Relaxed);
        contents
    }

    /// Publishes the earliest deadline and the limit of the dead, for threads without the lock.
    pub(super) fn publish(&self, contents: &StoredTimers<E>) {
        self.earliest.publish(contents.heap.peek().map_or(NEVER, |item| item.deadline));
        self.most_dead.store((contents.heap.len() / DEAD_SHARE_AT_CANCEL).max(self.floor()), Relaxed);
    }

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

    /// Begins or ends a rest: while it lasts, the dead are searched for however few they are, and
    /// none is revived.
    pub(super) fn set_resting(&self, rests: bool) {
        // Relaxed: a timer that is revived in the first moment of a rest is as if armed before it.
        self.rests.store(rests, Relaxed);
    }

    pub(super) fn is_resting(&self) -> bool {
        self.rests.load(Relaxed)
    }

    /// A smaller heap is not searched.
    fn floor(&self) -> usize {
        if self.is_resting() { 0 } else { COMPACTION_FLOOR }
    }

    pub(super) fn count_removed(&self, count: usize) {
        if count > 0 {
            self.dead.fetch_sub(count, AcqRel);
        }
    }
}

impl<E: QueuedEntry> Store<E> {
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
    pub(super) fn throw_out(&self, contents: &mut StoredTimers<E>, share: usize) -> Vec<QueuedTimer<E>> {
        // Acquire: as in `count_dead`. A count that is a moment old delays a search by one arm.
        let population = self.dead.load(Acquire);
        if contents.heap.len() < self.floor() || population <= contents.heap.len() / share {
            return Vec::new();
        }
        let dead = contents.search();
        self.count_removed(dead.len());
        dead
    }
}

impl<E> StoredTimers<E> {
    /// Inserts an item, behind those with the same deadline, and returns its sequence number.
    pub(super) fn put(&mut self, deadline: u64, generation: u64, entry: Arc<E>) -> u64 {
        let sequence = self.inserted;
        self.inserted += 1;
        self.heap.push(QueuedTimer { deadline, sequence, generation, entry });
        sequence
    }

    pub(super) fn pop_due(&mut self, now: u64) -> Option<QueuedTimer<E>> {
        if self.heap.peek()?.deadline > now {
            return None;
        }
        self.heap.pop()
    }
}

impl<E: QueuedEntry> StoredTimers<E> {
    /// Takes out dead items: all of them if the heap is small, else those among the next few items.
    fn search(&mut self) -> Vec<QueuedTimer<E>> {
        let mut dead = Vec::new();
        let is_dead = |item: &QueuedTimer<E>| item.entry.remove_if_dead(item.generation);
        if self.heap.len() <= SEARCHED_WHOLE {
            // A look either moves on or takes an item out: it ends within two for each item.
            self.unsearched = self.heap.take_dead(usize::MAX, usize::MAX, is_dead, &mut dead);
            return dead;
        }
        let end = if self.unsearched == 0 { usize::MAX } else { self.unsearched };
        self.unsearched = self.heap.take_dead(end, LOOKS_PER_STEP, is_dead, &mut dead);
        dead
    }
}

/// A heap with the smallest item on top.
#[derive(Debug)]
pub(super) struct Heap<T> {
    items: Vec<T>,
    /// Items pushed, popped and looked at.
    #[cfg(test)]
    touched: std::cell::Cell<usize>,
}

impl<T: Ord> Heap<T> {
    const fn new() -> Self {
        Self {
            items: Vec::new(),
            #[cfg(test)]
            touched: std::cell::Cell::new(0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn peek(&self) -> Option<&T> {
        self.items.first()
    }

    /// Returns all items; each comes behind its parent, and their order is unspecified otherwise.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// Takes all items out.
    pub(super) fn take(&mut self) -> Vec<T> {
        std::mem::take(&mut self.items)
    }

    pub(super) fn push(&mut self, item: T) {
        self.count_touch();
        self.items.push(item);
        self.rise(self.items.len() - 1);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        if self.items.is_empty() {
            return None;
        }
        self.count_touch();
        let top = self.items.swap_remove(0);
        self.sink(0);
        Some(top)
    }

    /// Looks at `looks` items at most, from the one before `end` towards the front, and moves those
    /// that are dead to `dead`. Gives memory back when little is left. Returns where it stopped:
    /// the items before that have yet to be looked at.
    ///
    /// Towards the front, since the item that fills a hole comes from the end, where all have been
    /// looked at.
    pub(super) fn take_dead(
        &mut self,
        end: usize,
        looks: usize,
        is_dead: impl Fn(&T) -> bool,
        dead: &mut Vec<T>,
    ) -> usize {
        let mut end = end.min(self.items.len());
        for _ in 0..looks {
            if end == 0 {
                break;
            }
            self.count_touch();
            if is_dead(&self.items[end - 1]) {
                dead.push(self.remove(end - 1));
                // Unless that was the last, another lies there: the parent, if the item that filled
                // the hole belonged above it.
                end = end.min(self.items.len());
            } else {
                end -= 1;
            }
        }
        if self.items.capacity() / SPARE_SHARE > self.items.len() {
            self.items.shrink_to(self.items.len() * 2);
        }
        end
    }

    fn remove(&mut self, at: usize) -> T {
        let item = self.items.swap_remove(at);
        if at < self.items.len() {
            // At most one of the two moves it: an item that has sunk leaves a child there that
            // belongs below the parent.
            self.sink(at);
            self.rise(at);
        }
        item
    }

    /// Counts the items that are `wanted`, up to `most`. All children of an item that is not wanted
    /// must be unwanted as well.
    pub(super) fn count_top(&self, most: usize, wanted: impl Fn(&T) -> bool) -> usize {
        self.count_below(0, most, &wanted)
    }

    fn count_below(&self, at: usize, most: usize, wanted: &impl Fn(&T) -> bool) -> usize {
        self.count_touch();
        if most == 0 || !self.items.get(at).is_some_and(wanted) {
            return 0;
        }
        let first = at * ARITY + 1;
        (first..first + ARITY)
            .fold(1, |count, child| count + self.count_below(child, most.saturating_sub(count), wanted))
    }

    fn count_touch(&self) {
        #[cfg(test)]
        self.touched.set(self.touched.get() + 1);
    }

    /// Returns how many were touched since the last call.
    #[cfg(test)]
    pub(super) fn take_touched(&self) -> usize {
        self.touched.take()
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.items[parent] <= self.items[at] {
                return;
            }
            self.items.swap(parent, at);
            at = parent;
        }
    }

    fn sink(&mut self, mut at: usize) {
        while let Some(child) = self.smallest_child(at) {
            if self.items[at] <= self.items[child] {
                return;
            }
            self.items.swap(at, child);
            at = child;
        }
    }

    fn smallest_child(&self, parent: usize) -> Option<usize> {
        let first = parent * ARITY + 1;
        let end = (first + ARITY).min(self.items.len());
        (first..end).min_by(|&a, &b| self.items[a].cmp(&self.items[b]))
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod layout {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// The alignment holds for the `Arc`'s allocation too: the reference count lies before the
    /// whole.
    #[test]
    fn arms_write_no_cache_line_that_all_processors_read() {
        type Timers = Store<crate::timer::TimerEntry>;
        let line = offset_of!(Timers, earliest)..offset_of!(Timers, earliest) + 128;
        assert_eq!((size_of::<Earliest>(), line.start % 128), (128, 0));
        let others = [offset_of!(Timers, dead), offset_of!(Timers, most_dead), offset_of!(Timers, contents)];
        assert!(others.iter().all(|offset| !line.contains(offset)), "{line:?} {others:?}");
        let store = Arc::new(Timers::new());
        assert_eq!(Arc::as_ptr(&store).addr() % 128, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::test_random::Random;

    fn drain(mut heap: Heap<u64>) -> Vec<u64> {
        std::iter::from_fn(|| heap.pop()).collect()
    }

    #[test]
    fn items_come_out_in_order() {
        let mut random = Random::seeded(1);
        for length in 0..200 {
            let mut heap = Heap::new();
            let mut expected: Vec<u64> = (0..length).map(|_| random.below(50)).collect();
            expected.iter().for_each(|&item| heap.push(item));
            expected.sort_unstable();
            assert_eq!(drain(heap), expected);
        }
    }

    #[test]
    fn the_smallest_are_counted_up_to_a_limit() {
        let mut random = Random::seeded(3);
        for length in 0..200 {
            let mut heap = Heap::new();
            let items: Vec<u64> = (0..length).map(|_| random.below(100)).collect();
            items.iter().for_each(|&item| heap.push(item));
            let (limit, most) = (random.below(110), random.below(30) as usize);
            let below = items.iter().filter(|&&item| item <= limit).count();
            assert_eq!(heap.count_top(most, |&item| item <= limit), below.min(most));
        }
    }

    #[test]
    fn the_order_survives_the_removal_of_any_subset() {
        let mut random = Random::seeded(2);
        for length in 0..200 {
            let mut heap = Heap::new();
            let items: Vec<u64> = (0..length).map(|_| random.below(1000)).collect();
            items.iter().for_each(|&item| heap.push(item));
            let divisor = 1 + random.below(5);
            let mut dead = Vec::new();
            let stopped = heap.take_dead(usize::MAX, usize::MAX, |item| item % divisor == 0, &mut dead);
            assert_eq!(stopped, 0);
            let mut expected: Vec<u64> = items.iter().copied().filter(|item| item % divisor != 0).collect();
            assert_eq!(dead.len() + expected.len(), items.len());
            expected.sort_unstable();
            assert_eq!(drain(heap), expected);
        }
    }

    #[test]
    fn memory_goes_back_when_little_is_left() {
        let mut heap = Heap::new();
        (0..1000).for_each(|item: u64| heap.push(item));
        let (mut dead, before) = (Vec::new(), heap.items.capacity());
        heap.take_dead(usize::MAX, usize::MAX, |item| item % 2 == 0, &mut dead);
        assert_eq!((heap.len(), heap.items.capacity()), (500, before));
        heap.take_dead(usize::MAX, usize::MAX, |item| *item > 100, &mut dead);
        assert_eq!(heap.len(), 50);
        assert!((100..before).contains(&heap.items.capacity()), "{}", heap.items.capacity());
    }

    #[test]
    fn a_removal_in_steps_looks_no_further_and_misses_nothing() {
        let mut random = Random::seeded(4);
        for length in 0..300 {
            let mut heap = Heap::new();
            (0..length).for_each(|_| heap.push(random.below(1000)));
            let divisor = 1 + random.below(5);
            let looks = 1 + random.below(20) as usize;
            let (mut dead, mut end) = (Vec::new(), usize::MAX);
            heap.take_touched();
            while end > 0 {
                let before = dead.len();
                end = heap.take_dead(end, looks, |item| item % divisor == 0, &mut dead);
                assert!(heap.take_touched() <= looks && dead.len() - before <= looks);
                assert!(end == 0 || end <= heap.len());
            }
            let alive = drain(heap);
            assert_eq!(alive.len() + dead.len(), length as usize);
            assert!(alive.is_sorted() && alive.iter().all(|item| item % divisor != 0));
        }
    }
}
