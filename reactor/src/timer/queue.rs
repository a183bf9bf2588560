//! The timers of one processor: they are armed, fired, and shown to dumps.

use super::entry::{Begun, Fire, TimerEntry};
use super::fired::Fired;
use super::store::{DEAD_SHARE_AT_ARM, NEVER, QueuedTimer, Store, StoredTimers};
use crate::sync::{Arc, FIRED_PER_HOLD, hand_on};
use crate::waiters::wake_all;
use std::task::Waker;

/// Items looked at under one hold of the lock by a walk over all of them.
const ITEMS_PER_HOLD: usize = 64;

/// A queue of the armed timers of one processor.
///
/// Deadlines are in nanoseconds since an origin that the caller chooses; `u64::MAX` means never.
/// The processor arms and fires timers; other threads may also fire timers on its behalf. Dropping
/// the queue shuts it down and wakes all waiters.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor::timer::{TimerEntry, TimerQueue};
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
    /// Shared with the armed timers, so that a cancel counts its item without the queue's lock, and
    /// after the queue is gone.
    store: Arc<Store<TimerEntry>>,
}

impl TimerQueue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { store: Arc::new(Store::new()) }
    }

    /// Returns the earliest deadline, in nanoseconds since the queue's origin, or `u64::MAX` if
    /// there is none. The call is a single atomic load.
    ///
    /// The deadline may belong to a timer that has been cancelled or put off, so it may be earlier
    /// than necessary. It is never later than the deadline of a timer whose arming happened before
    /// this call. To synchronise with another thread that arms a timer at the same time, put a
    /// `SeqCst` fence between publishing "I am going to sleep" and this call, and another one
    /// between arming the timer and looking for sleepers.
    #[must_use]
    pub fn next_deadline(&self) -> u64 {
        self.store.earliest.read()
    }

    /// Arms `entry` for `deadline`, replacing any earlier arming. Returns `true` if the timer
    /// became the earliest of this queue, in which case a thread that sleeps until the earliest
    /// deadline must be woken.
    ///
    /// Timers with equal deadlines fire in the order in which they were armed, except that the
    /// position of a timer that was put off to this deadline is unspecified. A timer with the
    /// deadline `u64::MAX` is armed and can be cancelled, but never fires. Putting off a timer that
    /// is already armed in this queue takes no lock except the timer's own.
    ///
    /// If the queue has been [shut down](Self::shut_down), the timer is cancelled instead, and its
    /// waiter is woken.
    #[must_use]
    pub fn arm(&self, entry: &Arc<TimerEntry>, deadline: u64) -> bool {
        if deadline == NEVER {
            entry.begin_for_ever();
            return false;
        }
        match entry.begin(&self.store, deadline) {
            Begun::PutOff => false,
            Begun::Anew(generation) => self.insert(deadline, generation, entry),
        }
    }

    /// Inserts an item for the arming `generation`; true if it is the earliest.
    fn insert(&self, deadline: u64, generation: u64, entry: &Arc<TimerEntry>) -> bool {
        let mut contents = self.store.lock();
        if contents.is_closed {
            drop(contents);
            self.refuse(generation, entry);
            return false;
        }
        let dead = self.store.throw_out(&mut contents, DEAD_SHARE_AT_ARM);
        let sequence = contents.put(deadline, generation, Arc::clone(entry));
        self.store.publish(&contents);
        let is_earliest = contents.heap.peek().is_some_and(|item| item.sequence == sequence);
        drop(contents);
        drop(dead);
        is_earliest
    }

    #[cold]
    fn refuse(&self, generation: u64, entry: &TimerEntry) {
        let mut wakers = Vec::new();
        self.abandon(generation, entry, &mut wakers);
        wake_all(wakers);
    }

    /// Fires all timers that are due at `now`, appends their wakers to `wakers`, earliest first,
    /// and returns the number of timers fired. No timer fires early.
    ///
    /// Takes no lock if no timer is due.
    pub fn fire_due(&self, now: u64, wakers: &mut Vec<Waker>) -> usize {
        self.fire_some_due(now, usize::MAX, wakers).count
    }

    /// Fires at most `most` of the timers due at `now`, earliest first, as
    /// [`fire_due`](Self::fire_due) does. Returns how many fired and how late they were.
    pub fn fire_some_due(&self, now: u64, most: usize, wakers: &mut Vec<Waker>) -> Fired {
        let mut fired = Fired::default();
        // A deadline of "never" is not in the heap, and an empty heap reads so: it is not due even
        // at the end of time.
        let earliest = self.next_deadline();
        if earliest > now || earliest == NEVER {
            return fired;
        }
        // In short holds of the lock, so that an arm does not wait for a whole crowd that is due at
        // once. It ends: a timer armed in the meantime is armed by a thread that has read the clock
        // since, for later than `now`.
        while !self.fire_for_one_hold(now, most, &mut fired, wakers) {}
        fired
    }

    /// Fires timers, earliest first, and moves on those that were put off, under one hold of the
    /// lock; true if no more than the `most` are due.
    fn fire_for_one_hold(&self, now: u64, most: usize, fired: &mut Fired, wakers: &mut Vec<Waker>) -> bool {
        // Freed after the lock is released: theirs may be the last references.
        let mut done = Vec::new();
        let mut contents = self.store.lock();
        let fired_before = fired.count;
        let mut is_over = false;
        for _ in 0..FIRED_PER_HOLD {
            let item = if fired.count < most { contents.pop_due(now) } else { None };
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
                Fire::Later(deadline) => drop(contents.put(deadline, item.generation, item.entry)),
                Fire::Dead => done.push(item.entry),
            }
        }
        self.store.count_removed(done.len() - (fired.count - fired_before));
        self.store.publish(&contents);
        hand_on(contents);
        is_over
    }

    /// Returns the deadline of the timer that fires next, ignoring timers that have been cancelled
    /// or put off, or `u64::MAX` if there is none. The call takes the lock for short periods, and
    /// removes the stale items that it passes over.
    #[must_use]
    pub fn settle(&self) -> u64 {
        loop {
            let mut dead = Vec::new();
            let mut contents = self.store.lock();
            let is_settled = (0..FIRED_PER_HOLD).any(|_| contents.settle_top(&mut dead));
            self.store.count_removed(dead.len());
            self.store.publish(&contents);
            hand_on(contents);
            if is_settled {
                return self.next_deadline();
            }
        }
    }

    /// Returns the number of timers that are due by `deadline`, counting at most `most`. Timers
    /// that have been cancelled or put off, but not yet removed or moved, are counted too.
    ///
    /// Takes no lock if there is no such timer.
    #[must_use]
    pub fn count_until(&self, deadline: u64, most: usize) -> usize {
        if self.next_deadline() > deadline {
            return 0;
        }
        self.store.lock().heap.count_top(most, |item| item.deadline <= deadline)
    }

    /// Begins a rest, a period in which timers are cancelled and few are armed. Removes the
    /// cancelled timers, and from now on keeps at most as many cancelled timers as live ones,
    /// however few there are. The call takes the lock.
    ///
    /// A queue that is not resting keeps some dozens of cancelled timers, so that most calls that
    /// arm or cancel a timer search nothing. More may remain if other threads arm or cancel timers
    /// at the same time, or if the queue is large.
    pub fn begin_rest(&self) {
        let mut contents = self.store.lock();
        self.store.set_resting(true);
        // However few are dead.
        let dead = self.store.throw_out(&mut contents, usize::MAX);
        self.store.publish(&contents);
        drop(contents);
        drop(dead);
    }

    /// Ends a rest that [`begin_rest`](Self::begin_rest) began.
    pub fn end_rest(&self) {
        let contents = self.store.lock();
        self.store.set_resting(false);
        self.store.publish(&contents);
    }

    /// Shuts the queue down: cancels all armed timers and appends their wakers to `wakers`. Timers
    /// that are armed later are cancelled at once. None of these timers fires. Calling this method
    /// again has no further effect.
    ///
    /// A timer whose deadline is `u64::MAX` is not held by any queue, so its waiter is not woken.
    pub fn shut_down(&self, wakers: &mut Vec<Waker>) {
        let mut contents = self.store.lock();
        contents.is_closed = true;
        // Each item holds a timer, and each armed timer the store: this ends the circle.
        let items = contents.heap.take();
        self.store.publish(&contents);
        drop(contents);
        // With the lock released, for they may be many.
        for item in items {
            self.abandon(item.generation, &item.entry, wakers);
        }
    }

    /// Ends an arming whose item is in no heap any more, or never was.
    fn abandon(&self, generation: u64, entry: &TimerEntry, wakers: &mut Vec<Waker>) {
        match entry.abandon(generation) {
            Some(waker) => wakers.extend(waker),
            // Its owner counted it as dead.
            None => self.store.count_removed(1),
        }
    }

    /// Calls `f` with the deadline of each armed timer that a task waits for, and with the task's
    /// waker, in no particular order.
    ///
    /// `f` is called while the queue's lock is held, for some microseconds at a time. `f` may
    /// compare the waker and inspect its data, but must not clone, wake or drop it. A timer that is
    /// armed or cancelled during the walk, and a few others that this moves, may or may not be
    /// included. Timers that never fire are not included.
    pub fn for_each_waiter(&self, mut f: impl FnMut(u64, &Waker)) {
        // From the end of the heap, a few items at a time: a firing moves items towards the front,
        // so that they still come up. An item that an arming or a clean-up moves may be missed.
        let mut end = usize::MAX;
        while end > 0 {
            let contents = self.store.lock();
            let items = contents.heap.items();
            end = end.min(items.len());
            let start = end.saturating_sub(ITEMS_PER_HOLD);
            items[start..end].iter().for_each(|item| item.entry.show(item.generation, &mut f));
            end = start;
            hand_on(contents);
        }
    }

    /// Returns the number of timers in the queue, including cancelled timers that have not been
    /// removed yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.lock().heap.len()
    }

    /// Returns whether the queue holds no timers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most items touched under one hold of the lock.
    #[cfg(test)]
    pub(crate) fn longest_hold(&self) -> usize {
        drop(self.store.lock());
        self.store.longest_hold.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(crate) fn dead(&self) -> usize {
        self.store.dead.load(crate::sync::atomic::Ordering::Acquire)
    }
}

impl Default for TimerQueue {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for TimerQueue {
    fn drop(&mut self) {
        let mut wakers = Vec::new();
        self.shut_down(&mut wakers);
        wake_all(wakers);
    }
}

impl StoredTimers<TimerEntry> {
    /// Takes out the top item if it is dead, or moves it on if it was put off; true if it is
    /// neither, or there is none.
    fn settle_top(&mut self, dead: &mut Vec<QueuedTimer<TimerEntry>>) -> bool {
        let Some(top) = self.heap.peek() else { return true };
        let due = top.entry.true_deadline(top.generation);
        if due == Some(top.deadline) {
            return true;
        }
        match (self.heap.pop(), due) {
            (Some(item), Some(deadline)) => drop(self.put(deadline, item.generation, item.entry)),
            (item, _) => dead.extend(item),
        }
        false
    }
}
