//! runnext: the slot for the one task that the running task woke or spawned last.
//!
//! Only the processor's owner fills it; any thread may empty it, the owner to run the task, a thief
//! when the owner has plainly not reached it. It is tried before the ring, so that two tasks
//! that exchange messages run in turn on one processor with everything in its caches.

use std::fmt;
use std::ptr::NonNull;

use crate::util::sync::atomic::AtomicPtr;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

pub(crate) struct RunNext<T>(AtomicPtr<T>);

impl<T> RunNext<T> {
    pub(crate) fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Puts `item` in and returns the displaced one, which has to go to the ring's tail.
    ///
    /// AcqRel: Release pairs with the Acquire of the thread that takes `item` out; Acquire pairs
    /// with the Release of the `replace` that put the displaced one in, which another holder of the
    /// processor may have done.
    #[must_use = "the displaced task is in no queue"]
    pub(crate) fn replace(&self, item: NonNull<T>) -> Option<NonNull<T>> {
        NonNull::new(self.0.swap(item.as_ptr(), AcqRel))
    }

    /// Empties the slot.
    pub(crate) fn take(&self) -> Option<NonNull<T>> {
        // Relaxed: only a hint that saves the read-modify-write; the owner sees its own writes.
        if self.0.load(Relaxed).is_null() {
            return None;
        }
        // Acquire pairs with the Release in `replace`.
        NonNull::new(self.0.swap(std::ptr::null_mut(), Acquire))
    }

    /// The slot's present item, for a thief that checks whether it stays there.
    pub(crate) fn peek(&self) -> Option<SlotAddress<T>> {
        NonNull::new(self.0.load(Relaxed)).map(SlotAddress)
    }

    /// Empties the slot if it still, or again, holds the item seen.
    pub(crate) fn take_if(&self, seen: SlotAddress<T>) -> Option<NonNull<T>> {
        let item = seen.0.as_ptr();
        // Acquire pairs with the Release in `replace`. That the same task may have been run and put
        // in again since the seen does no harm: whatever is taken out was in.
        let taken = self.0.compare_exchange(item, std::ptr::null_mut(), Acquire, Relaxed);
        taken.is_ok().then_some(seen.0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.load(Relaxed).is_null()
    }
}

impl<T> fmt::Debug for RunNext<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunNext").field("is_empty", &self.is_empty()).finish()
    }
}

/// The address of a task seen in a slot: to compare with, never to follow.
pub(crate) struct SlotAddress<T>(NonNull<T>);

impl<T> SlotAddress<T> {
    /// The address as a number, which is not zero.
    pub(crate) fn address(self) -> usize {
        self.0.addr().get()
    }
}

impl<T> Clone for SlotAddress<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SlotAddress<T> {}

impl<T> PartialEq for SlotAddress<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> fmt::Debug for SlotAddress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SlotAddress").field(&self.0).finish()
    }
}
