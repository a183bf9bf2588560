//! The slot for the waker of whoever awaits a task.
//!
//! It is filled while `JOIN_WAKER` is set, and then the join handle may look at it and the completing side may take the waker
//! out, at the same time: neither writes. To take it out is to copy its bytes, once, and to use those in the slot no more.
//! While `JOIN_WAKER` is clear the slot is the join handle's, and empty between its calls.

use std::mem::MaybeUninit;
use std::task::Waker;

use crate::base::sync::UnsafeCell;

pub(super) struct JoinSlot(UnsafeCell<MaybeUninit<Waker>>);

impl JoinSlot {
    pub(super) fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    ///
    /// The caller is the join handle, `JOIN_WAKER` is clear, and the slot is empty.
    pub(super) unsafe fn fill(&self, waker: Waker) {
        // SAFETY: the slot is the caller's alone.
        self.0.with_mut(|slot| unsafe { slot.write(MaybeUninit::new(waker)) });
    }

    /// Takes the waker out.
    ///
    /// # Safety
    ///
    /// The slot was filled, and the waker falls to the caller: by `JOIN_WAKER` as completion found it set, or as the join
    /// handle has cleared it or failed to set it. It is taken out once.
    pub(super) unsafe fn take(&self) -> Waker {
        self.0.with(|slot| {
            // SAFETY: whoever has the right to the waker keeps others from writing to the slot.
            let slot = unsafe { slot.read() };
            // SAFETY: it was filled, and is not taken out again.
            unsafe { slot.assume_init() }
        })
    }

    /// As [`Waker::will_wake`], which may say no to a waker that is the same. It does not say yes to a different one: at the
    /// moment when the word was read the task was unfinished, so that the waker in the slot was alive, as the caller's was,
    /// and its data cannot have become that of another. The waker may be gone by the time of the comparison, which does not
    /// follow it.
    ///
    /// # Safety
    ///
    /// The caller is the join handle, and has seen `JOIN_WAKER` set on an unfinished task.
    pub(super) unsafe fn holds(&self, waker: &Waker) -> bool {
        self.0.with(|slot| {
            // SAFETY: nobody but the join handle writes to the slot.
            let slot = unsafe { &*slot };
            // SAFETY: it was filled. If the completing side has copied the bytes, they are still those of a waker.
            let held = unsafe { slot.assume_init_ref() };
            held.will_wake(waker)
        })
    }
}
