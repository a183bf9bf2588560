//! The allocation of a cell, which holds a whole task.
//!
//! ```text
//!   Header | scheduler | body: the future, later its output or its panic
//!   '---- Prefix<S> ---'
//! ```
//!
//! The future is written directly into the allocation, so that a cell is never moved.
//!
//! Cells are not aligned to cache lines. glibc's allocator serves common alignments from a list of
//! the thread, and larger ones on a slow path. The slow path costs each spawn more than false
//! sharing costs two tasks now and then.

use std::alloc::{self, Layout};
use std::any::Any;
use std::marker::PhantomData;
use std::mem::{needs_drop, offset_of};
use std::ptr::{self, NonNull};

use super::body::{self, Body};
use super::cell::{Header, VTable};
use super::{Identity, JoinHandle, Runnable, Schedule, TaskRef};
use crate::util::world::WaitLeft;

/// The part of a cell that does not depend on the type of the future.
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

/// Creates a task: its life reference, its first runnable, and its join handle.
///
/// The caller submits the runnable to the scheduler. The life reference goes to
/// [`OwnedTasks::bind`](super::OwnedTasks::bind), or is dropped if the task is in no registry.
///
/// # Safety
///
/// The runnables of this task are run, cancelled and dropped, and [`TaskRef::shut_down`] is called,
/// only on threads where the future may be polled and dropped, and its output dropped. If the
/// future and its output are Send, all threads are allowed. Otherwise only the calling thread is,
/// with one exception. All threads are allowed if the future refuses to be polled on other threads,
/// and leaks its contents if it is dropped there. Its contents are in separate memory, which is
/// leaked with them: the bytes of the future itself belong to the cell, which is freed or filled
/// with a result after the future's drop.
///
/// The output of such a future need not be Send either. A poll writes it, and the thread of that
/// poll drops it, or the owner of the join handle, which is Send only if the output is.
///
/// References and wakers may be used and dropped on all threads: when the last is dropped, nothing
/// of `F` is left in the cell.
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
    // SAFETY: `cell` is an allocation for a `Cell<F, S>`, and the field is inside.
    let place = unsafe { &raw mut (*cell).prefix };
    // SAFETY: the allocation is new, and no other thread knows it.
    unsafe { place.write(Prefix { header, scheduler }) };
    // SAFETY: as for the prefix.
    let place = unsafe { &raw mut (*cell).body };
    // SAFETY: as for the prefix. Each field of the union begins where the body begins.
    unsafe { place.cast::<F>().write(future) };

    // SAFETY: `allocate_cell` returns no null pointer.
    let task = unsafe { NonNull::new_unchecked(cell.cast::<Header>()) };
    // SAFETY: a new task's word counts two references. The first is the life reference, which only
    // this line creates.
    let life = unsafe { TaskRef::from_raw(task) };
    // SAFETY: a new task is scheduled, and this is its runnable.
    let runnable = unsafe { Runnable::from_raw(task) };
    // SAFETY: the second reference belongs to the join handle, and `F::Output` is the output's
    // type.
    let handle = unsafe { JoinHandle::from_raw(task) };
    (life, runnable, handle)
}

fn allocate_cell<F: Future, S>() -> NonNull<Cell<F, S>> {
    let layout = Layout::new::<Cell<F, S>>();
    // SAFETY: the layout is not empty, since a cell has a header.
    let cell = unsafe { alloc::alloc(layout) };
    NonNull::new(cell.cast()).unwrap_or_else(|| alloc::handle_alloc_error(layout))
}

/// Returns the size of a cell, in bytes.
#[cfg(test)]
pub(super) const fn size_of_cell<F: Future, S>() -> usize {
    size_of::<Cell<F, S>>()
}

/// Frees a cell.
///
/// # Safety
///
/// The last reference was dropped. So the task is complete, and the body is empty: the owner of the
/// result has taken or dropped it before it dropped its reference.
#[inline(never)]
pub(super) unsafe fn deallocate(task: NonNull<Header>) {
    // SAFETY: the cell is alive until the end of this function.
    let vtable = unsafe { task.as_ref() }.vtable;
    if let Some(drop_scheduler) = vtable.drop_scheduler {
        // SAFETY: no waker schedules a complete task, so the scheduler is not used again.
        unsafe { drop_scheduler(task) };
    }
    // SAFETY: no thread has a reference to the header.
    unsafe { task.drop_in_place() };
    // SAFETY: the cell was allocated with this layout.
    unsafe { alloc::dealloc(task.as_ptr().cast(), vtable.layout) };
}

/// The functions that depend on `F` or `S`.
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

/// Clones the scheduler out of the cell, for a call that passes the runnable on. Another thread may
/// run, complete and free the task before that call returns.
///
/// # Safety
///
/// The task's scheduler is an `S`, and the caller has the runnable.
unsafe fn clone_scheduler<S: Schedule>(task: NonNull<Header>) -> S {
    // SAFETY: by the caller's promise.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: until the scheduler is dropped, with the cell, it is only shared.
    unsafe { &*scheduler }.clone()
}

/// [`VTable::schedule`]. The caller gives up the runnable.
unsafe fn schedule<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: this task's vtable is for `S`, and the caller has the runnable.
    let scheduler = unsafe { clone_scheduler::<S>(task) };
    // SAFETY: the caller gives up the runnable.
    scheduler.schedule(unsafe { Runnable::from_raw(task) });
}

/// [`VTable::reschedule`]. The caller gives up the runnable.
unsafe fn reschedule<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: this task's vtable is for `S`, and the caller has the runnable.
    let scheduler = unsafe { clone_scheduler::<S>(task) };
    // SAFETY: the caller gives up the runnable.
    scheduler.reschedule(unsafe { Runnable::from_raw(task) });
}

/// [`VTable::release`]. The caller keeps a reference to the cell.
unsafe fn release<S: Schedule>(task: NonNull<Header>) -> Option<TaskRef> {
    // SAFETY: this task's vtable is for `S`, and the caller's reference keeps the cell alive.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: until the scheduler is dropped, with the cell, it is only shared.
    let scheduler = unsafe { &*scheduler };
    // SAFETY: the caller's reference outlives the borrow.
    let borrowed = unsafe { TaskRef::borrowed(task) };
    scheduler.release(&borrowed)
}

/// [`VTable::panicked`]. The caller has the claim.
unsafe fn panicked<S: Schedule>(task: NonNull<Header>, payload: &(dyn Any + Send)) {
    // SAFETY: this task's vtable is for `S`, and the caller's claim keeps the cell alive.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: until the scheduler is dropped, with the cell, it is only shared.
    let scheduler = unsafe { &*scheduler };
    // SAFETY: the caller's claim outlives the borrow.
    let borrowed = unsafe { TaskRef::borrowed(task) };
    if payload.is::<WaitLeft>() {
        // A simulated wait ends by this payload. It is no panic for the hooks.
        return;
    }
    scheduler.panicked(&borrowed, payload);
}

/// [`VTable::drop_scheduler`].
unsafe fn drop_scheduler<S: Schedule>(task: NonNull<Header>) {
    // SAFETY: this task's vtable is for `S`.
    let scheduler = unsafe { scheduler_of::<S>(task) };
    // SAFETY: the caller frees the cell, and no other thread has a reference to it.
    unsafe { ptr::drop_in_place(scheduler) };
}
