//! Wakers, and the work that follows a wake. A waker is a counted reference to the cell; the waker
//! that a poll lends is not counted.

use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::task::{RawWaker, RawWakerVTable, Waker};

use wsrt_sync::current_task::LockOwner;

use super::cell::{self, Header};
use super::state::{TaskPhase, Woken};
use super::{Id, lifecycle};

/// The one table for all tasks, since a waker depends on no type. So [`Waker::will_wake`] is exact.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// Creates a waker for the time of a poll, which owns no reference.
///
/// # Safety
///
/// The cell stays alive while the waker is used, and the waker is not dropped.
pub(super) unsafe fn borrowed(task: NonNull<Header>) -> ManuallyDrop<Waker> {
    // SAFETY: the functions of the table keep the contract of `RawWaker`. The waker has no
    // reference to give back, and is not dropped.
    ManuallyDrop::new(unsafe { Waker::from_raw(raw(task)) })
}

/// Returns the task that `waker` wakes, if the waker is wsrt's.
pub(crate) fn task_woken_by(waker: &Waker) -> Option<Id> {
    ptr::eq(waker.vtable(), &VTABLE).then(|| {
        // SAFETY: only wakers of this module have the table.
        let task = unsafe { task_of(waker.data()) };
        // SAFETY: the waker keeps the cell alive.
        unsafe { task.as_ref() }.id
    })
}

/// Returns whether `waker` is the only waker of the wsrt task `owner`, which waits, so that nothing
/// else can wake the task. An abort handle counts as a waker.
///
/// A caller that keeps the waker from being woken knows that the answer `true` stays true, unless
/// the task is aborted by its join handle: a waker is only cloned from another one.
pub(crate) fn is_last_waker(waker: &Waker, owner: LockOwner) -> bool {
    ptr::eq(waker.vtable(), &VTABLE) && {
        // SAFETY: only wakers of this module have the table.
        let task = unsafe { task_of(waker.data()) };
        // SAFETY: the waker keeps the cell alive.
        let header = unsafe { task.as_ref() };
        let seen = header.state.look();
        owner.task() == Some(header.id.number()) && seen.phase == TaskPhase::Idle && seen.wakers == 1
    }
}

/// The address of a task's cell, which is compared and never followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TaskAddress(usize);

impl TaskAddress {
    pub(super) fn of(header: &Header) -> Self {
        Self((&raw const *header).addr())
    }

    /// Returns the address of the task that a waker with these parts wakes, if the waker is wsrt's.
    pub(super) fn of_waker(data: *const (), vtable: *const RawWakerVTable) -> Option<Self> {
        Self::of_addresses(data.addr(), vtable.addr())
    }

    /// Returns the address of the task that a waker wakes whose parts have these addresses.
    pub(crate) fn of_addresses(data: usize, vtable: usize) -> Option<Self> {
        (vtable == (&raw const VTABLE).addr()).then_some(Self(data))
    }
}

/// Returns the parts of a waker of the task. The waker stands for a reference, which is counted or
/// lent.
pub(super) fn raw(task: NonNull<Header>) -> RawWaker {
    RawWaker::new(task.as_ptr().cast_const().cast(), &VTABLE)
}

/// # Safety
///
/// `data` belongs to a waker of this module.
unsafe fn task_of(data: *const ()) -> NonNull<Header> {
    // SAFETY: `raw` stored a pointer that is not null.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

/// Does what a wake or an abort has left to its caller.
///
/// # Safety
///
/// The state word returned `woken` for this task, and the caller has not acted on it.
#[inline]
pub(super) unsafe fn settle(task: NonNull<Header>, woken: Woken) {
    match woken {
        Woken::Nothing => {}
        // SAFETY: this wake created the runnable, so the task is unfinished and alive.
        Woken::Submit => unsafe { submit(task) },
        // SAFETY: the wake dropped the last reference.
        Woken::Free => unsafe { cell::deallocate(task) },
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

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: called by a waker of this module.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker being cloned keeps the cell alive.
    unsafe { task.as_ref() }.state.add_reference();
    raw(task)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: called by a waker of this module.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker keeps the cell alive until the word has been changed.
    let woken = unsafe { task.as_ref() }.state.wake_and_drop_reference();
    // SAFETY: the state word has just returned `woken`.
    unsafe { settle(task, woken) };
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: called by a waker of this module.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker keeps the cell alive.
    let woken = unsafe { task.as_ref() }.state.wake();
    // SAFETY: the state word has just returned `woken`.
    unsafe { settle(task, woken) };
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: called by a waker of this module.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker gives up its reference.
    unsafe { lifecycle::drop_references(task, 1) };
}
