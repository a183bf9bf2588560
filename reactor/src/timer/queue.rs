//! One processor's timers: a heap under a lock, and its earliest deadline beside it for everybody to read.

use super::entry::{Fire, Graveyard, TimerEntry};
use super::heap::Heap;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::sync::{Arc, COMPACTION_FLOOR, Mutex};
use std::cmp::Ordering;
use std::task::Waker;

/// The deadline that never comes.
const NEVER: u64 = u64::MAX;

/// The queue is compacted when more than one item in this many is dead: each pass then costs a constant per cancelled
/// timer.
const DEAD_SHARE: usize = 4;

/// Holds the armed timers of one processor.
///
/// Deadlines are nanoseconds since an origin of the caller's choice; `u64::MAX` means never. The processor arms and
/// fires; other threads may fire too, on its behalf.
///
/// # Examples
///
/// ```
/// use wsrt_reactor::timer::{TimerEntry, TimerQueue};
///
/// let queue = TimerQueue::new();
/// let (kept, cancelled) = (TimerEntry::new(), TimerEntry::new());
/// assert!(queue.arm(&kept, 2_000), "it is the earliest");
/// assert!(!queue.arm(&cancelled, 3_000));
/// cancelled.cancel();
///
/// let mut wakers = Vec::new();
/// assert_eq!(queue.fire_due(1_999, &mut wakers), 0);
/// assert_eq!(queue.fire_due(5_000, &mut wakers), 1);
/// assert!(kept.is_fired() && !cancelled.is_fired());
/// ```
#[derive(Debug)]
pub struct TimerQueue {
    /// The deadline on top of the heap, dead items included. Written under the lock.
    earliest: AtomicU64,
    graveyard: Arc<Graveyard>,
    armed: Mutex<Armed>,
}

#[derive(Debug)]
struct Armed {
    heap: Heap<Item>,
    /// Items ever pushed: the order among equal deadlines.
    pushed: u64,
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

impl TimerQueue {
    /// Makes an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self {
            earliest: AtomicU64::new(NEVER),
            graveyard: Arc::new(Graveyard::new()),
            armed: Mutex::new(Armed { heap: Heap::new(), pushed: 0 }),
        }
    }

    /// Returns the earliest deadline, or `u64::MAX` when there is none: one atomic load.
    ///
    /// It may belong to a cancelled timer and so be earlier than needed; it is never later than an armed timer's, as
    /// far as arms are concerned that happened before this call. Against an arm on another thread at the same time, put
    /// a `SeqCst` fence between publishing "I am going to sleep" and this call, and one between the arm and looking for
    /// sleepers.
    #[must_use]
    pub fn next_deadline(&self) -> u64 {
        // Acquire: pairs with the Release in `publish_earliest`.
        self.earliest.load(Acquire)
    }

    /// Arms `entry` for `deadline`, ending any arming before; true if it became this queue's earliest, so that who
    /// sleeps until the earliest deadline has to be told.
    ///
    /// Timers with equal deadlines fire in the order in which they were armed. One with deadline `u64::MAX` is armed,
    /// can be cancelled, and never fires.
    #[must_use]
    pub fn arm(&self, entry: &Arc<TimerEntry>, deadline: u64) -> bool {
        if deadline == NEVER {
            let _ = entry.begin(None);
            return false;
        }
        let generation = entry.begin(Some(&self.graveyard));
        let mut armed = self.armed.lock();
        let dead = self.compact(&mut armed.heap);
        let sequence = armed.pushed;
        armed.pushed += 1;
        armed.heap.push(Item { deadline, sequence, generation, entry: Arc::clone(entry) });
        self.publish_earliest(&armed.heap);
        let is_earliest = armed.heap.peek().is_some_and(|item| item.rank() == (deadline, sequence));
        drop(armed);
        drop(dead);
        is_earliest
    }

    /// Fires every timer due at `now` and adds their wakers to `wakers`, earliest first; returns how many fired. None
    /// fires early.
    ///
    /// Takes no lock when nothing is due.
    pub fn fire_due(&self, now: u64, wakers: &mut Vec<Waker>) -> usize {
        // A deadline of "never" is not in the heap, and an empty heap reads so: it is not due even at the end of time.
        let earliest = self.next_deadline();
        if earliest > now || earliest == NEVER {
            return 0;
        }
        let mut fired = 0;
        let mut dead = Vec::new();
        let mut armed = self.armed.lock();
        while let Some(item) = pop_due(&mut armed.heap, now) {
            match item.entry.fire(item.generation) {
                Fire::Fired(waker) => {
                    fired += 1;
                    wakers.extend(waker);
                }
                Fire::Dead => dead.push(item),
            }
        }
        self.graveyard.exhume(dead.len());
        self.publish_earliest(&armed.heap);
        drop(armed);
        drop(dead);
        fired
    }

    /// Returns how many timers are held, cancelled ones that are not yet thrown away included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.armed.lock().heap.len()
    }

    /// Tells whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(crate) fn dead(&self) -> usize {
        self.graveyard.population()
    }

    /// Throws the dead items out when they are too many. The caller drops them after releasing the lock: theirs may be
    /// the last references.
    fn compact(&self, heap: &mut Heap<Item>) -> Vec<Item> {
        let population = self.graveyard.population();
        if heap.len() < COMPACTION_FLOOR || population <= heap.len() / DEAD_SHARE {
            return Vec::new();
        }
        let dead = heap.take_dead(Item::is_dead);
        self.graveyard.exhume(dead.len());
        dead
    }

    fn publish_earliest(&self, heap: &Heap<Item>) {
        let earliest = heap.peek().map_or(NEVER, |item| item.deadline);
        // Release: pairs with the Acquire in `next_deadline`.
        self.earliest.store(earliest, Release);
    }
}

impl Default for TimerQueue {
    fn default() -> Self {
        Self::new()
    }
}

fn pop_due(heap: &mut Heap<Item>, now: u64) -> Option<Item> {
    if heap.peek()?.deadline > now {
        return None;
    }
    heap.pop()
}
