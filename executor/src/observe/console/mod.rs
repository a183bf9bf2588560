//! Feature `console`: shows tasks and timers as `tracing` spans and events, under the names that
//! tokio-console expects.
//!
//! The names are tokio's, because the console recognises tasks and timers by them: nothing here
//! says "wsrt". The console shows:
//!
//! | shown | as |
//! |---|---|
//! | a task, a blocking job, a `block_on` | the span `runtime.spawn`, open for as long as its future exists |
//! | a poll, and the drop of the future | that span is entered |
//! | the operations on its wakers | events that name the span |
//! | a timer that is waited for | the span `runtime.resource`, and one for the wait, entered while it is polled |
//!
//! Locks and channels are shown by `wsrt-sync`, in its own `console/`, with the same spans.
//!
//! The feature stays outside the task cell: a task is watched by a future around its own
//! ([`Instrumented`]). The subscriber is asked once, when the task is spawned, whether it wants to
//! see the task. If not, all that remains is one word next to the future, which each poll checks.
//!
//! The subscriber must be the process's default subscriber, because wakers are used on any thread.

#[cfg(test)]
mod tests;
mod timer;

use std::any::type_name;
use std::future::Future;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use pin_project_lite::pin_project;
use tracing::{Span, span, trace_span};

pub(crate) use timer::TimerSpan;

pin_project! {
    /// The future comes first, since fields are dropped in their order: its end is shown once it
    /// has ended.
    #[derive(Debug)]
    pub(crate) struct Instrumented<F> {
        #[pin]
        future: F,
        watch: Option<Box<SpanWatch>>,
    }

    impl<F> PinnedDrop for Instrumented<F> {
        fn drop(this: Pin<&mut Self>) {
            if let Some(watch) = this.project().watch {
                watch.enter_until_dropped();
            }
        }
    }
}

/// The additional state of a watched task.
#[derive(Debug)]
struct SpanWatch {
    span: Span,
    /// The state of the task's wakers, created at the first poll.
    waking: Option<Arc<Waking>>,
    /// True while the future is being dropped.
    is_entered: bool,
}

impl<F> Instrumented<F> {
    pub(crate) fn new(future: F, span: Span) -> Self {
        let watch = (!span.is_disabled()).then(|| Box::new(SpanWatch { span, waking: None, is_entered: false }));
        Self { future, watch }
    }
}

impl SpanWatch {
    /// Updates the waker for this poll. A task has the same waker in all of its polls; the future
    /// of a `block_on` gets another waker if its runtime ends during the wait.
    fn rewaken(&mut self, waker: &Waker) {
        if !self.waking.as_ref().is_some_and(|waking| waking.leads_to(waker)) {
            self.waking = self.span.id().map(|id| Arc::new(Waking::new(id, waker.clone())));
        }
    }

    fn lend(&self) -> Option<LentWaker<'_>> {
        self.waking.as_ref().map(Waking::lend)
    }

    /// Enters the span for the future's destructor, whose events are the task's.
    fn enter_until_dropped(&mut self) {
        self.span.with_subscriber(|(id, subscriber)| subscriber.enter(id));
        self.is_entered = true;
    }
}

impl Drop for SpanWatch {
    fn drop(&mut self) {
        if self.is_entered {
            self.span.with_subscriber(|(id, subscriber)| subscriber.exit(id));
        }
    }
}

impl<F: Future> Future for Instrumented<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let Some(watch) = this.watch else { return this.future.poll(context) };
        watch.rewaken(context.waker());
        let Some(waker) = watch.lend() else { return this.future.poll(context) };
        let _entered = watch.span.enter();
        this.future.poll(&mut Context::from_waker(&waker))
    }
}

/// Wraps a task's future in a span, if a subscriber wants the span.
///
/// `User` is the type of the future or closure passed by the user, without any wrappers. `kind` is
/// a word that tokio-console knows: "task", "local" or "blocking".
pub(crate) fn watch<User, F>(
    future: F,
    kind: &'static str,
    task: u64,
    name: Option<&str>,
    spawned_at: &'static Location<'static>,
) -> Instrumented<F> {
    Instrumented::new(future, span::<User>(kind, || task, name, spawned_at))
}

/// Wraps the future of a `block_on`, which is no task, in a span. `next_id` creates an ID for it.
#[track_caller]
pub(crate) fn watch_block_on<F>(future: F, next_id: impl FnOnce() -> u64) -> Instrumented<F> {
    Instrumented::new(future, span::<F>("block_on", next_id, None, Location::caller()))
}

/// The fields of both spans, whose targets differ and must be literals.
macro_rules! spawn_span {
    ($target:literal, $user:ident, $kind:ident, $function:ident, $task:expr, $name:ident, $spawned_at:ident) => {
        trace_span!(
            target: $target,
            parent: None,
            "runtime.spawn",
            kind = %$kind,
            task.name = $name.map(tracing::field::display),
            task.id = $task,
            "fn" = $function.map(tracing::field::display),
            size.bytes = size_of::<$user>(),
            loc.file = $spawned_at.file(),
            loc.line = $spawned_at.line(),
            loc.col = $spawned_at.column(),
        )
    };
}

/// Creates a span. `task` is called only if the subscriber wants the span.
fn span<User>(kind: &str, task: impl FnOnce() -> u64, name: Option<&str>, spawned_at: &Location<'_>) -> Span {
    let function = (kind == "blocking").then(type_name::<User>);
    if function.is_some() {
        spawn_span!("tokio::task::blocking", User, kind, function, task(), name, spawned_at)
    } else {
        spawn_span!("tokio::task", User, kind, function, task(), name, spawned_at)
    }
}

/// The vtable of all wakers, a single one so that [`Waker::will_wake`] is exact.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// The state that all wakers of one task share, reference-counted by each waker. Each operation on
/// a waker is shown before it is done.
///
/// Clones and drops are shown too, because the console counts them and warns of a waiting task
/// without any waker. The waker that a poll lends is neither a clone nor dropped.
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

    fn leads_to(&self, waker: &Waker) -> bool {
        self.waker.will_wake(waker)
    }

    /// Returns a waker for the duration of a poll.
    pub(crate) fn lend(self: &Arc<Self>) -> LentWaker<'_> {
        let raw = RawWaker::new(Arc::as_ptr(self).cast(), &VTABLE);
        // SAFETY: the functions of the table keep the contract of `RawWaker`. That this one is not
        // dropped stands for the count that it does not own, and `self` outlives it.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(raw) });
        LentWaker { waker, owner: PhantomData }
    }
}

/// A waker that owns no reference count.
pub(crate) struct LentWaker<'a> {
    waker: ManuallyDrop<Waker>,
    owner: PhantomData<&'a Waking>,
}

impl Deref for LentWaker<'_> {
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
