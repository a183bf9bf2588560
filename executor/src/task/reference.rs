//! References to a task: the life reference, and other counted references.

use std::mem::{self, ManuallyDrop};
use std::ptr::NonNull;

use super::cell::Header;
use super::state::{LetGo, ShutDown};
use super::{Id, lifecycle, waker};

/// The life reference of a task, which keeps the task alive until it is complete. Each task has
/// one.
///
/// The registry owns the life reference. If it is dropped earlier, the reference passes to the task
/// itself, which drops it on completion.
#[derive(Debug)]
pub(crate) struct TaskRef(NonNull<Header>);

// SAFETY: the caller of `allocate` promises where the methods that touch the future are called. The
// others use atomics.
unsafe impl Send for TaskRef {}
// SAFETY: a `&TaskRef` reaches only the state word and fields that never change.
unsafe impl Sync for TaskRef {}

impl TaskRef {
    /// # Safety
    ///
    /// The caller has the life reference, and gives it up.
    pub(super) unsafe fn from_raw(task: NonNull<Header>) -> Self {
        Self(task)
    }

    /// Creates a life reference to borrow.
    ///
    /// # Safety
    ///
    /// The cell stays alive while the reference is used, and the reference is not dropped.
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

    /// Returns the id of the task.
    pub(crate) fn id(&self) -> Id {
        self.header().id
    }

    /// Cancels the task at the end of its runtime. If the task is idle, this method drops the
    /// future and wakes the joiner; a panic of the drop stays in the task. If the task is scheduled
    /// or running, the holder of the runnable or the claim does so.
    pub(crate) fn shut_down(self) {
        let task = self.into_raw();
        // SAFETY: the life reference is ours until the state word has passed it to the task.
        match unsafe { task.as_ref() }.state.shut_down() {
            ShutDown::LeftToRunnable => {}
            // SAFETY: the task was idle, and the claim is ours.
            ShutDown::Claimed => unsafe { lifecycle::cancel_claimed(task) },
            // SAFETY: the task is complete, and the reference is still ours.
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
            // SAFETY: the task is complete, and the reference is still ours.
            LetGo::Complete => unsafe { lifecycle::drop_references(self.0, 1) },
        }
    }
}

/// A counted reference to the cell. It keeps the memory, and not the future.
pub(super) struct CountedRef(NonNull<Header>);

// SAFETY: a `CountedRef` reaches only the state word and fields that never change, and freeing the
// cell drops nothing of the future.
unsafe impl Send for CountedRef {}
// SAFETY: as above.
unsafe impl Sync for CountedRef {}

impl CountedRef {
    /// Adds a reference.
    ///
    /// # Safety
    ///
    /// The cell is alive.
    pub(super) unsafe fn new(task: NonNull<Header>) -> Self {
        // SAFETY: by the caller's promise.
        unsafe { task.as_ref() }.state.add_reference();
        Self(task)
    }

    pub(super) fn as_raw(&self) -> NonNull<Header> {
        self.0
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: a reference keeps the cell alive.
        unsafe { self.0.as_ref() }
    }

    pub(super) fn abort(&self) {
        let woken = self.header().state.abort();
        // SAFETY: the state word has just returned `woken`.
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
