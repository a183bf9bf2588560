//! The cell of a task: a spawned future with its state, in one allocation.
//!
//! # Phases
//!
//! Everything that happens to a task is a transition of one atomic word ([`state`](super::state)).
//! Three flags of the word encode the phase:
//!
//! | phase | SCHEDULED | RUNNING | COMPLETE | [`Runnable`] | body of the cell |
//! |---|---|---|---|---|---|
//! | scheduled | 1 | 0 | 0 | exists, in a queue or in a variable | the future |
//! | running | 0 | 1 | 0 | turned into the claim | the future, being polled or dropped |
//! | running, woken | 1 | 1 | 0 | the claim will turn back into it | as above |
//! | idle | 0 | 0 | 0 | none: the next wake creates it | the future |
//! | complete | any | 0 | 1 | none anymore | the result, or nothing |
//!
//! ```text
//!   allocate (1)
//!       |
//!       v               run (2)                ready (3), cancelled (4)
//!   SCHEDULED --------------------> RUNNING ----------------------------> COMPLETE
//!     ^   ^                          | ^ |
//!     |   '--------------------------' | |
//!     |     pending, was woken (5)     | |
//!     |                  shut_down (7) | | pending (5)
//!     |                                | v
//!     '------------------------------- IDLE
//!               wake, abort (6)
//! ```
//!
//! 1. [`allocate`] returns the first runnable, the join handle and the
//!    life reference.
//! 2. [`Runnable::run`] turns the runnable into the claim on the future. If CANCELLED is set, 4
//!    follows.
//! 3. The future has returned an output or panicked. The future is dropped, the result takes its
//!    place in the body, and the word becomes COMPLETE. Then the joiner is woken, the task leaves
//!    the registry, and the references are dropped.
//! 4. The future is dropped without another poll, and the result is *cancelled*. This is done by
//!    the holder of a runnable that finds CANCELLED (in 2, or in 5 if an abort came during the
//!    poll), by [`Runnable::cancel`], and in 7.
//! 5. The poll is over, and the claim is given up. If the task was woken during the poll, the claim
//!    turns back into a runnable, which goes to [`Schedule::reschedule`].
//! 6. Wakers and [`JoinHandle::abort`](super::JoinHandle::abort). From idle: the thread that sets
//!    SCHEDULED owns the new runnable, and passes it to [`Schedule::schedule`]. From running:
//!    SCHEDULED is set, and 5 finds it. From scheduled: no flag changes, but the word is written,
//!    so that the coming poll sees the waker's writes. Abort sets CANCELLED in the same step.
//! 7. [`TaskRef::shut_down`] claims an idle task, and aborts a task in any other phase.
//!
//! Two rules follow. There is at most one runnable or claim: each of 2, 5, 6 and 7 is one step of
//! the word, and in each phase only one thread can take that step. And each runnable is used: a
//! wake before COMPLETE leads to a poll, or to the end of the future.
//!
//! # References to the cell
//!
//! | owner | counted reference | for how long |
//! |---|---|---|
//! | the registry ([`OwnedTasks`](super::registry::OwnedTasks)), or the task itself (SELF_HELD): the *life reference* | yes | until the task is complete |
//! | the join handle | yes | |
//! | wakers, abort handles | yes, each | |
//! | runnable and claim | **no** | they exist only while the task is not complete |
//! | the waker that a poll lends | **no** | it ends before the claim does |
//!
//! A counted runnable would cost each wake and each poll another write to the word. Instead, the
//! life reference keeps the cell alive for the runnable. Three places need care:
//!
//! * *Completion.* As soon as the word is COMPLETE, another thread may drop the life reference,
//!   while the completing side still has to wake the joiner. So the step to COMPLETE also adds a
//!   reference, for the completing side.
//! * *The runtime's end.* The registry must not drop the life reference of a task whose runnable is
//!   held by another thread. Instead it leaves the reference to the task: SELF_HELD is set in the
//!   same step as CANCELLED, and completion drops the reference. Dropping a [`TaskRef`] does the
//!   same, so that every order of drops is safe.
//! * *Submitting.* Once the runnable is in a queue, another thread may run, complete and free the
//!   task, and with the cell the scheduler in it, before [`Schedule::schedule`] has returned. So
//!   the method is called on a clone of the scheduler.
//!
//! # The owner of each part
//!
//! [`Header`] has the rule for each field. The body belongs to the holder of the claim while the
//! task is unfinished. Then it belongs to the join handle if JOIN_INTEREST was set in the step to
//! COMPLETE, and to the completing side otherwise. The owner empties the body before it drops its
//! reference, so that the thread that frees the cell drops nothing of the future or its output.
//! Therefore a future that is not Send may be in a cell whose wakers are Send.
//!
//! # Alternatives
//!
//! * *A reference for each runnable*, as in other runtimes, costs two more writes for each trip
//!   through a queue.
//! * *A count of wakes* instead of the SCHEDULED flag saves a write in a poll without a wake, but
//!   the count can overflow.
//! * *A channel for the result* costs a second allocation for each task.

use std::alloc::{self, Layout};
use std::any::Any;
use std::marker::PhantomData;
use std::mem::{needs_drop, offset_of};
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::task::body::{self, Body, Content};
use crate::task::identity::{Identity, Provenance};
use crate::task::join::JoinSlot;
use crate::task::queue::QueueLink;
use crate::task::registry::{ListLinks, ListedIn};
use crate::task::state::State;
use crate::task::stats::TaskCounts;
use crate::task::{Id, JoinHandle, Runnable, TaskRef};
use crate::util::sync::UnsafeCell;
use crate::util::sync::atomic::AtomicPtr;
use crate::util::world::WaitLeft;

/// The services that a task needs of its scheduler.
///
/// Each cell holds a scheduler, so it should be small, and cheap to clone: each call that takes a
/// runnable is made on a clone. The scheduler is dropped with the cell, which wakers and handles
/// may keep long after the runtime's end. No method is called after the task has been released.
pub(crate) trait Schedule: Clone + Send + Sync + 'static {
    /// True if its tasks are background tasks, for dumps.
    const IS_BACKGROUND: bool = false;

    /// Queues a task that was woken while it was idle. Called on any thread. While the runtime
    /// ends, the runnable may be cancelled, or left where the end will find it.
    fn schedule(&self, task: Runnable);

    /// Queues a task that was woken during its own poll, behind all waiting tasks. Called on the
    /// thread of the poll.
    fn reschedule(&self, task: Runnable);

    /// Removes a complete task from the registry, and returns the life reference if the task was
    /// listed. Called once for each task, on the thread that completes it, after the joiner was
    /// woken. A task in another registry must not have this scheduler.
    fn release(&self, task: &TaskRef) -> Option<TaskRef>;

    /// Reports a panic of the task's future, in a poll or in the future's drop. Called on the
    /// thread that panicked, before the task is complete.
    fn panicked(&self, task: &TaskRef, payload: &(dyn Any + Send)) {
        let _ = (task, payload);
    }
}

/// The part of a cell that depends on no type, at the start of the allocation. The fields that a
/// wake and a poll touch come last, next to the scheduler and the future.
///
/// Code that does not know the future's type works on the header, through `NonNull<Header>`. The
/// pointer is derived from the allocator's, so that it reaches the whole cell, which a reference to
/// the header would not. Functions that may free the cell take a `NonNull<Header>` too: a `&Header`
/// parameter must stay valid until the function returns.
#[repr(C)]
pub(crate) struct Header {
    /// The neighbours in the registry. Protected by the lock of the shard that `listed_in` names.
    pub(super) links: UnsafeCell<ListLinks>,
    /// The waker of the join handle's task.
    pub(super) join_slot: JoinSlot,
    /// The place that spawned the task, and its name, counts and data.
    pub(super) provenance: Provenance,
    /// The next task in the runnable's queue, or the task's wait. Belongs to the holder of the
    /// runnable or the claim.
    pub(super) queue_link: QueueLink,
    pub(super) id: Id,
    pub(super) state: State,
    pub(super) vtable: &'static VTable,
    /// The shard of the registry that counts this task as live.
    pub(super) listed_in: ListedIn,
    /// The contents of the body. This cell stands for the body too, and has the same owner: the
    /// holder of the claim; once the task is complete, the join handle, or the completing side if
    /// the handle was gone.
    pub(super) content: UnsafeCell<Content>,
}

impl Header {
    #[inline]
    pub(super) fn new(vtable: &'static VTable, Identity { id, spawned_at, extras }: Identity) -> Self {
        Self {
            links: UnsafeCell::new(ListLinks::default()),
            join_slot: JoinSlot::empty(),
            provenance: Provenance::new(spawned_at, extras),
            queue_link: QueueLink::new(),
            id,
            state: State::new(),
            vtable,
            listed_in: ListedIn::nowhere(),
            content: UnsafeCell::new(Content::Future),
        }
    }

    /// Returns the place where the task was spawned.
    #[inline]
    pub(super) fn spawned_at(&self) -> &'static Location<'static> {
        self.provenance.spawned_at()
    }

    /// Returns the link to the next task, for the queue that holds the runnable.
    #[inline]
    pub(crate) fn queue_link(&self) -> &AtomicPtr<Header> {
        self.queue_link.link()
    }

    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.provenance.extras()?.name.clone()
    }

    pub(super) fn counts(&self) -> Option<&TaskCounts> {
        self.provenance.extras()?.counts.as_ref()
    }
}

/// The functions that depend on the type of the future or of the scheduler. Each function depends
/// on one of the two, so that a program with many types of futures compiles little for each.
pub(super) struct VTable {
    /// Polls the future in the body. If it is ready, puts the output in its place.
    pub(super) poll: unsafe fn(NonNull<()>, *mut Content, &mut Context<'_>) -> Poll<()>,
    /// Drops the future in the body.
    pub(super) drop_future: unsafe fn(NonNull<()>),
    /// Drops the output in the body. `None` if the output needs no drop.
    pub(super) drop_output: Option<unsafe fn(NonNull<()>)>,
    /// [`Schedule::schedule`], with the caller's runnable.
    pub(super) schedule: unsafe fn(NonNull<Header>),
    /// [`Schedule::reschedule`], with the caller's runnable.
    pub(super) reschedule: unsafe fn(NonNull<Header>),
    /// [`Schedule::release`].
    pub(super) release: unsafe fn(NonNull<Header>) -> Option<TaskRef>,
    /// [`Schedule::panicked`].
    pub(super) panicked: unsafe fn(NonNull<Header>, &(dyn Any + Send)),
    /// Drops the scheduler in the cell. `None` if the scheduler needs no drop.
    pub(super) drop_scheduler: Option<unsafe fn(NonNull<Header>)>,
    /// The distance from the header to the body, in bytes.
    pub(super) body_offset: usize,
    /// The layout of the cell.
    pub(super) layout: Layout,
    /// [`Schedule::IS_BACKGROUND`].
    pub(super) is_background: bool,
}

// The allocation, which holds a whole task.
//
//   Header | scheduler | body: the future, later its output or its panic
//   '---- Prefix<S> ---'
//
// The future is written directly into the allocation, so that a cell is never moved.
//
// Cells are not aligned to cache lines. glibc's allocator serves common alignments from a list of
// the thread, and larger ones on a slow path. The slow path costs each spawn more than false
// sharing costs two tasks now and then.

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
        is_background: S::IS_BACKGROUND,
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
