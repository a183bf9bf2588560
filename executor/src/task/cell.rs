//! The cell of a task: a spawned future with its state, in one allocation.
//!
//! # Phases
//!
//! All that happens to a task is a move of one atomic word ([`state`](super::state)). Three of its
//! flags encode the phase:
//!
//! | phase | SCHEDULED | RUNNING | COMPLETE | [`Runnable`] | body of the cell |
//! |---|---|---|---|---|---|
//! | scheduled | 1 | 0 | 0 | exists, in a queue or in a hand | the future |
//! | running | 0 | 1 | 0 | turned into the claim | the future, being polled or dropped |
//! | running, woken | 1 | 1 | 0 | the claim turns back into it | as above |
//! | idle | 0 | 0 | 0 | none: the next wake makes it | the future |
//! | complete | any | 0 | 1 | none, ever again | the result, or nothing |
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
//! 1. [`allocate`](super::allocation::allocate) hands out the first runnable, the join handle and
//!    the life reference.
//! 2. [`Runnable::run`] turns the runnable into the claim on the future. If CANCELLED is set it
//!    continues with 4.
//! 3. The future returned an output or panicked. It is dropped, the result takes its place, and the
//!    word says COMPLETE; then the joiner is woken, the registry is left, and the references are
//!    given back.
//! 4. The future is dropped without another poll, and the result is *cancelled*. By the holder of a
//!    runnable that finds CANCELLED (2, or 5 if it was set during the poll), [`Runnable::cancel`],
//!    or 7.
//! 5. The poll is over and the claim given up. If the task was woken during the poll, the claim
//!    turns back into a runnable, which goes to [`Schedule::reschedule`].
//! 6. Wakers and [`JoinHandle::abort`](super::JoinHandle::abort). From idle: the thread that sets
//!    SCHEDULED has made the runnable and passes it to [`Schedule::schedule`]. From running:
//!    SCHEDULED is set, and 5 finds it. From scheduled: nothing changes, but the word is written
//!    to, so that the coming poll sees the waker's writes. Abort sets CANCELLED in the same step.
//! 7. [`TaskRef::shut_down`] takes an idle task by force. A task in any other phase is aborted.
//!
//! Two consequences to rely on. There is never more than one runnable or claim: each of 2, 5, 6 and
//! 7 is one step of the word, and from each phase only one party can take it. And every runnable is
//! used: a wake in any phase before COMPLETE leads to a poll or to the end of the future.
//!
//! # References to the cell
//!
//! | owner | counted reference | for how long |
//! |---|---|---|
//! | the *life reference*: the registry's ([`OwnedTasks`](super::registry::OwnedTasks)), or the task's own (SELF_HELD) | yes | until the task is complete |
//! | the join handle | yes | |
//! | wakers, abort handles | yes, each | |
//! | runnable and claim | **no** | they exist only while the task is not complete |
//! | the waker that a poll lends | **no** | it is gone before the claim is |
//!
//! A runnable that counts would cost each wake and each poll another write to the word. Instead the
//! life reference covers it. That leaves three places to be careful in:
//!
//! * *Completion.* The moment the word says COMPLETE another thread may give the life reference
//!   back, while the completing side has yet to wake the joiner. So the step to COMPLETE takes a
//!   reference along.
//! * *The runtime's end.* The registry may not give back the life reference of a task that another
//!   thread holds a runnable to. It leaves it to the task then: SELF_HELD, in the same step as
//!   CANCELLED, and completion gives it back. Dropping a [`TaskRef`] does that too, so that no
//!   order of drops is unsafe.
//! * *Submitting.* Once the runnable is in a queue the task may be run, completed and freed by
//!   another thread before [`Schedule::schedule`] has returned, and the scheduler in the cell with
//!   it. So the call is made on a clone.
//!
//! # The owner of each part
//!
//! The rule for each field is on [`Header`](Header). For the body: the claim, while
//! the task is not complete. After that, the join handle if JOIN_INTEREST was set in the step to
//! COMPLETE, else the completing side. It is empty before the last reference is given back, so that
//! the thread that frees a cell, whichever it is, drops nothing of the future or its output. That
//! allows futures that are not Send in cells whose wakers are.
//!
//! # Roads not taken
//!
//! * *A reference for each runnable*, as elsewhere: two more writes for each trip through a queue.
//! * *Counting wakes* instead of the SCHEDULED flag: it saves the write of a poll without a wake,
//!   and makes an overflow of the count a case to argue about.
//! * *The result in a channel to the handle:* a second allocation for each task.

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

/// The services that a task needs of its scheduler. Each cell holds one, so it should be small; it
/// is cloned for each call that takes a runnable, so that should cost nothing.
///
/// A scheduler in a cell is dropped with the cell, which wakers and handles may keep for long after
/// the runtime's end. None of its methods is called any more once the task is complete and has been
/// released.
pub(crate) trait Schedule: Clone + Send + Sync + 'static {
    /// Queues a task that was woken while it was idle. Called on any thread, also while the runtime
    /// ends: then the runnable may be cancelled, or left where the end will find it.
    fn schedule(&self, task: Runnable);

    /// Queues a task that was woken during its own poll, behind everything that waits. Called where
    /// it was polled.
    fn reschedule(&self, task: Runnable);

    /// Takes a task that is complete off the registry, and returns the life reference if it was
    /// listed there. Called once for each task, where it completed, after its joiner was woken. A
    /// task that is bound to another registry than the one that this looks into must not be given
    /// this scheduler.
    fn release(&self, task: &TaskRef) -> Option<TaskRef>;

    /// Learns of a panic of the task's future, in a poll or when it was dropped. Called where that
    /// was, before the task is complete.
    fn panicked(&self, task: &TaskRef, payload: &(dyn Any + Send)) {
        let _ = (task, payload);
    }
}

// The part of a task that is the same for every future and every scheduler, at the start of its
// allocation.
//
// All code that does not have to know the future's type works on this part, through
// `NonNull<Header>`. Such a pointer is derived from the one that the allocator returned, so that
// it reaches the whole cell; a reference to the header would not. Where a cell may be freed, a
// `NonNull<Header>` is passed as well, never a `&Header`: a reference passed to a function
// promises to stay valid until the function returns.

/// The type-independent part of a task. The fields that a wake and a poll touch come last, where
/// the scheduler and the future are next to it.
#[repr(C)]
pub(crate) struct Header {
    /// Neighbours in the registry. Under the lock of the shard that `listed_in` names.
    pub(super) links: UnsafeCell<ListLinks>,
    /// The waker to wake when the task is complete.
    pub(super) join_slot: JoinSlot,
    /// Where it was spawned; its name, and its counts. Which of them there are never changes.
    pub(super) provenance: Provenance,
    /// The next in the queue that the runnable is in, or the task's wait. Belongs to the holder of
    /// the runnable, and to the machine that runs the task.
    pub(super) queue_link: QueueLink,
    pub(super) id: Id,
    pub(super) state: State,
    pub(super) vtable: &'static VTable,
    /// The shard that counts this task as live. It stays in its list until it is removed or taken.
    pub(super) listed_in: ListedIn,
    /// The contents of the body. This cell stands for the body as well: it belongs to the machine
    /// that runs the task; once the task is complete, to the join handle if it was there to see
    /// that, else to the side that completed it.
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

    /// The link to the next, for the queue that holds the runnable.
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

/// The functions that depend on the types of the future and the scheduler. Functions over the
/// future get the body's address and know nothing of the scheduler; functions over the scheduler
/// get the header's and know nothing of the future. So a program with many kinds of future compiles
/// little for each.
pub(super) struct VTable {
    /// Polls the future in the body. If it is ready, drops it and puts the output in its place.
    pub(super) poll: unsafe fn(NonNull<()>, *mut Content, &mut Context<'_>) -> Poll<()>,
    /// Drops the future in the body.
    pub(super) drop_future: unsafe fn(NonNull<()>),
    /// Drops the output in the body, where that does anything.
    pub(super) drop_output: Option<unsafe fn(NonNull<()>)>,
    /// [`Schedule::schedule`](super::Schedule::schedule), with the caller's runnable.
    pub(super) schedule: unsafe fn(NonNull<Header>),
    /// [`Schedule::reschedule`](super::Schedule::reschedule), with the caller's runnable.
    pub(super) reschedule: unsafe fn(NonNull<Header>),
    /// [`Schedule::release`](super::Schedule::release).
    pub(super) release: unsafe fn(NonNull<Header>) -> Option<TaskRef>,
    /// [`Schedule::panicked`](super::Schedule::panicked).
    pub(super) panicked: unsafe fn(NonNull<Header>, &(dyn Any + Send)),
    /// Drops the scheduler in the cell, where that does anything.
    pub(super) drop_scheduler: Option<unsafe fn(NonNull<Header>)>,
    /// Bytes from the header to the body.
    pub(super) body_offset: usize,
    /// The whole cell's.
    pub(super) layout: Layout,
}
