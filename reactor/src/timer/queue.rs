//! One processor's timers: a heap under a lock, and its earliest deadline beside it for everybody
//! to read.

use super::entry::{Begun, TimerEntry};
use super::fired::Fired;
use super::store::{Filed, NEVER, Store};
use crate::sync::Arc;
use crate::waiters::wake_all;
use std::task::Waker;

/// Holds the armed timers of one processor.
///
/// Deadlines are nanoseconds since an origin of the caller's choice; `u64::MAX` means never. The
/// processor arms and fires; other threads may fire too, on its behalf. Dropping it shuts it down,
/// and wakes all waiters.
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
pub struct TimerQueue(Arc<Store>);

impl TimerQueue {
    /// Makes an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Store::new()))
    }

    /// Returns the earliest deadline, or `u64::MAX` when there is none: one atomic load.
    ///
    /// It may belong to a timer that was cancelled or put off, and so be earlier than needed; it is
    /// never later than an armed timer's, as far as arms are concerned that happened before this
    /// call. Against an arm on another thread at the same time, put a `SeqCst` fence between
    /// publishing "I am going to sleep" and this call, and one between the arm and looking for
    /// sleepers.
    #[must_use]
    pub fn next_deadline(&self) -> u64 {
        self.0.earliest()
    }

    /// Arms `entry` for `deadline`, ending any arming before; true if it became this queue's
    /// earliest, so that who sleeps until the earliest deadline has to be told.
    ///
    /// Timers with equal deadlines fire in the order in which they were armed; those that were put
    /// off to theirs come where they happen to. One with deadline `u64::MAX` is armed, can be
    /// cancelled, and never fires. A timer that is armed here already and put off takes no lock but
    /// its own.
    ///
    /// Once the queue is [shut down](Self::shut_down), the timer is cancelled instead, and its
    /// waiter is woken.
    #[must_use]
    pub fn arm(&self, entry: &Arc<TimerEntry>, deadline: u64) -> bool {
        if deadline == NEVER {
            entry.begin_for_ever();
            return false;
        }
        match entry.begin(&self.0, deadline) {
            Begun::PutOff => false,
            Begun::Anew(generation) => match self.0.file(deadline, generation, entry) {
                Filed::Earliest => true,
                Filed::BehindOthers => false,
                Filed::Refused => {
                    self.give_up(generation, entry);
                    false
                }
            },
        }
    }

    #[cold]
    fn give_up(&self, generation: u64, entry: &TimerEntry) {
        let mut wakers = Vec::new();
        self.0.abandon(generation, entry, &mut wakers);
        wake_all(wakers);
    }

    /// Fires every timer due at `now` and adds their wakers to `wakers`, earliest first; returns
    /// how many fired. None fires early.
    ///
    /// Takes no lock when nothing is due.
    pub fn fire_due(&self, now: u64, wakers: &mut Vec<Waker>) -> usize {
        self.fire_some_due(now, usize::MAX, wakers).count
    }

    /// Does the same for the `most` earliest of them, and tells how late they were by `now`.
    pub fn fire_some_due(&self, now: u64, most: usize, wakers: &mut Vec<Waker>) -> Fired {
        // A deadline of "never" is not in the heap, and an empty heap reads so: it is not due even
        // at the end of time.
        let earliest = self.next_deadline();
        if earliest > now || earliest == NEVER {
            return Fired::default();
        }
        self.0.fire_due(now, most, wakers)
    }

    /// Returns the deadline of the timer that fires next, cancelled ones and those that were put
    /// off aside; `u64::MAX` when there is none. It takes the lock, and throws out what it has
    /// passed over.
    #[must_use]
    pub fn settle(&self) -> u64 {
        self.0.settle()
    }

    /// Counts the timers that are due by `deadline`, to `most` and no further. Those count too that
    /// were cancelled or put off and not yet thrown out or moved.
    ///
    /// Takes no lock when there is none.
    #[must_use]
    pub fn count_until(&self, deadline: u64, most: usize) -> usize {
        self.0.count_until(deadline, most)
    }

    /// Ends all waiting: cancels every timer that is armed, adds their waiters to `wakers`, and
    /// cancels those that are armed later. None of them fires. Calling it again does nothing more.
    ///
    /// A timer that never fires is held by no queue, and not told.
    pub fn shut_down(&self, wakers: &mut Vec<Waker>) {
        self.0.close(wakers);
    }

    /// Shows `f` the waker of everybody who waits for an armed timer, and the timer's deadline, in
    /// no order.
    ///
    /// The waker may be compared, and its data looked at: it is not to be cloned, woken or dropped
    /// in `f`, which is called with the queue's lock held, for some microseconds at a time. A timer
    /// that is armed or cancelled meanwhile may be shown or not, and so may a few others that it
    /// moves. Those that never fire are not shown.
    pub fn for_each_waiter(&self, f: impl FnMut(u64, &Waker)) {
        self.0.for_each_waiter(f);
    }

    /// Returns how many timers are held, cancelled ones that are not yet thrown away included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Tells whether none is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most items touched under one hold of the lock.
    #[cfg(test)]
    pub(crate) fn longest_hold(&self) -> usize {
        self.0.longest_hold()
    }

    /// Dead items counted and still held.
    #[cfg(test)]
    pub(crate) fn dead(&self) -> usize {
        self.0.dead()
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
