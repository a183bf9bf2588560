//! A task's waker as the console sees it: each operation on it is shown before it is done.
//!
//! Clones and drops are shown too, for the console counts them: a task that waits and has no waker
//! anywhere is lost, and the console warns of it. The waker that a poll lends is no clone, and is
//! not dropped.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use tracing::span;

/// One table for all, so that [`Waker::will_wake`] is exact.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// The part that the wakers of one task share: each owns a count of it.
///
/// It holds a waker of the task, and the task's future holds it. That is no ring that keeps itself
/// alive: a task drops its future when it ends.
#[derive(Debug)]
pub(crate) struct Waking {
    /// The task's span, by which the console knows it. It may be closed by now.
    span: u64,
    waker: Waker,
}

impl Waking {
    pub(crate) fn new(span: span::Id, waker: Waker) -> Self {
        Self { span: span.into_u64(), waker }
    }

    pub(crate) fn leads_to(&self, waker: &Waker) -> bool {
        self.waker.will_wake(waker)
    }

    /// A waker for the time of a poll.
    pub(crate) fn lend(self: &Arc<Self>) -> Lent<'_> {
        let raw = RawWaker::new(Arc::as_ptr(self).cast(), &VTABLE);
        // SAFETY: the functions of the table keep the contract of `RawWaker`. That this one is not
        // dropped stands for the count that it does not own, and `self` outlives it.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(raw) });
        Lent { waker, owner: PhantomData }
    }
}

/// A waker that owns no count.
pub(crate) struct Lent<'a> {
    waker: ManuallyDrop<Waker>,
    owner: PhantomData<&'a Waking>,
}

impl Deref for Lent<'_> {
    type Target = Waker;

    fn deref(&self) -> &Waker {
        &self.waker
    }
}

/// Shows an operation on a waker of a task.
macro_rules! tell {
    ($waking:expr, $what:literal) => {
        tracing::trace!(target: "tokio::task::waker", op = $what, task.id = $waking.span)
    };
}

/// Wakes when it is dropped: once the wake was shown, and also if the subscriber panics over that.
/// The task could not make up for a wake that is lost.
struct WakeAtEnd<'a>(&'a Waker);

impl Drop for WakeAtEnd<'_> {
    fn drop(&mut self) {
        self.0.wake_by_ref();
    }
}

/// # Safety
///
/// `data` belongs to a waker made here, which is alive while the answer is used.
unsafe fn waking<'a>(data: *const ()) -> &'a Waking {
    // SAFETY: the pointer comes from an `Arc`, which the waker owns a count of, or has been lent.
    unsafe { &*data.cast::<Waking>() }
}

/// # Safety
///
/// `data` belongs to a waker made here, which owns a count and gives it up.
unsafe fn into_waking(data: *const ()) -> Arc<Waking> {
    // SAFETY: the pointer comes from an `Arc`, and the count is handed over.
    unsafe { Arc::from_raw(data.cast::<Waking>()) }
}

unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: called by a waker made here.
    tell!(unsafe { waking(data) }, "waker.clone");
    // SAFETY: as in `waking`: the waker being cloned keeps it alive.
    unsafe { Arc::increment_strong_count(data.cast::<Waking>()) };
    RawWaker::new(data, &VTABLE)
}

unsafe fn wake(data: *const ()) {
    // SAFETY: called by a waker made here, which is used up.
    let waking = unsafe { into_waking(data) };
    let _wake = WakeAtEnd(&waking.waker);
    tell!(waking, "waker.wake");
}

unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: called by a waker made here.
    let waking = unsafe { waking(data) };
    let _wake = WakeAtEnd(&waking.waker);
    tell!(waking, "waker.wake_by_ref");
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: called by a waker made here, which is used up.
    let waking = unsafe { into_waking(data) };
    tell!(waking, "waker.drop");
}
