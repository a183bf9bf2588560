//! One timer: armed, fired or cancelled, and who is woken when it fires.
//!
//! Every transition is made under the entry's own lock, which nobody shares but its owner and the
//! queue that fires it. The [`Phase`] word is a copy published for those who look without the lock:
//! the owner asking "fired yet?" and the queue looking for dead items to throw away.
//!
//! An arming is named by its generation. The queue's item carries the generation it was made for,
//! so re-arming simply starts a new one: the old item is dead from that moment on, wherever it
//! lies. A timer that is put off, as the time limit of a connection is with each request, keeps
//! generation and item: the entry alone knows the new deadline, and the queue asks for it when the
//! item's own comes.

use super::phase::{Phase, Stage};
use super::store::Store;
use crate::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// One timer, to be armed in a [`TimerQueue`](super::TimerQueue).
///
/// Shared by its owner and the queue. The owner cancels it when it loses interest; an entry that is
/// merely dropped stays in the queue until it is due. Arming it again, in the same queue or
/// another, replaces the arming before.
#[derive(Debug)]
pub struct TimerEntry {
    phase: Phase,
    inner: Mutex<Inner>,
}

// No foreign code runs while the lock is held, so a panic never leaves the entry half changed.
impl std::panic::RefUnwindSafe for TimerEntry {}

#[derive(Debug, Default)]
struct Inner {
    waker: Option<Waker>,
    /// What holds its item, while it is armed.
    home: Option<Arc<Store>>,
    /// When it is due.
    deadline: u64,
    /// The deadline that its item was filed under: its own, or an earlier one.
    filed_under: u64,
}

/// What an arming asks of the queue.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Begun {
    /// A new item, for this generation.
    Anew(u64),
    /// Nothing: the item that it has comes up in time, and will be moved on.
    PutOff,
}

/// What became of an arming that was due.
#[derive(Debug)]
pub(crate) enum Fire {
    /// It fired; this one waits for it.
    Fired(Option<Waker>),
    /// It was put off until then; its item goes back with that.
    Later(u64),
    /// It had been cancelled, or replaced by a newer arming.
    Dead,
}

impl TimerEntry {
    /// Makes a timer that is not armed.
    // An entry is of no use unless it is shared with a queue.
    #[allow(clippy::new_ret_no_self)]
    #[must_use]
    pub fn new() -> Arc<TimerEntry> {
        Arc::new(TimerEntry { phase: Phase::new(), inner: Mutex::new(Inner::default()) })
    }

    /// Tells whether it has fired since it was last armed.
    #[must_use]
    pub fn is_fired(&self) -> bool {
        self.phase.read().stage() == Stage::Fired
    }

    /// Tells whether it was armed and will not fire: its owner has cancelled it, or its queue was
    /// [shut down](super::TimerQueue::shut_down).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.phase.read().stage() == Stage::Cancelled
    }

    /// Returns ready once it has fired; until then, wakes `cx`'s task when it does. The waker of
    /// the last call counts.
    ///
    /// Pending may be for good: then [`is_cancelled`](Self::is_cancelled) says so from now on, or
    /// `cx`'s task is woken when it does.
    pub fn poll_fired(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_fired() {
            return Poll::Ready(());
        }
        let known = self.inner.lock().waker.as_ref().is_some_and(|known| known.will_wake(cx.waker()));
        if known {
            // Firing takes the waker out, and so does a shutdown: that it was still there means
            // that they will find it.
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

    /// Cancels it: it will not fire, and its waker is dropped. Takes no lock but its own; the
    /// queue's item is thrown away later: the cancels that find the dead in the majority see to
    /// that at the latest, unless the queue is busy at that moment.
    ///
    /// Does nothing to a timer that has fired or is not armed.
    pub fn cancel(&self) {
        drop(self.take_back());
    }

    /// The same, and returns the waker of the task that waited.
    #[inline]
    #[must_use]
    pub fn take_back(&self) -> Option<Waker> {
        if self.phase.read().stage() != Stage::Armed {
            return None;
        }
        let mut inner = self.inner.lock();
        let phase = self.phase.read();
        if phase.stage() != Stage::Armed {
            return None;
        }
        let home = inner.home.take();
        // Before the phase says so: who finds the item dead finds it counted.
        let is_crowded = home.as_ref().is_some_and(|home| home.count_dead());
        self.phase.publish(phase.cancelled());
        let waker = inner.waker.take();
        drop(inner);
        if let (true, Some(home)) = (is_crowded, &home) {
            home.clean();
        }
        waker
    }

    /// Arms it in `home`, which ends the arming before, unless that has an item there which comes
    /// up early enough.
    pub(crate) fn begin(&self, home: &Arc<Store>, deadline: u64) -> Begun {
        let mut inner = self.inner.lock();
        let before = self.phase.read();
        let is_at_home = inner.home.as_ref().is_some_and(|former| Arc::ptr_eq(former, home));
        if before.stage() == Stage::Armed && is_at_home && inner.filed_under <= deadline {
            inner.deadline = deadline;
            return Begun::PutOff;
        }
        let former = inner.home.replace(Arc::clone(home));
        inner.deadline = deadline;
        inner.filed_under = deadline;
        if let (Stage::Armed, Some(former)) = (before.stage(), &former) {
            // The arming that this is part of cleans up where that is needed.
            let _ = former.count_dead();
        }
        let armed = before.armed_anew();
        self.phase.publish(armed);
        drop(inner);
        drop(former);
        Begun::Anew(armed.generation())
    }

    /// The same for a moment that never comes: no queue holds an item for it.
    pub(crate) fn begin_for_ever(&self) {
        let mut inner = self.inner.lock();
        let before = self.phase.read();
        let former = inner.home.take();
        if let (Stage::Armed, Some(former)) = (before.stage(), &former) {
            let _ = former.count_dead();
        }
        self.phase.publish(before.armed_anew());
        drop(inner);
        drop(former);
    }

    /// The item of the arming `generation` has come up.
    pub(crate) fn fire(&self, generation: u64) -> Fire {
        let mut inner = self.inner.lock();
        let phase = self.phase.read();
        if !phase.is_armed_as(generation) {
            return Fire::Dead;
        }
        // Even if that has come as well: others may be due before it.
        if inner.deadline != inner.filed_under {
            inner.filed_under = inner.deadline;
            return Fire::Later(inner.deadline);
        }
        self.phase.publish(phase.fired());
        // The queue that calls holds another reference: dropping this one frees nothing under the
        // lock.
        inner.home = None;
        Fire::Fired(inner.waker.take())
    }

    /// Ends the arming `generation` unfired, since its queue is shut down. Returns the waker of the
    /// task that waits, if one does; `None` if the arming is dead.
    pub(crate) fn abandon(&self, generation: u64) -> Option<Option<Waker>> {
        let mut inner = self.inner.lock();
        let phase = self.phase.read();
        if !phase.is_armed_as(generation) {
            return None;
        }
        self.phase.publish(phase.cancelled());
        // The queue that calls holds another reference: dropping this one frees nothing under the
        // lock.
        inner.home = None;
        Some(inner.waker.take())
    }

    /// When the arming `generation` is really due; from now on its item counts as filed under that.
    /// `None` if it is dead.
    pub(crate) fn truth(&self, generation: u64) -> Option<u64> {
        let mut inner = self.inner.lock();
        if !self.phase.read().is_armed_as(generation) {
            return None;
        }
        inner.filed_under = inner.deadline;
        Some(inner.deadline)
    }

    /// Shows `f` who waits for the arming `generation`, if anybody does, and until when.
    pub(crate) fn show(&self, generation: u64, f: impl FnOnce(u64, &Waker)) {
        let inner = self.inner.lock();
        if let (true, Some(waker)) = (self.phase.read().is_armed_as(generation), &inner.waker) {
            f(inner.deadline, waker);
        }
    }

    /// Whether the item made for `generation` is dead. Looks without the lock.
    pub(crate) fn is_dead(&self, generation: u64) -> bool {
        !self.phase.read().is_armed_as(generation)
    }
}
