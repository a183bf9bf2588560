//! References to a task: the life reference, and plain counted ones.

use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

use super::cell::Header;
use super::state::{LetGo, ShutDown};
use super::{Id, lifecycle, waker};

/// The life reference of a task: there is one, and it keeps the task alive until it is complete.
///
/// The registry of live tasks holds it. Dropping it earlier is no harm: it is left to the task
/// then, which gives it back when it completes. The task continues as before, and has only its
/// runnable and its wakers to keep it going.
#[derive(Debug)]
pub(crate) struct TaskRef(NonNull<Header>);

// SAFETY: the methods that touch the future are bound by the promise of `allocate`'s caller; the
// others use atomics.
unsafe impl Send for TaskRef {}
// SAFETY: through `&TaskRef` only the word and fields that never change are reached.
unsafe impl Sync for TaskRef {}

impl TaskRef {
    /// # Safety
    ///
    /// The caller has the life reference, and gives it up.
    pub(super) unsafe fn from_raw(task: NonNull<Header>) -> Self {
        Self(task)
    }

    /// A life reference to look at, not to keep.
    ///
    /// # Safety
    ///
    /// The cell stays alive while the answer is used, and the answer is not dropped.
    pub(super) unsafe fn borrowed(task: NonNull<Header>) -> ManuallyDrop<Self> {
        ManuallyDrop::new(Self(task))
    }

    pub(super) fn into_raw(self) -> NonNull<Header> {
        let task = self.0;
        mem::forget(self);
        task
    }

    pub(super) fn as_raw(&self) -> NonNull<Header> {
        self.0
    }

    /// The id of the task.
    pub(crate) fn id(&self) -> Id {
        self.header().id
    }

    /// Cancels the task on behalf of its runtime's end. If it is idle, its future is dropped before
    /// this returns, and its joiner woken; a panic in that stays in the task. If it is scheduled or
    /// running, that is left to the holder of the runnable.
    pub(crate) fn shut_down(self) {
        let task = self.into_raw();
        // SAFETY: we have the life reference until the word says that it has passed to the task.
        match unsafe { task.as_ref() }.state.shut_down() {
            ShutDown::LeftToRunnable => {}
            // SAFETY: the word answered that the task was idle, and is claimed by us.
            ShutDown::Claimed => unsafe { lifecycle::cancel_claimed(task) },
            // SAFETY: the task is complete; the reference is ours still.
            ShutDown::Complete => unsafe { lifecycle::drop_references(task, 1) },
        }
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: a reference keeps the cell alive.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for TaskRef {
    fn drop(&mut self) {
        match self.header().state.let_go() {
            LetGo::LeftToTask => {}
            // SAFETY: the task is complete; the reference is ours still.
            LetGo::Complete => unsafe { lifecycle::drop_references(self.0, 1) },
        }
    }
}

/// A counted reference to the cell. It keeps the memory, not the task: the future may be gone long
/// since.
pub(super) struct CountedRef(NonNull<Header>);

// SAFETY: through it only the word and fields that never change are reached; freeing the cell drops
// nothing of the future.
unsafe impl Send for CountedRef {}
// SAFETY: as above.
unsafe impl Sync for CountedRef {}

impl CountedRef {
    /// One more reference.
    ///
    /// # Safety
    ///
    /// The cell is alive.
    pub(super) unsafe fn new(task: NonNull<Header>) -> Self {
        // SAFETY: by the caller's promise.
        unsafe { task.as_ref() }.state.add_reference();
        Self(task)
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: a reference keeps the cell alive.
        unsafe { self.0.as_ref() }
    }

    pub(super) fn abort(&self) {
        let woken = self.header().state.abort();
        // SAFETY: the answer is fresh.
        unsafe { waker::settle(self.0, woken) };
    }
}

impl Clone for CountedRef {
    fn clone(&self) -> Self {
        // SAFETY: this reference keeps the cell alive.
        unsafe { Self::new(self.0) }
    }
}

impl Drop for CountedRef {
    fn drop(&mut self) {
        // SAFETY: this reference is given up.
        unsafe { lifecycle::drop_references(self.0, 1) };
    }
}
