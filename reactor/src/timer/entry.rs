//! One timer: its state word, its deadline, and the waker of the task that waits for it.
//!
//! Every transition is made under the entry's own lock, which only its owner takes, and the queue
//! that fires it or throws its item out. The [`TimerWord`] is a copy published for readers without
//! the lock: the owner asking "has it fired?" and the queue looking for dead items to remove.
//!
//! An arming is named by its generation. The queue's item carries the generation it was made for,
//! so arming again simply starts a new one: the old item is dead from that moment on, wherever it
//! lies. A timer that is put off, as the time limit of a connection is with each request, keeps
//! generation and item: only the entry knows the new deadline, and the queue asks for it when the
//! item's own deadline comes. So does a timer that was cancelled, and is revived before the queue
//! has thrown its item out.

use super::store::{NEVER, QueuedEntry, Store};
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

const STATE_MASK: u64 = 0b11;
const ONE_GENERATION: u64 = 0b100;

/// The state of an arming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TimerState {
    Idle = 0,
    Armed = 1,
    Fired = 2,
    Cancelled = 3,
}

/// The state word of a timer: `generation | state`.
///
/// ```text
///   bits 0-1   state: idle, armed, fired, cancelled
///   bits 2-63  generation: how often it was armed
/// ```
///
/// Written under the entry's lock only, so the transitions are plain values and a store publishes
/// them.
#[derive(Debug)]
struct TimerWord(AtomicU64);

impl TimerWord {
    fn new() -> Self {
        Self(AtomicU64::new(TimerState::Idle as u64))
    }

    fn read(&self) -> WordValue {
        // Acquire: pairs with the Release in `publish`: a reader of "fired" sees the firing
        // thread's earlier writes.
        WordValue(self.0.load(Acquire))
    }

    /// Only with the entry's lock held.
    fn publish(&self, value: WordValue) {
        // Release: pairs with the Acquire in `read`.
        self.0.store(value.0, Release);
    }
}

/// The value of a [`TimerWord`] at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WordValue(u64);

impl WordValue {
    fn state(self) -> TimerState {
        match self.0 & STATE_MASK {
            0 => TimerState::Idle,
            1 => TimerState::Armed,
            2 => TimerState::Fired,
            _ => TimerState::Cancelled,
        }
    }

    fn generation(self) -> u64 {
        self.0 / ONE_GENERATION
    }

    fn is_armed_as(self, generation: u64) -> bool {
        self.state() == TimerState::Armed && self.generation() == generation
    }

    #[must_use]
    fn armed_again(self) -> Self {
        Self(self.0.wrapping_add(ONE_GENERATION)).with(TimerState::Armed)
    }

    #[must_use]
    fn with(self, state: TimerState) -> Self {
        Self(self.0 & !STATE_MASK | state as u64)
    }
}

/// A single timer, which is armed in a [`TimerQueue`](super::TimerQueue).
///
/// A timer is shared between its owner and the queue. The owner cancels a timer that is no longer
/// needed; a timer that is merely dropped stays in the queue until it is due. Arming the timer
/// again, in any queue, replaces the earlier arming.
#[derive(Debug)]
pub struct TimerEntry {
    word: TimerWord,
    inner: Mutex<TimerEntryState>,
}

// No foreign code runs while the lock is held, so a panic never leaves the entry half changed.
impl std::panic::RefUnwindSafe for TimerEntry {}

#[derive(Debug, Default)]
struct TimerEntryState {
    waker: Option<Waker>,
    /// The store that holds its item: while it is armed, and afterwards until it is thrown out.
    home: Option<Arc<Store<TimerEntry>>>,
    /// When it is due.
    deadline: u64,
    /// The deadline that its item was filed under: its own, or an earlier one.
    filed_under: u64,
}

/// The request of [`TimerEntry::begin`] to the queue.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Begun {
    /// To insert a new item, for this generation.
    Anew(u64),
    /// Nothing: its present item comes up in time, and will be moved on.
    PutOff,
}

/// The outcome of [`TimerEntry::fire`].
#[derive(Debug)]
pub(crate) enum Fire {
    /// It fired; this wakes the task that waits for it.
    Fired(Option<Waker>),
    /// It was put off until this deadline; its item goes back with it.
    Later(u64),
    /// It had been cancelled, or replaced by a newer arming.
    Dead,
}

impl TimerEntry {
    /// Creates a timer that is not armed.
    // An entry is of no use unless it is shared with a queue.
    #[allow(clippy::new_ret_no_self)]
    #[must_use]
    pub fn new() -> Arc<TimerEntry> {
        Arc::new(TimerEntry { word: TimerWord::new(), inner: Mutex::new(TimerEntryState::default()) })
    }

    /// Returns whether the timer has fired since it was last armed.
    #[must_use]
    pub fn is_fired(&self) -> bool {
        self.word.read().state() == TimerState::Fired
    }

    /// Returns whether the timer was armed but will not fire, because its owner has cancelled it or
    /// its queue has been [shut down](super::TimerQueue::shut_down).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.word.read().state() == TimerState::Cancelled
    }

    /// Returns `Poll::Ready` once the timer has fired. Until then, registers the current task to be
    /// woken when the timer fires. Only the waker of the most recent call is kept.
    ///
    /// A cancelled timer stays pending forever; use [`is_cancelled`](Self::is_cancelled) to detect
    /// this. If the timer is cancelled by its queue's shutdown after this call, the task is woken.
    pub fn poll_fired(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_fired() {
            return Poll::Ready(());
        }
        let known = self.inner.lock().waker.as_ref().is_some_and(|known| known.will_wake(cx.waker()));
        if known {
            // Firing takes the waker out, and so does a shutdown: the waker was still there, so
            // both of them will find it.
            return Poll::Pending;
        }
        let waker = cx.waker().clone();
        let mut inner = self.inner.lock();
        if self.is_fired() {
            drop(inner);
            return Poll::Ready(());
        }
        let displaced = inner.waker.replace(waker);
        drop(inner);
        drop(displaced);
        Poll::Pending
    }

    /// Cancels the timer, so that it will not fire, and drops its waker. The call takes no lock
    /// except the timer's own. The queue removes the timer's item later, at the latest when a
    /// cancellation finds more dead items than live ones while the queue is not busy.
    ///
    /// Has no effect on a timer that has fired or is not armed.
    pub fn cancel(&self) {
        drop(self.take_back());
    }

    /// Cancels the timer as [`cancel`](Self::cancel) does, and returns the waker of the task that
    /// waited for it, if there was one.
    #[inline]
    #[must_use]
    pub fn take_back(&self) -> Option<Waker> {
        if self.word.read().state() != TimerState::Armed {
            return None;
        }
        let mut inner = self.inner.lock();
        let value = self.word.read();
        if value.state() != TimerState::Armed {
            return None;
        }
        // Before the word is published: a thread that finds the item dead finds it counted.
        let crowded = inner.home.as_ref().filter(|home| home.count_dead()).cloned();
        self.word.publish(value.with(TimerState::Cancelled));
        let waker = inner.waker.take();
        drop(inner);
        if let Some(home) = crowded {
            home.clean();
        }
        waker
    }

    /// Arms a timer again that was cancelled, in the queue where it was, if its item is still there
    /// and comes up early enough. Returns whether it is armed; if not, nothing has changed.
    ///
    /// This is the cheapest way to arm a timer: it takes no lock but the timer's own, and the
    /// earliest deadline of the queue stays the same. For an owner who has cancelled the timer and
    /// has a new use for it. A queue that [rests](super::TimerQueue::begin_rest) takes no timer
    /// back.
    #[must_use]
    pub fn revive(&self, deadline: u64) -> bool {
        let mut inner = self.inner.lock();
        let value = self.word.read();
        let Some(home) = &inner.home else { return false };
        if value.state() != TimerState::Cancelled
            || inner.filed_under > deadline
            || deadline == NEVER
            || home.is_resting()
        {
            return false;
        }
        self.word.publish(value.with(TimerState::Armed));
        home.count_removed(1);
        inner.deadline = deadline;
        true
    }

    /// Arms it in `home`. That ends the earlier arming, unless its item is there and comes up early
    /// enough.
    pub(crate) fn begin(&self, home: &Arc<Store<Self>>, deadline: u64) -> Begun {
        let mut inner = self.inner.lock();
        let before = self.word.read();
        let is_at_home = inner.home.as_ref().is_some_and(|former| Arc::ptr_eq(former, home));
        if before.state() == TimerState::Armed && is_at_home && inner.filed_under <= deadline {
            inner.deadline = deadline;
            return Begun::PutOff;
        }
        let former = inner.home.replace(Arc::clone(home));
        inner.deadline = deadline;
        inner.filed_under = deadline;
        if let (TimerState::Armed, Some(former)) = (before.state(), &former) {
            // The arming under way cleans up where that is needed.
            let _ = former.count_dead();
        }
        let armed = before.armed_again();
        self.word.publish(armed);
        drop(inner);
        drop(former);
        Begun::Anew(armed.generation())
    }

    /// Arms it for a deadline that never comes: no queue holds an item for it.
    pub(crate) fn begin_for_ever(&self) {
        let mut inner = self.inner.lock();
        let before = self.word.read();
        let former = inner.home.take();
        if let (TimerState::Armed, Some(former)) = (before.state(), &former) {
            let _ = former.count_dead();
        }
        self.word.publish(before.armed_again());
        drop(inner);
        drop(former);
    }

    /// Called by the queue when the item of the arming `generation` has come up.
    pub(crate) fn fire(&self, generation: u64) -> Fire {
        let mut inner = self.inner.lock();
        let value = self.word.read();
        if inner.remove_if_dead(value, generation) {
            return Fire::Dead;
        }
        // Even if the new deadline has come as well: other timers may be due before it.
        if inner.deadline != inner.filed_under {
            inner.filed_under = inner.deadline;
            return Fire::Later(inner.deadline);
        }
        self.word.publish(value.with(TimerState::Fired));
        // The queue that calls holds another reference: dropping this one frees nothing under the
        // lock.
        inner.home = None;
        Fire::Fired(inner.waker.take())
    }

    /// Ends the arming `generation` unfired, since its queue is shut down. Returns the waker of the
    /// task that waits, if one does; `None` if the arming is dead.
    pub(crate) fn abandon(&self, generation: u64) -> Option<Option<Waker>> {
        let mut inner = self.inner.lock();
        let value = self.word.read();
        if inner.remove_if_dead(value, generation) {
            return None;
        }
        self.word.publish(value.with(TimerState::Cancelled));
        // The queue that calls holds another reference: dropping this one frees nothing under the
        // lock.
        inner.home = None;
        Some(inner.waker.take())
    }

    /// Returns when the arming `generation` is really due, and files its item under that; `None` if
    /// it is dead.
    pub(crate) fn true_deadline(&self, generation: u64) -> Option<u64> {
        let mut inner = self.inner.lock();
        if inner.remove_if_dead(self.word.read(), generation) {
            return None;
        }
        inner.filed_under = inner.deadline;
        Some(inner.deadline)
    }

    /// Calls `f` with the deadline of the arming `generation` and the waker of the task that waits
    /// for it, if one does.
    pub(crate) fn show(&self, generation: u64, f: impl FnOnce(u64, &Waker)) {
        let inner = self.inner.lock();
        if let (true, Some(waker)) = (self.word.read().is_armed_as(generation), &inner.waker) {
            f(inner.deadline, waker);
        }
    }
}

impl TimerEntryState {
    /// Called by the store about an item that it has in hand, made for the arming `generation` of
    /// an entry whose word is `value`. Returns whether the item is dead; if so it is thrown out,
    /// and the timer can be revived no more.
    fn remove_if_dead(&mut self, value: WordValue, generation: u64) -> bool {
        if value.is_armed_as(generation) {
            return false;
        }
        // A later arming has an item of its own. The store that calls is alive: nothing is freed
        // under the lock.
        if value.generation() == generation {
            self.home = None;
        }
        true
    }
}

impl QueuedEntry for TimerEntry {
    fn remove_if_dead(&self, generation: u64) -> bool {
        // Most items are alive, which shows without the lock.
        if self.word.read().is_armed_as(generation) {
            return false;
        }
        let mut inner = self.inner.lock();
        inner.remove_if_dead(self.word.read(), generation)
    }
}
