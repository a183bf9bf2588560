//! The body of a cell: the place that holds the future, then its result.
//!
//! `Header::content` says which. No code looks into the body but through `content`'s cell, so
//! that under loom a race for the body is a race for that cell, and is reported.

use std::any::Any;
use std::mem::{self, ManuallyDrop};
use std::pin::Pin;
use std::ptr::{self, NonNull};
use std::task::{Context, Poll};

use super::cell::{Header, VTable};
use super::{JoinError, identity, panic_message};
use crate::util::unwind::{Payload, caught, quietly, swallow};
use crate::util::world::{UnreadPanic, WaitLeft, note_unread};

/// The contents of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Future,
    Output,
    Panic,
    /// No bytes: the task was cancelled, and the handle has yet to return that.
    Cancelled,
    /// No bytes: the contents were taken or dropped.
    Nothing,
}

/// Room for each thing that a body holds, all of them at its start.
#[repr(C)]
pub(super) union Body<F: Future> {
    future: ManuallyDrop<F>,
    output: ManuallyDrop<F::Output>,
    panic: ManuallyDrop<Payload>,
}

/// The right to the body for a while: its address, its contents, and how to drop them.
struct Access {
    body: NonNull<()>,
    content: *mut Content,
    vtable: &'static VTable,
}

impl Access {
    fn content(&self) -> Content {
        // SAFETY: `content` comes from the closure of `with_mut` that this access does not outlive.
        unsafe { *self.content }
    }

    fn set(&mut self, content: Content) {
        // SAFETY: as in `content`.
        unsafe { *self.content = content };
    }

    /// Drops the contents of the body. If that panics the body is empty all the same.
    fn clear(&mut self) {
        let content = self.content();
        self.set(Content::Nothing);
        match content {
            // SAFETY: the body held a future, and its contents are no longer named so: it is
            // dropped once.
            Content::Future => unsafe { (self.vtable.drop_future)(self.body) },
            Content::Output => self.vtable.drop_output.into_iter().for_each(|drop_output| {
                // SAFETY: as above, with an output.
                unsafe { drop_output(self.body) };
            }),
            // SAFETY: as above, with a payload.
            Content::Panic => swallow(unsafe { self.body.cast::<Payload>().read() }),
            Content::Cancelled | Content::Nothing => {}
        }
    }

    /// Puts a panic of `task` into its body, instead of whatever is there.
    #[cold]
    #[inline(never)]
    fn fill_with_panic(&mut self, task: NonNull<Header>, payload: Payload) {
        identity::note_panic();
        // SAFETY: the caller runs the task, whose body this is.
        unsafe { (self.vtable.panicked)(task, &*payload) };
        quietly(|| self.clear());
        // SAFETY: the body is empty, and has room for a payload.
        unsafe { self.body.cast::<Payload>().write(payload) };
        self.set(Content::Panic);
    }
}

/// Calls `f` with the right to the body.
///
/// # Safety
///
/// The cell is alive and the body is the caller's, by the rule on [`Header::content`].
unsafe fn with_body<R>(task: NonNull<Header>, f: impl FnOnce(Access) -> R) -> R {
    // SAFETY: the caller keeps the cell alive.
    let header = unsafe { task.as_ref() };
    // SAFETY: the offset is the body's in this very cell.
    let body = unsafe { task.byte_add(header.vtable.body_offset) }.cast::<()>();
    header.content.with_mut(|content| f(Access { body, content, vtable: header.vtable }))
}

/// Polls the future. When this returns ready, the future is gone and the body holds the output, or
/// the panic.
///
/// # Safety
///
/// The caller runs the task, and the body holds the future.
pub(super) unsafe fn poll(task: NonNull<Header>, context: &mut Context<'_>) -> Poll<()> {
    let poll = |mut access: Access| {
        // SAFETY: the body holds the future, as the caller promises, and is ours.
        match caught(|| unsafe { (access.vtable.poll)(access.body, access.content, context) }) {
            Ok(poll) => poll,
            Err(payload) => {
                access.fill_with_panic(task, payload);
                Poll::Ready(())
            }
        }
    };
    // SAFETY: the body belongs to the machine that runs the task.
    unsafe { with_body(task, poll) }
}

/// Drops the future. The body then holds the cancellation, or a panic of the drop.
///
/// # Safety
///
/// The caller runs the task.
pub(super) unsafe fn cancel(task: NonNull<Header>) {
    let cancel = |mut access: Access| match caught(|| access.clear()) {
        Ok(()) => access.set(Content::Cancelled),
        Err(payload) => access.fill_with_panic(task, payload),
    };
    // SAFETY: the body belongs to the machine that runs the task.
    unsafe { with_body(task, cancel) }
}

/// Returns whether something is left in the body of a complete task whose drop does anything.
///
/// # Safety
///
/// The task is complete, and the body is the caller's.
pub(super) unsafe fn needs_drop(task: NonNull<Header>) -> bool {
    // SAFETY: the caller's right to the body keeps the cell alive.
    let header = unsafe { task.as_ref() };
    // SAFETY: the caller knows the contents of the body.
    match header.content.with(|content| unsafe { *content }) {
        Content::Output => header.vtable.drop_output.is_some(),
        content => content != Content::Nothing,
    }
}

/// Drops the remaining contents of the body of a complete task.
///
/// # Safety
///
/// The task is complete, and the body is the caller's.
pub(super) unsafe fn discard(task: NonNull<Header>) {
    let discard = |mut access: Access| {
        if access.content() == Content::Panic {
            // SAFETY: the caller's right to the body keeps the cell alive.
            let header = unsafe { task.as_ref() };
            // SAFETY: the body holds a payload, which is dropped below at the earliest.
            note_panic(header, &**unsafe { access.body.cast::<Payload>().as_ref() });
        }
        quietly(|| access.clear());
    };
    // SAFETY: by the caller's promise.
    unsafe { with_body(task, discard) }
}

/// Lists the panic of this task, which is dropped unread, where a simulation asks for it: the task
/// had no join handle, or has one no more.
fn note_panic(task: &Header, payload: &(dyn Any + Send)) {
    if !payload.is::<WaitLeft>() {
        note_unread(|| UnreadPanic {
            task: task.id.as_u64(),
            spawned_at: task.spawned_at(),
            message: panic_message(payload).unwrap_or("with a value that is no text").to_owned(),
        });
    }
}

/// Takes the result out of the body of a complete task. `None` if that was done before.
///
/// # Safety
///
/// The task is complete, the body is the caller's, and `T` is the output of the task's future.
pub(super) unsafe fn take<T>(task: NonNull<Header>) -> Option<Result<T, JoinError>> {
    // SAFETY: the caller's right to the body keeps the cell alive.
    let header = unsafe { task.as_ref() };
    let take = |mut access: Access| {
        let content = access.content();
        access.set(Content::Nothing);
        if content == Content::Output {
            // SAFETY: the body held a `T`, and its contents are no longer named so: it is read
            // once.
            return Some(Ok(unsafe { access.body.cast::<T>().read() }));
        }
        // SAFETY: the body held the contents that `content` names, and no longer names them: they
        // are read once.
        unsafe { failure(header, access.body, content) }.map(Err)
    };
    // SAFETY: by the caller's promise.
    unsafe { with_body(task, take) }
}

/// The result of a task that has no output.
///
/// # Safety
///
/// `body` holds the kind of contents that `content` names, and they are the caller's.
#[cold]
unsafe fn failure(header: &Header, body: NonNull<()>, content: Content) -> Option<JoinError> {
    match content {
        Content::Panic => {
            // SAFETY: the body holds a payload, which is not used again.
            let payload = unsafe { body.cast::<Payload>().read() };
            Some(JoinError::panicked(header.id, header.spawned_at(), payload))
        }
        Content::Cancelled => Some(JoinError::cancelled(header.id, header.spawned_at())),
        Content::Nothing => None,
        Content::Future | Content::Output => {
            unreachable!("body::take: task {} is complete and has its {content:?}", header.id)
        }
    }
}

/// [`VTable::poll`] for futures of type `F`.
///
/// # Safety
///
/// `body` holds an `F`, `content` names it, and both are the caller's.
pub(super) unsafe fn poll_future<F: Future>(
    body: NonNull<()>,
    content: *mut Content,
    context: &mut Context<'_>,
) -> Poll<()> {
    // SAFETY: `body` holds an `F`, to which there is no other reference.
    let future = unsafe { body.cast::<F>().as_mut() };
    // SAFETY: a cell is never moved, and the future is dropped where it is.
    let future = unsafe { Pin::new_unchecked(future) };
    let dropped = DroppedByPanic { body, content, drop_future: drop_in_place::<F> };
    let polled = future.poll(context);
    mem::forget(dropped);
    let Poll::Ready(output) = polled else { return Poll::Pending };
    let fill = Fill { body, content, output: ManuallyDrop::new(output) };
    // SAFETY: `body` holds an `F`, which is not used again: whether its destructor returns or
    // unwinds, `fill` puts the output in its place.
    unsafe { drop_in_place::<F>(body) };
    drop(fill);
    Poll::Ready(())
}

/// Drops the future if its poll unwinds, in the middle of that: destructors see that their thread
/// is panicking, as they would on a stack.
///
/// It costs a poll nothing that returns: its parts are passed on one by one, so that they need not
/// be put together in memory.
struct DroppedByPanic {
    body: NonNull<()>,
    content: *mut Content,
    drop_future: unsafe fn(NonNull<()>),
}

impl Drop for DroppedByPanic {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: `content` is lent to `poll_future`, which this does not outlive, and the body
        // holds the future.
        unsafe { drop_by_panic(self.body, self.content, self.drop_future) };
    }
}

/// # Safety
///
/// `body` holds a future for `drop_future`, `content` names it, and both are the caller's.
#[cold]
#[inline(never)]
unsafe fn drop_by_panic(body: NonNull<()>, content: *mut Content, drop_future: unsafe fn(NonNull<()>)) {
    // SAFETY: by the caller's promise.
    unsafe { *content = Content::Nothing };
    // A second panic must not get out of a drop that the first one calls: that would end the
    // process. SAFETY: the body held the future, and its contents are no longer named so: it is
    // dropped once.
    quietly(|| unsafe { drop_future(body) });
}

/// Puts the output into the body once the future has left it, even if the future's destructor
/// unwinds.
struct Fill<T> {
    body: NonNull<()>,
    content: *mut Content,
    output: ManuallyDrop<T>,
}

impl<T> Drop for Fill<T> {
    fn drop(&mut self) {
        // SAFETY: the output is moved from once, here: the reader of the body takes it from there.
        let output = unsafe { ptr::read(&raw const *self.output) };
        // SAFETY: the future has been dropped, and the body has room for a `T`.
        unsafe { self.body.cast::<T>().write(output) };
        // SAFETY: `content` is lent to `poll_future`, which this does not outlive.
        unsafe { *self.content = Content::Output };
    }
}

/// [`VTable::drop_future`] and [`VTable::drop_output`].
///
/// # Safety
///
/// `body` holds a `T`, which is not used again.
pub(super) unsafe fn drop_in_place<T>(body: NonNull<()>) {
    // SAFETY: by the caller's promise.
    unsafe { body.cast::<T>().drop_in_place() };
}
