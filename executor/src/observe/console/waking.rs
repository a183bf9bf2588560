//! A task's waker, as shown in the console: each operation on the waker is shown before it is done.
//!
//! Clones and drops are shown too, because the console counts them and warns of a waiting task
//! without any waker. The waker that a poll lends is neither a clone nor dropped.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use tracing::span;

/// The vtable of all wakers, a single one so that [`Waker::will_wake`] is exact.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// The state that all wakers of one task share, reference-counted by each waker.
///
/// The state holds a waker of the task, and the task's future holds the state. This cycle does not
/// keep itself alive, because a task drops its future when it ends.
#[derive(Debug)]
pub(crate) struct Waking {
    /// The ID of the task's span in the console. The span may be closed by now.
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

    /// Returns a waker for the duration of a poll.
    pub(crate) fn lend(self: &Arc<Self>) -> Lent<'_> {
        let raw = RawWaker::new(Arc::as_ptr(self).cast(), &VTABLE);
        // SAFETY: the functions of the table keep the contract of `RawWaker`. That this one is not
        // dropped stands for the count that it does not own, and `self` outlives it.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(raw) });
        Lent { waker, owner: PhantomData }
    }
}

/// A waker that owns no reference count.
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

/// Shows an operation on a task's waker.
macro_rules! tell {
    ($waking:expr, $what:literal) => {
        tracing::trace!(target: "tokio::task::waker", op = $what, task.id = $waking.span)
    };
}

/// Wakes the task when dropped: after the wake was shown, and also if the subscriber panics while
/// showing it, since a task cannot recover from a lost wake.
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
