//! The moves of a task's life that do not depend on its types: run, cancel, complete, submit, free.
//!
//! Each function says what the caller has to have and what it gives up. Held are the runnable (to
//! poll, or to cancel), the claim (the task is RUNNING, by us) and references.

use std::mem;
use std::ptr::NonNull;
use std::task::Context;

use super::header::Header;
use super::state::{Dropped, Paused, Started, Woken};
use super::{allocation, body, current, waker};
use crate::util::unwind::wake_quietly;

/// Polls the task once, or drops its future if it was cancelled.
///
/// # Safety
///
/// The caller gives up the runnable.
pub(super) unsafe fn run(task: NonNull<Header>) {
    // SAFETY: a runnable exists only while the task is not complete, and an unfinished task is
    // alive.
    let header = unsafe { task.as_ref() };
    let _current = current::enter(header.id);
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
    let _current = current::enter(unsafe { task.as_ref() }.id);
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
    match header.state.pause() {
        Paused::Idle => {}
        // SAFETY: the wake that came meanwhile left the runnable to us.
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
    // SAFETY: the body tells of the cancellation now.
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

/// Does what a wake or an abort owes.
///
/// # Safety
///
/// `woken` is what the word just answered; the caller has not acted on it.
#[inline]
pub(super) unsafe fn settle(task: NonNull<Header>, woken: Woken) {
    match woken {
        Woken::Nothing => {}
        // SAFETY: we made the runnable, so that the task is unfinished and alive.
        Woken::Submit => unsafe { submit(task) },
        // SAFETY: the last reference went with the wake.
        Woken::Free => unsafe { allocation::deallocate(task) },
    }
}

/// Hands the runnable to the scheduler.
///
/// # Safety
///
/// The caller gives up the runnable.
unsafe fn submit(task: NonNull<Header>) {
    // SAFETY: the runnable keeps the cell alive.
    let schedule = unsafe { task.as_ref() }.vtable.schedule;
    // SAFETY: the runnable is passed on.
    unsafe { schedule(task) };
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
