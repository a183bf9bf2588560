//! A latch: set once, by another thread, and waited for by one.
//!
//! It lies on the waiting thread's stack, and is gone as soon as that thread has seen it set. So
//! setting it must not touch it afterwards: whom to wake is read before.

use crate::util::sync::UnsafeCell;
use crate::util::sync::atomic::AtomicU32;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use crate::util::sync::thread;
use crate::util::sync::thread::Thread;

/// Nobody has set it.
const UNSET: u32 = 0;
/// Nobody has set it, and its owner may be asleep: the thread to wake is in the cell.
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

    /// Whether it was set. Then all that the setter did before is visible, and the latch may go.
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
        sleeper.expect("the owner names itself before it sleeps").unpark();
    }

    /// Names the calling thread, the latch's owner, as the one to wake. From then on a `set`
    /// unparks it.
    pub(crate) fn await_here(&self) {
        if self.state.load(Relaxed) != UNSET {
            return;
        }
        self.sleeper.with_mut(|sleeper| {
            // SAFETY: in the state UNSET, which the owner alone ends but for setting, nobody else
            // looks into the cell.
            unsafe { *sleeper = Some(thread::current()) }
        });
        // Release publishes the cell. If it was set meanwhile, the owner sees that before it
        // sleeps.
        let _ = self.state.compare_exchange(UNSET, AWAITED, AcqRel, Relaxed);
    }
}

impl std::fmt::Debug for Latch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Latch").field(&self.state.load(Relaxed)).finish()
    }
}
