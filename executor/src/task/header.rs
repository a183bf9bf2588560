//! The part of a task that is the same for every future and every scheduler, at the start of its
//! allocation.
//!
//! All code that does not have to know the future's type works on this part, through
//! `NonNull<Header>`. Such a pointer is derived from the one that the allocator returned, so that
//! it reaches the whole cell; a reference to the header would not. Where a cell may be freed, a
//! `NonNull<Header>` is passed as well, never a `&Header`: a reference passed to a function
//! promises to stay valid until the function returns.

use std::alloc::Layout;
use std::any::Any;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::body::Content;
use super::identity::Identity;
use super::join::JoinSlot;
use super::provenance::Provenance;
use super::queue_link::QueueLink;
use super::state::State;
use super::{Id, TaskRef};
use crate::task::registry::{Links, ListedIn};
use crate::task::stats::TaskCounts;
use crate::util::sync::UnsafeCell;
use crate::util::sync::atomic::AtomicPtr;

/// The type-independent part of a task. The fields that a wake and a poll touch come last, where
/// the scheduler and the future are next to it.
#[repr(C)]
pub(crate) struct Header {
    /// Neighbours in the registry. Under the lock of the shard that `listed_in` names.
    pub(super) links: UnsafeCell<Links>,
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
            links: UnsafeCell::new(Links::default()),
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
