//! One timer: armed, fired or cancelled, and who is woken when it fires.
//!
//! Every transition is made under the entry's own lock, which nobody shares but its owner and the queue that fires it.
//! The [`Phase`] word is a copy published for those who look without the lock: the owner asking "fired yet?" and the
//! queue looking for dead items to throw away.
//!
//! An arming is named by its generation. The queue's item carries the generation it was made for, so re-arming simply
//! starts a new one: the old item is dead from that moment on, wherever it lies.

use super::phase::{Phase, Stage};
use crate::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire},
};
use crate::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// One timer, to be armed in a [`TimerQueue`](super::TimerQueue).
///
/// Shared by its owner and the queue. The owner cancels it when it loses interest; an entry that is merely dropped
/// stays in the queue until it is due. Arming it again, in the same queue or another, replaces the arming before.
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
    /// The graveyard of the queue it is armed in.
    home: Option<Arc<Graveyard>>,
}

/// How many items of one queue are dead: cancelled or re-armed, and not yet thrown away. Apart from the queue so that a
/// cancel can count without the queue's lock, and after the queue is gone.
#[derive(Debug)]
pub(crate) struct Graveyard(AtomicUsize);

impl Graveyard {
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    fn bury(&self) {
        // AcqRel: the chain of read-modify-writes is the count; the order against the phase is the entry lock's
        // business.
        self.0.fetch_add(1, AcqRel);
    }

    pub(crate) fn exhume(&self, count: usize) {
        self.0.fetch_sub(count, AcqRel);
    }

    pub(crate) fn population(&self) -> usize {
        // Acquire: as above. A count that is a moment old delays a compaction by one arm.
        self.0.load(Acquire)
    }
}

/// What became of an arming that was due.
#[derive(Debug)]
pub(crate) enum Fire {
    /// It fired; this one waits for it.
    Fired(Option<Waker>),
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

    /// Returns ready once it has fired; until then, wakes `cx`'s task when it does. The waker of the last call counts.
    pub fn poll_fired(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_fired() {
            return Poll::Ready(());
        }
        let known = self.inner.lock().waker.as_ref().is_some_and(|known| known.will_wake(cx.waker()));
        if known {
            // Firing takes the waker out: that it was still there means that whoever fires will find it.
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

    /// Cancels it: it will not fire, and its waker is dropped. Takes no lock but its own; the queue's item is thrown
    /// away later.
    ///
    /// Does nothing to a timer that has fired or is not armed.
    pub fn cancel(&self) {
        if self.phase.read().stage() != Stage::Armed {
            return;
        }
        let mut inner = self.inner.lock();
        let phase = self.phase.read();
        if phase.stage() != Stage::Armed {
            return;
        }
        let home = inner.home.take();
        if let Some(home) = &home {
            // Before the phase says so: who finds the item dead finds it counted.
            home.bury();
        }
        self.phase.publish(phase.cancelled());
        let waker = inner.waker.take();
        drop(inner);
        drop((home, waker));
    }

    /// Starts a new arming, which ends the one before, and returns its generation. `home` is none when no queue will
    /// hold an item for it.
    pub(crate) fn begin(&self, home: Option<&Arc<Graveyard>>) -> u64 {
        let mut inner = self.inner.lock();
        let before = self.phase.read();
        let former = std::mem::replace(&mut inner.home, home.cloned());
        if let (Stage::Armed, Some(former)) = (before.stage(), &former) {
            former.bury();
        }
        let armed = before.armed_anew();
        self.phase.publish(armed);
        drop(inner);
        drop(former);
        armed.generation()
    }

    /// The arming `generation` is due.
    pub(crate) fn fire(&self, generation: u64) -> Fire {
        let mut inner = self.inner.lock();
        let phase = self.phase.read();
        if !phase.is_armed_as(generation) {
            return Fire::Dead;
        }
        self.phase.publish(phase.fired());
        // The home is only a count's address; dropping it runs nobody's code.
        inner.home = None;
        Fire::Fired(inner.waker.take())
    }

    /// Whether the item made for `generation` is dead. Looks without the lock.
    pub(crate) fn is_dead(&self, generation: u64) -> bool {
        !self.phase.read().is_armed_as(generation)
    }
}
