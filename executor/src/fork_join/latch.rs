//! A latch: set once, by one thread, and waited for by another, its owner (rayon: a latch too).
//!
//! It lies on the owner's stack, and is gone as soon as the owner has seen it set. So the thread
//! that sets it must not touch it afterwards: it reads the thread to wake before.

use crate::fork_join::slots::LOOKS;
use crate::util::sync::atomic::AtomicU32;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::util::sync::thread::Thread;
use crate::util::sync::{self, UnsafeCell, thread};

/// Not set, and its owner is awake.
const UNSET: u32 = 0;
/// Not set, and its owner may be asleep: the thread to wake is in the cell.
const AWAITED: u32 = 1;
const SET: u32 = 2;

pub(crate) struct Latch {
    pub(super) state: AtomicU32,
    /// Written by the owner before `AWAITED`, read by the setter after.
    pub(super) sleeper: UnsafeCell<Option<Thread>>,
}

// SAFETY: the cell is written by one thread, the owner, before it moves the state on from UNSET,
// and read by another only after it has seen that.
unsafe impl Sync for Latch {}

impl Latch {
    pub(crate) fn new() -> Self {
        Self { state: AtomicU32::new(UNSET), sleeper: UnsafeCell::new(None) }
    }

    /// Returns whether it is set. Then all that the setter did before is visible, and the latch may
    /// be dropped.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        // Acquire pairs with the Release of `set`.
        self.state.load(Acquire) == SET
    }

    /// Sets the latch.
    ///
    /// # Safety
    ///
    /// `latch` is valid until it is set, which this does, once.
    pub(crate) unsafe fn set(latch: *const Self) {
        // SAFETY: it is not set yet.
        let state = unsafe { &(*latch).state };
        // Release pairs with the Acquire in `is_set`.
        if state.compare_exchange(UNSET, SET, AcqRel, Acquire).is_ok() {
            return;
        }
        // SAFETY: it is not set yet.
        let cell = unsafe { &(*latch).sleeper };
        let sleeper = cell.with(|sleeper| {
            // SAFETY: the owner has written the cell before it moved on from UNSET, which the
            // failed exchange has seen, and writes it no more.
            unsafe { (*sleeper).clone() }
        });
        // As above. From here on the latch may be gone.
        let before = state.swap(SET, AcqRel);
        debug_assert_eq!(before, AWAITED, "a latch is set once");
        sleeper.expect("the owner fills the cell before it sleeps").unpark();
    }

    /// Returns whether it is set before long: it looks for about as long as a sleep and a wake-up
    /// take. For the latch's owner.
    pub(crate) fn is_set_soon(&self) -> bool {
        for _ in 0..sync::looks(LOOKS / 16) {
            if self.is_set() {
                return true;
            }
            sync::spin_for_a_while();
        }
        self.is_set()
    }

    /// Waits until it is set, and does nothing else. For the latch's owner.
    pub(crate) fn wait(&self) {
        self.await_here();
        while !self.is_set() {
            thread::park();
        }
    }

    /// Puts the calling thread, the latch's owner, into the cell. From then on a `set` unparks it.
    pub(crate) fn await_here(&self) {
        if self.state.load(Relaxed) != UNSET {
            return;
        }
        self.sleeper.with_mut(|sleeper| {
            // SAFETY: in the state UNSET, which only the owner and the setter end, no other thread
            // looks into the cell.
            unsafe { *sleeper = Some(thread::current()) }
        });
        // Release publishes the cell. If it was set meanwhile, the owner sees that before it
        // sleeps.
        let _ = self.state.compare_exchange(UNSET, AWAITED, AcqRel, Relaxed);
    }
}
