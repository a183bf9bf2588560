//! The `Runnable`, which is the right to poll a task, and the steps of a task's life that do not
//! depend on types: run, cancel, complete, free.
//!
//! Each function says what the caller must own, and what it gives up: the runnable, the claim (the
//! word is RUNNING for this thread), or references.

use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::{fmt, mem};

use wsrt_sync::wait;

use super::cell::{self, Header};
use super::reference::CountedRef;
use super::state::{Dropped, Paused, Started};
use super::{Id, body, identity, inherited, waker};
use crate::util::unwind::wake_quietly;

/// The right to poll a task. It exists from the moment the task is woken until it is run.
///
/// A runnable holds no reference: while it exists the task is unfinished, and its life reference
/// keeps it alive.
///
/// Dropping a runnable cancels the task, like [`cancel`](Self::cancel). If the runnable were lost
/// instead, the task would never run again, since no waker makes a second runnable.
pub(crate) struct Runnable(NonNull<Header>);

// SAFETY: the caller of `allocate` promises where runnables of a future that is not Send are used.
unsafe impl Send for Runnable {}

impl Runnable {
    /// Polls the task once, or drops the future of a cancelled task. A panic of the future stays in
    /// the task. In the middle of another poll, call [`run_counted`](Self::run_counted).
    pub(crate) fn run(self) {
        // SAFETY: the runnable is given up.
        unsafe { run(self.into_raw()) };
    }

    /// Drops the future without polling it, and completes the task as cancelled.
    pub(crate) fn cancel(self) {
        drop(self);
    }

    /// Returns the id of the task.
    pub(crate) fn id(&self) -> Id {
        self.header().id
    }

    /// Returns the place that spawned the task.
    pub(crate) fn spawned_at(&self) -> &'static Location<'static> {
        self.header().spawned_at()
    }

    /// Returns the name that the user gave the task.
    pub(crate) fn name(&self) -> Option<&str> {
        self.header().provenance.extras()?.name.as_deref()
    }

    /// Returns the name, for a guard that may outlive the task.
    pub(crate) fn shared_name(&self) -> Option<Arc<str>> {
        self.header().name()
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
    /// `task` comes from [`into_raw`](Self::into_raw), and is turned into a runnable once.
    pub(crate) unsafe fn from_raw(task: NonNull<Header>) -> Self {
        Self(task)
    }

    /// Returns a reference that keeps the cell after the runnable was used.
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

/// Polls the task once, or drops the future of a cancelled task.
///
/// # Safety
///
/// The caller gives up the runnable.
pub(super) unsafe fn run(task: NonNull<Header>) {
    // SAFETY: a runnable exists, and the claim after it, so that the task is alive; the waker is
    // not used after the claim is given up.
    let waker = unsafe { waker::borrowed(task) };
    // SAFETY: the runnable is given up.
    unsafe { run_with(task, &waker) };
}

/// Like [`run`], with another waker, which wakes the task as well.
///
/// # Safety
///
/// The caller gives up the runnable.
#[inline(always)]
pub(super) unsafe fn run_with(task: NonNull<Header>, waker: &Waker) {
    // SAFETY: a runnable exists only while the task is not complete, and an unfinished task is
    // alive.
    let header = unsafe { task.as_ref() };
    let _current = identity::enter_current(header.id);
    match header.state.start_poll() {
        // SAFETY: the runnable turned into the claim.
        Started::Poll => unsafe { poll(task, waker) },
        // SAFETY: as above.
        Started::Cancel => unsafe { finish_cancelled(task) },
    }
}

/// Drops the future, even if the word is not CANCELLED.
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
    // SAFETY: the caller's claim keeps the cell alive.
    let _current = identity::enter_current(unsafe { task.as_ref() }.id);
    // SAFETY: the caller gives up the claim.
    unsafe { finish_cancelled(task) };
}

/// # Safety
///
/// The caller gives up the claim.
#[inline(always)]
unsafe fn poll(task: NonNull<Header>, waker: &Waker) {
    // SAFETY: the claim keeps the cell alive until it is given up below.
    let header = unsafe { task.as_ref() };
    // SAFETY: the caller has the claim, and the body of an unfinished task holds the future.
    let poll = || unsafe { body::poll(task, &mut Context::from_waker(waker)) };
    // SAFETY: the claim keeps the cell alive.
    let polled = unsafe { inherited::within_task(task, poll) };
    if polled.is_ready() {
        // SAFETY: the body holds the result now.
        return unsafe { complete(task) };
    }
    header.queue_link.keep_wait(wait::noted());
    match header.state.pause() {
        Paused::Idle => {}
        // SAFETY: the wake that came during the poll left the runnable to this thread.
        Paused::Reschedule => unsafe { (header.vtable.reschedule)(task) },
        // SAFETY: as above. The end of a poll is a poll boundary, so the task need not be queued to
        // be cancelled.
        Paused::Cancel => unsafe { cancel(task) },
    }
}

/// # Safety
///
/// The caller gives up the claim.
unsafe fn finish_cancelled(task: NonNull<Header>) {
    // The thread may be in layers of the code that shuts the task down.
    let _layers = inherited::leave_layers();
    // SAFETY: the caller has the claim.
    let cancel = || unsafe { body::cancel(task) };
    // SAFETY: the claim keeps the cell alive.
    unsafe { inherited::within_task(task, cancel) };
    // SAFETY: the body holds the cancellation now.
    unsafe { complete(task) };
}

/// Completes a task whose future was dropped: publishes the result, wakes the joiner, and removes
/// the task from the registry.
///
/// # Safety
///
/// The caller gives up the claim, and the body holds the result.
unsafe fn complete(task: NonNull<Header>) {
    // SAFETY: the claim keeps the cell alive, and then the reference that `complete` adds.
    let header = unsafe { task.as_ref() };
    let completion = header.state.complete();
    // SAFETY: the task is complete and has no join handle, so the body is ours.
    if completion.drop_result && unsafe { body::needs_drop(task) } {
        // SAFETY: as above.
        let discard = || unsafe { body::discard(task) };
        // SAFETY: the reference that `complete` has added keeps the cell alive.
        unsafe { inherited::within_task(task, discard) };
    }
    if completion.wake_joiner {
        // SAFETY: JOIN_WAKER was set when the task completed, so the waker is ours.
        wake_quietly(unsafe { header.join_slot.take() });
    }
    // SAFETY: we have a reference.
    let listed = unsafe { (header.vtable.release)(task) };
    let own = 1 + usize::from(completion.self_held) + usize::from(listed.is_some());
    debug_assert!(!(completion.self_held && listed.is_some()), "task {} has two life references", header.id);
    mem::forget(listed);
    // SAFETY: the reference that `complete` has added, and the life reference, from the registry or
    // the task.
    unsafe { drop_references(task, own) };
}

/// Drops references, and frees the cell with the last reference.
///
/// # Safety
///
/// The caller gives up `count` references.
pub(super) unsafe fn drop_references(task: NonNull<Header>, count: usize) {
    // SAFETY: the caller's references keep the cell alive until the word has been changed.
    match unsafe { task.as_ref() }.state.drop_references(count) {
        Dropped::Others => {}
        // SAFETY: the last reference was dropped.
        Dropped::Last => unsafe { cell::deallocate(task) },
    }
}
