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
//! 1. [`allocate`](super::allocation::allocate) returns the first runnable, the join handle and the
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

use std::alloc::Layout;
use std::any::Any;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::task::body::Content;
use crate::task::identity::{Identity, Provenance};
use crate::task::join::JoinSlot;
use crate::task::queue::QueueLink;
use crate::task::registry::{ListLinks, ListedIn};
use crate::task::state::State;
use crate::task::stats::TaskCounts;
use crate::task::{Id, Runnable, TaskRef};
use crate::util::sync::UnsafeCell;
use crate::util::sync::atomic::AtomicPtr;

/// The services that a task needs of its scheduler.
///
/// Each cell holds a scheduler, so it should be small, and cheap to clone: each call that takes a
/// runnable is made on a clone. The scheduler is dropped with the cell, which wakers and handles
/// may keep long after the runtime's end. No method is called after the task has been released.
pub(crate) trait Schedule: Clone + Send + Sync + 'static {
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
}
