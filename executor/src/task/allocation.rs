//! The cell: one allocation that holds a whole task.
//!
//! ```text
//!   Header | scheduler | body: the future, later its output or its panic
//!   '---- Prefix<S> ---'
//! ```
//!
//! The future is written straight into the allocation: a cell is never built elsewhere and moved.
//!
//! Cells are not aligned to cache lines. glibc's allocator serves common alignments from a list of
//! the thread's own, and larger ones on a slow path, which would cost each spawn more than two
//! neighbours on one line cost now and then.

use std::alloc::{self, Layout};
use std::any::Any;
use std::marker::PhantomData;
use std::mem::{needs_drop, offset_of};
use std::ptr::{self, NonNull};

use super::body::{self, Body};
use super::cell::{Header, VTable};
use super::{Identity, JoinHandle, Runnable, Schedule, TaskRef};
use crate::util::world::WaitLeft;

/// The part of a cell that can be reached without knowing the future.
#[repr(C)]
struct Prefix<S> {
    header: Header,
    scheduler: S,
}

#[repr(C)]
struct Cell<F: Future, S> {
    prefix: Prefix<S>,
    body: Body<F>,
}

/// Puts a task together: the registry's reference, its first runnable, and its join
/// handle.
///
/// The runnable is for the scheduler, which gets none for it: the caller submits it.
/// `TaskRef` is the life reference: it goes to [`OwnedTasks::bind`](super::OwnedTasks::bind), or is
/// dropped if the task is in no registry.
///
/// # Safety
///
/// The runnables of this task are run, cancelled and dropped, and [`TaskRef::shut_down`] is called,
/// only on threads where the future may be polled and dropped and its output dropped. For `F: Send`
/// with an output that is Send those are all threads. For other futures it is the one that called
/// this, with one exception: if the future itself refuses to be polled elsewhere, and leaks its
/// insides if it is dropped elsewhere, any thread will do. Its insides then lie in memory that is
/// leaked with them, and not in the future's own bytes, where they would be pinned: those are the
/// cell's, which is freed or filled with a result once the future's drop has returned.
///
/// The output of such a future need not be Send either. It is written by a poll, and dropped by
/// that poll's thread or with the join handle, which is Send only if the output is.
///
/// Nothing is asked of references and wakers: the thread that drops the last of them finds nothing
/// of `F` in the cell any more.
#[inline]
pub(crate) unsafe fn allocate<F, S>(
    future: F,
    scheduler: S,
    identity: Identity,
) -> (TaskRef, Runnable, JoinHandle<F::Output>)
where
    F: Future + 'static,
    S: Schedule,
{
    let cell = allocate_cell::<F, S>().as_ptr();
    let header = Header::new(Types::<F, S>::VTABLE, identity);
    // SAFETY: `cell` is an allocation for a `Cell<F, S>`; the projection stays inside.
    let place = unsafe { &raw mut (*cell).prefix };
    // SAFETY: the allocation is fresh, and no other thread's yet.
    unsafe { place.write(Prefix { header, scheduler }) };
    // SAFETY: as for the prefix.
    let place = unsafe { &raw mut (*cell).body };
    // SAFETY: as for the prefix; each thing that a body may hold begins where the body begins.
    unsafe { place.cast::<F>().write(future) };

    // SAFETY: an allocation is never at null.
    let task = unsafe { NonNull::new_unchecked(cell.cast::<Header>()) };
    // SAFETY: a new task's word counts two references; the first is the life reference, made here
    // alone.
    let life = unsafe { TaskRef::from_raw(task) };
    // SAFETY: a new task's word says that it is scheduled, and this is the runnable.
    let runnable = unsafe { Runnable::from_raw(task) };
    // SAFETY: the second reference belongs to the one join handle, for the output of `F`.
    let handle = unsafe { JoinHandle::from_raw(task) };
    (life, runnable, handle)
}

fn allocate_cell<F: Future, S>() -> NonNull<Cell<F, S>> {
    let layout = Layout::new::<Cell<F, S>>();
    // SAFETY: the layout is not empty: a cell begins with a header.
    let cell = unsafe { alloc::alloc(layout) };
    NonNull::new(cell.cast()).unwrap_or_else(|| alloc::handle_alloc_error(layout))
}

/// Bytes of memory that a task takes.
#[cfg(test)]
pub(super) const fn size_of_cell<F: Future, S>() -> usize {
    size_of::<Cell<F, S>>()
}

/// Frees a cell.
///
/// # Safety
///
/// The last reference is gone. So the task is complete, and the body is empty: whichever side the
/// result fell to has taken or dropped it before giving back a reference.
#[inline(never)]
pub(super) unsafe fn deallocate(task: NonNull<Header>) {
    // SAFETY: the cell is alive until the end of this function.
    let vtable = unsafe { task.as_ref() }.vtable;
    if let Some(drop_scheduler) = vtable.drop_scheduler {
        // SAFETY: no waker schedules a complete task; the scheduler is not used again.
        unsafe { drop_scheduler(task) };
    }
    // SAFETY: no thread has a reference to look at the header with.
    unsafe { task.drop_in_place() };
    // SAFETY: the layout is the one the cell was allocated with.
    unsafe { alloc::dealloc(task.as_ptr().cast(), vtable.layout) };
}

/// The table of the functions that depend on `F` and `S`.
struct Types<F, S>(PhantomData<(F, S)>);

impl<F: Future + 'static, S: Schedule> Types<F, S> {
    const VTABLE: &'static VTable = &VTable {
        poll: body::poll_future::<F>,
        drop_future: body::drop_in_place::<F>,
        drop_output: if needs_drop::<F::Output>() { Some(body::drop_in_place::<F::Output>) } else { None },
        schedule: schedule::<S>,
        reschedule: reschedule::<S>,
        release: release::<S>,
        panicked: panicked::<S>,
        drop_scheduler: if needs_drop::<S>() { Some(drop_scheduler::<S>) } else { None },
        body_offset: offset_of!(Cell<F, S>, body),
        layout: Layout::new::<Cell<F, S>>(),
    };
}

/// # Safety
///
/// The task's scheduler is an `S`, and the cell is alive.
unsafe fn scheduler_of<S>(task: NonNull<Header>) -> *mut S {
    let prefix = task.cast::<Prefix<S>>().as_ptr();
    // SAFETY: a cell begins with its prefix, and the pointer reaches the whole cell.
    unsafe { &raw mut (*prefix).scheduler }
}

/// Copies the scheduler out of the cell. A call that hands the runnable on may outlive the cell:
/// the task may be run, finished and freed by another thread before the call returns.
///
/// # Safety
///
/// Like for [`scheduler_of`], with the runnable in the caller's hand.
unsafe fn clone_scheduler<S: Schedule>(task: NonNull<Header>) -> S {
    // SAFETY: by the caller's promise.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: the scheduler is dropped with the cell, and only ever shared before.
    unsafe { &*scheduler }.clone()
}

/// [`VTable::schedule`]; takes over the caller's runnable.
unsafe fn schedule<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: `S` is in the vtable of this task, and the runnable is in hand.
    let scheduler = unsafe { clone_scheduler::<S>(task) };
    // SAFETY: the caller gives up the runnable.
    scheduler.schedule(unsafe { Runnable::from_raw(task) });
}

/// [`VTable::reschedule`]; takes over the caller's runnable.
unsafe fn reschedule<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: `S` is in the vtable of this task, and the runnable is in hand.
    let scheduler = unsafe { clone_scheduler::<S>(task) };
    // SAFETY: the caller gives up the runnable.
    scheduler.reschedule(unsafe { Runnable::from_raw(task) });
}

/// [`VTable::release`]; the caller has a reference to the cell and keeps it.
unsafe fn release<S: Schedule>(task: NonNull<Header>) -> Option<TaskRef> {
    // SAFETY: `S` is in the vtable of this task, and the caller's reference keeps the cell.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: the scheduler is dropped with the cell, and only ever shared before.
    let scheduler = unsafe { &*scheduler };
    // SAFETY: the caller's reference outlives the borrow.
    let borrowed = unsafe { TaskRef::borrowed(task) };
    scheduler.release(&borrowed)
}

/// [`VTable::panicked`]; the caller runs the task.
unsafe fn panicked<S: Schedule>(task: NonNull<Header>, payload: &(dyn Any + Send)) {
    // SAFETY: `S` is in the vtable of this task, and the caller's claim keeps the cell.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: the scheduler is dropped with the cell, and only ever shared before.
    let scheduler = unsafe { &*scheduler };
    // SAFETY: the caller's claim outlives the borrow.
    let borrowed = unsafe { TaskRef::borrowed(task) };
    if payload.is::<WaitLeft>() {
        // No panic: no hook is to hear of it.
        return;
    }
    scheduler.panicked(&borrowed, payload);
}

/// [`VTable::drop_scheduler`].
unsafe fn drop_scheduler<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: `S` is in the vtable of this task.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: the caller frees the cell, and no other thread has a reference to it.
    unsafe { ptr::drop_in_place(scheduler) };
}
