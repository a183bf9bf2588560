//! The slot that a thread has in the innermost tree in which it works.

use std::cell::Cell;
use std::ptr;

use crate::fork_join::TreeSlot;
use crate::util::sync::thread_local;

thread_local! {
    /// Where this thread's jobs go. Null, or valid: the guard that sets it is dropped before the
    /// slot.
    static SLOT: Cell<*const TreeSlot<'static>> = const { Cell::new(ptr::null()) };
}

/// Calls `f` with the thread's slot, if it has one.
#[inline]
pub(crate) fn with_slot<R>(f: impl FnOnce(Option<&TreeSlot<'_>>) -> R) -> R {
    let slot = SLOT.with(Cell::get);
    // SAFETY: a `CurrentSlot` borrows the slot until it has put the previous one back, and `f`
    // cannot keep the reference.
    f(unsafe { slot.as_ref() })
}

/// Makes a slot the thread's own until this guard is dropped.
pub(super) struct CurrentSlot<'a> {
    before: *const TreeSlot<'static>,
    _slot: Option<&'a TreeSlot<'a>>,
}

impl<'a> CurrentSlot<'a> {
    pub(super) fn enter(slot: &'a TreeSlot<'a>) -> Self {
        Self { before: SLOT.with(|current| current.replace(ptr::from_ref(slot).cast())), _slot: Some(slot) }
    }

    /// Leaves the thread without a slot, for a root that runs in the middle of a wait.
    pub(super) fn none() -> Self {
        Self { before: SLOT.with(|current| current.replace(ptr::null())), _slot: None }
    }
}

impl Drop for CurrentSlot<'_> {
    fn drop(&mut self) {
        SLOT.with(|current| current.set(self.before));
    }
}
