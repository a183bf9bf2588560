//! Wakers: a counted reference to the cell each, but for the one that a poll lends; and the
//! consequences of a wake.

use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::cell::Header;
use super::state::Woken;
use super::{Id, allocation, lifecycle};

/// One table for all tasks: a waker needs to know neither future nor scheduler. That makes
/// [`Waker::will_wake`] exact.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// A waker that owns no reference, for the time of a poll.
///
/// # Safety
///
/// The cell stays alive while the answer is used, and the answer is not dropped.
pub(super) unsafe fn borrowed(task: NonNull<Header>) -> ManuallyDrop<Waker> {
    // SAFETY: the functions of the table keep the contract of `RawWaker`; that it is not dropped
    // stands for the reference that it does not have.
    ManuallyDrop::new(unsafe { Waker::from_raw(raw(task)) })
}

/// Returns the task that `waker` wakes, if the waker is wsrt's.
pub(crate) fn task_woken_by(waker: &Waker) -> Option<Id> {
    ptr::eq(waker.vtable(), &VTABLE).then(|| {
        // SAFETY: the table belongs to wakers made here.
        let task = unsafe { task_of(waker.data()) };
        // SAFETY: the waker keeps the cell alive.
        unsafe { task.as_ref() }.id
    })
}

/// Where a task's cell is: to be compared, and never followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TaskAddress(usize);

impl TaskAddress {
    pub(super) fn of(header: &Header) -> Self {
        Self((&raw const *header).addr())
    }

    /// Returns the address of the task that a waker made of these parts would wake, if the waker
    /// were wsrt's.
    pub(super) fn of_waker(data: *const (), vtable: *const RawWakerVTable) -> Option<Self> {
        Self::of_addresses(data.addr(), vtable.addr())
    }

    /// Returns the address of the task that a waker with parts at these addresses would wake.
    pub(crate) fn of_addresses(data: usize, vtable: usize) -> Option<Self> {
        (vtable == (&raw const VTABLE).addr()).then_some(Self(data))
    }
}

fn raw(task: NonNull<Header>) -> RawWaker {
    RawWaker::new(task.as_ptr().cast_const().cast(), &VTABLE)
}

/// # Safety
///
/// `data` belongs to a waker made here.
unsafe fn task_of(data: *const ()) -> NonNull<Header> {
    // SAFETY: `raw` put a pointer there that is not null.
    unsafe { NonNull::new_unchecked(data.cast_mut().cast()) }
}

/// Carries out the duties of a wake or an abort.
///
/// # Safety
///
/// `woken` is the word's answer; the caller has not acted on it.
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

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: called by a waker made here.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker being cloned keeps the cell alive.
    unsafe { task.as_ref() }.state.add_reference();
    raw(task)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: called by a waker made here.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker keeps the cell alive until the word has been changed.
    let woken = unsafe { task.as_ref() }.state.wake_and_drop_reference();
    // SAFETY: the answer is fresh.
    unsafe { settle(task, woken) };
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: called by a waker made here.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker keeps the cell alive.
    let woken = unsafe { task.as_ref() }.state.wake();
    // SAFETY: the answer is fresh.
    unsafe { settle(task, woken) };
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: called by a waker made here.
    let task = unsafe { task_of(data) };
    // SAFETY: the waker gives up its reference.
    unsafe { lifecycle::drop_references(task, 1) };
}
