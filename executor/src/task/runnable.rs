//! The right to poll a task.

use std::fmt;
use std::mem;
use std::panic::Location;
use std::ptr::NonNull;

use super::header::Header;
use super::reference::CountedRef;
use super::{Id, lifecycle};

/// The one right to poll a task. It exists from the moment the task is woken until it is run.
///
/// It holds no reference of its own: while it exists the task is not complete, and an unfinished
/// task is kept alive by its life reference.
///
/// Dropping it cancels the task, as [`cancel`](Self::cancel) does: a runnable that got lost would
/// leave the task neither run nor wakeable for ever.
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: where runnables of a future that is not Send may be used is a promise of `allocate`'s
// caller.
unsafe impl Send for Runnable {}

impl Runnable {
    /// Polls the task once, or drops its future if it was cancelled. A panic of the future stays in
    /// the task.
    pub(crate) fn run(self) {
        // SAFETY: the runnable is given up.
        unsafe { lifecycle::run(self.into_raw()) };
    }

    /// Drops the future without polling it, and completes the task as cancelled.
    pub(crate) fn cancel(self) {
        drop(self);
    }

    /// The id of the task.
    pub(crate) fn id(&self) -> Id {
        self.header().id
    }

    /// Where the task was spawned.
    pub(crate) fn spawned_at(&self) -> &'static Location<'static> {
        self.header().spawned_at
    }

    /// What the user calls the task.
    pub(crate) fn name(&self) -> Option<&str> {
        self.header().extras.as_ref()?.name.as_deref()
    }

    /// Turns the runnable into a pointer, for a queue. A caller that forgets the pointer leaks the
    /// task.
    pub(crate) fn into_raw(self) -> NonNull<Header> {
        let task = self.0;
        mem::forget(self);
        task
    }

    /// Turns a pointer back into the runnable.
    ///
    /// # Safety
    ///
    /// `task` comes from [`into_raw`](Self::into_raw), and is turned back once.
    pub(crate) unsafe fn from_raw(task: NonNull<Header>) -> Self {
        Self(task)
    }

    /// A reference that keeps the cell beyond the runnable's use.
    pub(super) fn counted(&self) -> CountedRef {
        // SAFETY: the task is unfinished, and alive, as long as the runnable exists.
        unsafe { CountedRef::new(self.0) }
    }

    pub(super) fn header(&self) -> &Header {
        // SAFETY: the task is unfinished, and alive, as long as the runnable exists.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Runnable {
    fn drop(&mut self) {
        // SAFETY: the runnable is given up.
        unsafe { lifecycle::cancel(self.0) };
    }
}

impl fmt::Debug for Runnable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runnable")
            .field("id", &self.id())
            .field("spawned_at", &format_args!("{}", self.spawned_at()))
            .finish_non_exhaustive()
    }
}
