//! The `Runnable`, which is the right to poll a task, and the moves of a task's life that do not
//! depend on its types: run, cancel, complete, free.
//!
//! Each function names the things that the caller must hold and those that it gives up. Held are
//! the runnable (to poll, or to cancel), the claim (the task is RUNNING, by us) and references.

use std::fmt;
use std::mem;
use std::panic::Location;
use std::ptr::NonNull;
use std::task::Context;

use wsrt_sync::wait;

use super::cell::Header;
use super::reference::CountedRef;
use super::state::{Dropped, Paused, Started};
use super::{Id, allocation, body, identity, waker};
use crate::util::unwind::wake_quietly;

/// The one right to poll a task. It exists from the moment the task is woken until it is run.
///
/// It holds no reference: while it exists the task is not complete, and an unfinished
/// task is kept alive by its life reference.
///
/// Dropping it cancels the task, as [`cancel`](Self::cancel) does: a runnable that got lost would
/// leave the task neither run nor wakeable forever.
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: where runnables of a future that is not Send may be used is a promise of `allocate`'s
// caller.
unsafe impl Send for Runnable {}

impl Runnable {
    /// Polls the task once, or drops its future if it was cancelled. A panic of the future stays in
    /// the task.
    pub(crate) fn run(self) {
        // SAFETY: the runnable is given up.
        unsafe { run(self.into_raw()) };
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
        self.header().spawned_at()
    }

    /// The user's name for the task.
    pub(crate) fn name(&self) -> Option<&str> {
        self.header().provenance.extras()?.name.as_deref()
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
        unsafe { cancel(self.0) };
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

/// Polls the task once, or drops its future if it was cancelled.
///
/// # Safety
///
/// The caller gives up the runnable.
pub(super) unsafe fn run(task: NonNull<Header>) {
    // SAFETY: a runnable exists only while the task is not complete, and an unfinished task is
    // alive.
    let header = unsafe { task.as_ref() };
    let _current = identity::enter_current(header.id);
    match header.state.start_poll() {
        // SAFETY: the runnable turned into the claim.
        Started::Poll => unsafe { poll(task) },
        // SAFETY: as above.
        Started::Cancel => unsafe { finish_cancelled(task) },
    }
}

/// Drops the future, whatever the word says of cancellation.
///
/// # Safety
///
/// The caller gives up the runnable.
pub(super) unsafe fn cancel(task: NonNull<Header>) {
    // SAFETY: as in `run`.
    let header = unsafe { task.as_ref() };
    let (Started::Poll | Started::Cancel) = header.state.start_poll();
    // SAFETY: the runnable turned into the claim.
    unsafe { cancel_claimed(task) };
}

/// Drops the future.
///
/// # Safety
///
/// The caller gives up the claim.
pub(super) unsafe fn cancel_claimed(task: NonNull<Header>) {
    // SAFETY: the task is not complete, for the caller has the claim.
    let _current = identity::enter_current(unsafe { task.as_ref() }.id);
    // SAFETY: the caller gives up the claim.
    unsafe { finish_cancelled(task) };
}

/// # Safety
///
/// The caller gives up the claim.
unsafe fn poll(task: NonNull<Header>) {
    // SAFETY: the claim keeps the cell alive until it is given up below.
    let header = unsafe { task.as_ref() };
    // SAFETY: the waker is gone before the claim is.
    let waker = unsafe { waker::borrowed(task) };
    // SAFETY: the caller runs the task, and an unfinished task's body holds the future.
    let polled = unsafe { body::poll(task, &mut Context::from_waker(&waker)) };
    if polled.is_ready() {
        // SAFETY: the body holds the result now.
        return unsafe { complete(task) };
    }
    header.queue_link.keep_wait(wait::noted());
    match header.state.pause() {
        Paused::Idle => {}
        // SAFETY: the wake that came during the poll left the runnable to this thread.
        Paused::Reschedule => unsafe { (header.vtable.reschedule)(task) },
        // SAFETY: as above. The end of a poll is a poll boundary, so there is no need to queue for
        // it.
        Paused::Cancel => unsafe { cancel(task) },
    }
}

/// # Safety
///
/// The caller gives up the claim.
unsafe fn finish_cancelled(task: NonNull<Header>) {
    // SAFETY: the caller runs the task.
    unsafe { body::cancel(task) };
    // SAFETY: the body holds the cancellation now.
    unsafe { complete(task) };
}

/// Completes a task whose future is gone: passes the result on, wakes the joiner, leaves the
/// registry.
///
/// # Safety
///
/// The caller gives up the claim, and the body holds the result.
unsafe fn complete(task: NonNull<Header>) {
    // SAFETY: the claim keeps the cell alive, and the reference that `complete` gives us does from
    // there on.
    let header = unsafe { task.as_ref() };
    let completion = header.state.complete();
    // SAFETY: complete, with no join handle to leave the body to.
    if completion.drop_result && unsafe { body::needs_drop(task) } {
        // SAFETY: as above.
        unsafe { body::discard(task) };
    }
    if completion.wake_joiner {
        // SAFETY: JOIN_WAKER was set when the task was completed: the waker is ours.
        wake_quietly(unsafe { header.join_slot.take() });
    }
    // SAFETY: we have a reference.
    let listed = unsafe { (header.vtable.release)(task) };
    let own = 1 + usize::from(completion.self_held) + usize::from(listed.is_some());
    debug_assert!(!(completion.self_held && listed.is_some()), "task {} has two life references", header.id);
    mem::forget(listed);
    // SAFETY: ours, and the life reference, be it from the registry or left to the task.
    unsafe { drop_references(task, own) };
}

/// Gives references back, and frees the cell with the last.
///
/// # Safety
///
/// The caller gives up `count` references.
pub(super) unsafe fn drop_references(task: NonNull<Header>, count: usize) {
    // SAFETY: the caller's references keep the cell alive until the word has been changed.
    match unsafe { task.as_ref() }.state.drop_references(count) {
        Dropped::Others => {}
        // SAFETY: that was the last.
        Dropped::Last => unsafe { allocation::deallocate(task) },
    }
}
