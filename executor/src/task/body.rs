//! The body of a cell, which holds the future, and then the result.
//!
//! `Header::content` says what the body holds. The body is only reached through `content`'s
//! `UnsafeCell`, so that loom reports a race for the body.

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
    /// No bytes: the task was cancelled, and the handle has not returned the error yet.
    Cancelled,
    /// No bytes: the contents were taken or dropped, or are being dropped.
    Nothing,
}

/// The memory of a body. All fields begin at its start.
#[repr(C)]
pub(super) union Body<F: Future> {
    future: ManuallyDrop<F>,
    output: ManuallyDrop<F::Output>,
    panic: ManuallyDrop<Payload>,
}

/// Exclusive access to a body: its address, its contents, and how to drop them.
struct Access {
    body: NonNull<()>,
    content: *mut Content,
    vtable: &'static VTable,
}

impl Access {
    fn content(&self) -> Content {
        // SAFETY: `content` comes from `with_mut`, whose closure this access does not outlive.
        unsafe { *self.content }
    }

    fn set(&mut self, content: Content) {
        // SAFETY: as in `content`.
        unsafe { *self.content = content };
    }

    /// Drops the contents of the body. If the drop panics, the body is empty too.
    fn clear(&mut self) {
        let content = self.content();
        self.set(Content::Nothing);
        match content {
            // SAFETY: the body held a future, and `content` no longer says so: it is dropped once.
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

    /// Replaces the contents of the body with a panic of `task`.
    #[cold]
    #[inline(never)]
    fn fill_with_panic(&mut self, task: NonNull<Header>, payload: Payload) {
        identity::note_panic();
        // SAFETY: the caller has the claim on the task, whose body this is.
        unsafe { (self.vtable.panicked)(task, &*payload) };
        quietly(|| self.clear());
        // SAFETY: the body is empty, and has room for a payload.
        unsafe { self.body.cast::<Payload>().write(payload) };
        self.set(Content::Panic);
    }
}

/// Calls `f` with access to the body.
///
/// # Safety
///
/// The cell is alive, and the body is the caller's by the rule on [`Header::content`].
unsafe fn with_body<R>(task: NonNull<Header>, f: impl FnOnce(Access) -> R) -> R {
    // SAFETY: the caller keeps the cell alive.
    let header = unsafe { task.as_ref() };
    // SAFETY: the offset leads to the body of the same cell.
    let body = unsafe { task.byte_add(header.vtable.body_offset) }.cast::<()>();
    header.content.with_mut(|content| f(Access { body, content, vtable: header.vtable }))
}

/// Polls the future. If this returns ready, the future was dropped, and the body holds the output
/// or the panic.
///
/// # Safety
///
/// The caller has the claim, and the body holds the future.
pub(super) unsafe fn poll(task: NonNull<Header>, context: &mut Context<'_>) -> Poll<()> {
    let poll = |mut access: Access| {
        // SAFETY: the body is ours, and holds the future, as the caller promises.
        match caught(|| unsafe { (access.vtable.poll)(access.body, access.content, context) }) {
            Ok(poll) => poll,
            Err(payload) => {
                access.fill_with_panic(task, payload);
                Poll::Ready(())
            }
        }
    };
    // SAFETY: the body belongs to the holder of the claim.
    unsafe { with_body(task, poll) }
}

/// Drops the future. Then the body holds the cancellation, or a panic of the drop.
///
/// # Safety
///
/// The caller has the claim.
pub(super) unsafe fn cancel(task: NonNull<Header>) {
    let cancel = |mut access: Access| match caught(|| access.clear()) {
        Ok(()) => access.set(Content::Cancelled),
        Err(payload) => access.fill_with_panic(task, payload),
    };
    // SAFETY: the body belongs to the holder of the claim.
    unsafe { with_body(task, cancel) }
}

/// Returns whether the body of a complete task holds something that needs a drop.
///
/// # Safety
///
/// The task is complete, and the body is the caller's.
pub(super) unsafe fn needs_drop(task: NonNull<Header>) -> bool {
    // SAFETY: the owner of the body has a reference to the cell.
    let header = unsafe { task.as_ref() };
    // SAFETY: the body is the caller's, and the cell of its contents with it.
    match header.content.with(|content| unsafe { *content }) {
        Content::Output => header.vtable.drop_output.is_some(),
        content => content != Content::Nothing,
    }
}

/// Drops the contents of a complete task's body.
///
/// # Safety
///
/// The task is complete, and the body is the caller's.
pub(super) unsafe fn discard(task: NonNull<Header>) {
    let discard = |mut access: Access| {
        if access.content() == Content::Panic {
            // SAFETY: the owner of the body has a reference to the cell.
            let header = unsafe { task.as_ref() };
            // SAFETY: the body holds a payload until `clear` below.
            note_panic(header, &**unsafe { access.body.cast::<Payload>().as_ref() });
        }
        quietly(|| access.clear());
    };
    // SAFETY: by the caller's promise.
    unsafe { with_body(task, discard) }
}

/// Reports a panic that is dropped unread, since the task has no join handle, to a simulation that
/// asks for such panics.
fn note_panic(task: &Header, payload: &(dyn Any + Send)) {
    if !payload.is::<WaitLeft>() {
        note_unread(|| UnreadPanic {
            task: task.id.as_u64(),
            spawned_at: task.spawned_at(),
            message: panic_message(payload).unwrap_or("with a value that is no text").to_owned(),
        });
    }
}

/// Takes the result out of a complete task's body. Returns `None` if the result was taken before.
///
/// # Safety
///
/// The task is complete, the body is the caller's, and `T` is the output of the task's future.
pub(super) unsafe fn take<T>(task: NonNull<Header>) -> Option<Result<T, JoinError>> {
    // SAFETY: the owner of the body has a reference to the cell.
    let header = unsafe { task.as_ref() };
    let take = |mut access: Access| {
        let content = access.content();
        access.set(Content::Nothing);
        if content == Content::Output {
            // SAFETY: the body held a `T`, and `content` no longer says so: it is read once.
            return Some(Ok(unsafe { access.body.cast::<T>().read() }));
        }
        // SAFETY: the body held these contents, and `content` no longer says so: they are read
        // once.
        unsafe { failure(header, access.body, content) }.map(Err)
    };
    // SAFETY: by the caller's promise.
    unsafe { with_body(task, take) }
}

/// Returns the error of a task without an output.
///
/// # Safety
///
/// `body` holds the contents that `content` says, and they are the caller's.
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
/// `body` holds an `F`, `content` says so, and both are the caller's.
pub(super) unsafe fn poll_future<F: Future>(
    body: NonNull<()>,
    content: *mut Content,
    context: &mut Context<'_>,
) -> Poll<()> {
    // SAFETY: `body` holds an `F`, which has no other reference.
    let future = unsafe { body.cast::<F>().as_mut() };
    // SAFETY: a cell is never moved, and the future is dropped in place.
    let future = unsafe { Pin::new_unchecked(future) };
    let dropped = DroppedByPanic { body, content, drop_future: drop_in_place::<F> };
    let polled = future.poll(context);
    mem::forget(dropped);
    let Poll::Ready(output) = polled else { return Poll::Pending };
    let fill = Fill { body, content, output: ManuallyDrop::new(output) };
    // SAFETY: `body` holds an `F`, which is not used again. `fill` replaces it with the output,
    // whether its destructor returns or unwinds.
    unsafe { drop_in_place::<F>(body) };
    drop(fill);
    Poll::Ready(())
}

/// Drops the future if its poll unwinds, so that its destructors see that their thread is
/// panicking, as they would on a stack.
///
/// The guard costs a poll that returns nothing: the fields are passed on one by one, and stay in
/// registers.
struct DroppedByPanic {
    body: NonNull<()>,
    content: *mut Content,
    drop_future: unsafe fn(NonNull<()>),
}

impl Drop for DroppedByPanic {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: `poll_future` has borrowed `content`, and the body holds the future.
        unsafe { drop_by_panic(self.body, self.content, self.drop_future) };
    }
}

/// # Safety
///
/// `body` holds a future for `drop_future`, `content` says so, and both are the caller's.
#[cold]
#[inline(never)]
unsafe fn drop_by_panic(body: NonNull<()>, content: *mut Content, drop_future: unsafe fn(NonNull<()>)) {
    // SAFETY: by the caller's promise.
    unsafe { *content = Content::Nothing };
    // Quietly, since a second panic during the first would end the process. SAFETY: the body held
    // the future, and `content` no longer says so: it is dropped once.
    quietly(|| unsafe { drop_future(body) });
}

/// Puts the output into the body when it is dropped, even if the future's destructor unwinds.
struct Fill<T> {
    body: NonNull<()>,
    content: *mut Content,
    output: ManuallyDrop<T>,
}

impl<T> Drop for Fill<T> {
    fn drop(&mut self) {
        // SAFETY: the output is read once, here.
        let output = unsafe { ptr::read(&raw const *self.output) };
        // SAFETY: the future was dropped, and the body has room for a `T`.
        unsafe { self.body.cast::<T>().write(output) };
        // SAFETY: `poll_future` has borrowed `content`, and this does not outlive it.
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
