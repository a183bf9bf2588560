//! The slot for the waker of the task that awaits another.
//!
//! It is filled while `JOIN_WAKER` is set, and then the join handle may look at it and the
//! completing side may take the waker out, at the same time: neither writes. To take it out is to
//! copy its parts, once, and to use those in the slot no more. While `JOIN_WAKER` is clear the slot
//! is the join handle's, and empty between its calls.
//!
//! A dump may peek, at any time, to learn which task waits: so the waker lies there in its two
//! parts, which are atomic. Relaxed throughout: those with a right to the waker have their order by
//! the task's word, and a dump compares addresses and follows none.

use std::mem::ManuallyDrop;
use std::ptr;
use std::task::{RawWakerVTable, Waker};

use super::waker::TaskAddress;
use crate::util::sync::atomic::AtomicPtr;
use crate::util::sync::atomic::Ordering::Relaxed;

pub(super) struct JoinSlot {
    data: AtomicPtr<()>,
    /// Null until it was first filled.
    vtable: AtomicPtr<RawWakerVTable>,
}

impl JoinSlot {
    pub(super) fn empty() -> Self {
        Self { data: AtomicPtr::new(ptr::null_mut()), vtable: AtomicPtr::new(ptr::null_mut()) }
    }

    /// # Safety
    ///
    /// The caller is the join handle, `JOIN_WAKER` is clear, and the slot is empty.
    pub(super) unsafe fn fill(&self, waker: Waker) {
        let waker = ManuallyDrop::new(waker);
        self.data.store(waker.data().cast_mut(), Relaxed);
        self.vtable.store(ptr::from_ref(waker.vtable()).cast_mut(), Relaxed);
    }

    /// Takes the waker out.
    ///
    /// # Safety
    ///
    /// The slot was filled, and the waker falls to the caller: by `JOIN_WAKER` as completion found
    /// it set, or as the join handle has cleared it or failed to set it. It is taken out once.
    pub(super) unsafe fn take(&self) -> Waker {
        // SAFETY: the slot was filled, with a table that is there for ever.
        let vtable = unsafe { &*self.vtable.load(Relaxed) };
        // SAFETY: the parts are those of a waker that was not dropped, and of no other any more.
        unsafe { Waker::new(self.data.load(Relaxed), vtable) }
    }

    /// Compares like [`Waker::will_wake`], which may say no to a waker that is the same. It does
    /// not say yes to a different one: at the moment when the word was read the task was
    /// unfinished, so that the waker in the slot was alive, as the caller's was, and its data
    /// cannot have become that of another. The waker may be gone by the time of the comparison,
    /// which does not follow it.
    ///
    /// To be asked by the join handle, which has seen `JOIN_WAKER` set on an unfinished task.
    pub(super) fn holds(&self, waker: &Waker) -> bool {
        self.data.load(Relaxed).cast_const() == waker.data() && ptr::eq(self.vtable.load(Relaxed), waker.vtable())
    }

    /// The task whose waker is in the slot, or was a moment ago. If the join handle changes wakers
    /// just now, the answer may be a task that never waited.
    pub(super) fn peek(&self) -> Option<TaskAddress> {
        TaskAddress::of_waker(self.data.load(Relaxed), self.vtable.load(Relaxed))
    }
}
