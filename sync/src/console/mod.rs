//! Feature `console`: shows locks and channels as resources of tokio-console, with the tasks that
//! wait for them.
//!
//! | shown | as |
//! |---|---|
//! | a lock or channel | the span `runtime.resource`, from the first wait for it until it is dropped |
//! | a wait | the span `runtime.resource.async_op`, from the first pending poll until the wait ends |
//! | a poll that leaves the task waiting, and the poll that ends the wait | that span is entered, and an event `poll_op` names the outcome |
//! | the state: `locked`, `permits`, `queued`, … and how many are `waiting` | events `state_update`, each with the new value |
//!
//! The names are tokio's, as in wsrt's own `observe/console`. The console takes the task from the
//! span in which the events come: the span of the task that is polled.
//!
//! A lock is shown when a task first has to wait for it. Until then, and for good if no subscriber
//! wants to see the lock, the console costs a few words in the lock and one in each of its
//! futures. The constructors stay `const`, and a program with thousands of locks that
//! nobody waits for does not fill the console. A channel with a task in `closed` is shown as two
//! resources: the task waits for a [`Notify`](crate::Notify) beside the channel.
//!
//! No subscriber is called with a lock held. A subscriber may use these channels itself, and is
//! not told of what it does there while it is being told of something: see [`Telling`].

mod permits;

pub(crate) use permits::PermitsResource;

use crate::wait::{Place, WaitKind};
use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe};
// std's on purpose: no protocol depends on it.
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use tracing::{Span, trace, trace_span};

/// The resource as which a lock or channel is shown, once a task has waited for it.
#[derive(Debug)]
pub(crate) struct Resource(OnceLock<Arc<ResourceSpan>>);

#[derive(Debug)]
pub(crate) struct ResourceSpan {
    span: Span,
    /// The kind of the first wait, which tells what the resource is.
    kind: WaitKind,
    /// The number of waits that are shown.
    waiting: AtomicUsize,
}

/// The wait of a future, if it waits and is shown.
#[derive(Debug)]
pub(crate) struct AsyncOp(Option<Box<AsyncOpSpans>>);

#[derive(Debug)]
struct AsyncOpSpans {
    resource: Arc<ResourceSpan>,
    kind: WaitKind,
    operation: Span,
    poll: Span,
}

// Whether a lock may cross a `catch_unwind` is not to depend on a feature. Subscribers are called
// from everywhere, and see to it themselves that they stay in order.
impl UnwindSafe for Resource {}
impl RefUnwindSafe for Resource {}
impl UnwindSafe for AsyncOp {}
impl RefUnwindSafe for AsyncOp {}

impl Resource {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns the resource if it is shown.
    #[inline]
    pub(crate) fn shown(&self) -> Option<&ResourceSpan> {
        self.0.get().map(|resource| &**resource)
    }

    /// Shows that a wait begins, if a subscriber wants to see it.
    fn begin_wait(&self, kind: WaitKind, place: Place) -> Option<AsyncOpSpans> {
        let resource = Arc::clone(self.open(kind, place)?);
        let entered = resource.span.enter();
        let operation = trace_span!(
            target: "tokio::sync",
            "runtime.resource.async_op",
            source = names(kind).1,
            inherits_child_attrs = false,
        );
        let poll = operation.in_scope(|| trace_span!(target: "tokio::sync", "runtime.resource.async_op.poll"));
        show_waiting(resource.waiting.fetch_add(1, Relaxed) + 1);
        drop(entered);
        Some(AsyncOpSpans { resource, kind, operation, poll })
    }

    fn open(&self, kind: WaitKind, place: Place) -> Option<&Arc<ResourceSpan>> {
        if let Some(resource) = self.0.get() {
            return Some(resource);
        }
        let span = resource_span(names(kind).0, place);
        if span.is_disabled() {
            return None;
        }
        // If another thread is faster, this thread's span ends here.
        Some(self.0.get_or_init(|| Arc::new(ResourceSpan { span, kind, waiting: AtomicUsize::new(0) })))
    }
}

impl ResourceSpan {
    /// Lets `event` tell of a change to the resource.
    #[cold]
    pub(crate) fn tell(&self, event: impl FnOnce()) {
        let Some(_telling) = Telling::begin() else { return };
        self.span.in_scope(event);
    }
}

impl AsyncOp {
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// Shows that a poll leaves the task waiting for `resource`. Called with no lock held.
    pub(crate) fn pending(&mut self, resource: &Resource, kind: WaitKind, place: Place) {
        let Some(_telling) = Telling::begin() else { return };
        if self.0.is_none() {
            self.0 = resource.begin_wait(kind, place).map(Box::new);
        }
        if let Some(spans) = &self.0 {
            spans.show_poll(false);
        }
    }

    /// Shows that the wait, if there was one, has ended with this poll. Called with no lock held.
    #[inline]
    pub(crate) fn ready(&mut self) {
        if let Some(spans) = self.0.take() {
            spans.end();
        }
    }
}

impl AsyncOpSpans {
    fn show_poll(&self, is_ready: bool) {
        let _resource = self.resource.span.enter();
        let _operation = self.operation.enter();
        let _poll = self.poll.enter();
        trace!(target: "runtime::resource::poll_op", op_name = self.kind.name(), is_ready = is_ready);
    }

    #[cold]
    fn end(self) {
        if let Some(_telling) = Telling::begin() {
            self.show_poll(true);
        }
    }
}

impl Drop for AsyncOpSpans {
    fn drop(&mut self) {
        let waiting = self.resource.waiting.fetch_sub(1, Relaxed) - 1;
        self.resource.tell(|| show_waiting(waiting));
    }
}

fn show_waiting(count: usize) {
    trace!(target: "runtime::resource::state_update", waiting = count, waiting.op = "override");
}

fn resource_span(concrete_type: &str, place: Place) -> Span {
    trace_span!(
        target: "tokio::sync",
        parent: None,
        "runtime.resource",
        concrete_type = concrete_type,
        kind = "Sync",
        is_internal = false,
        inherits_child_attrs = false,
        loc.file = place.file(),
        loc.line = place.line(),
        loc.col = place.column(),
    )
}

/// Shows a new value of a part of the state, if the resource is shown. The value is not computed
/// otherwise. Used with no lock held that the value would take.
macro_rules! state {
    ($resource:expr, $name:ident = $value:expr) => {
        if let Some(shown) = $resource.shown() {
            shown.tell(|| {
                // A guard in the expression is gone before the subscriber is called.
                let value = $value;
                tracing::trace!(target: "runtime::resource::state_update", $name = value, $name.op = "override");
            });
        }
    };
}
pub(crate) use state;

thread_local! {
    static IS_TELLING: Cell<bool> = const { Cell::new(false) };
}

/// The thread's turn to call the subscriber. Turns do not nest: a subscriber that sends each event
/// through a channel would otherwise be told of that send, send again, and never stop.
struct Telling(());

impl Telling {
    fn begin() -> Option<Self> {
        (!IS_TELLING.replace(true)).then(|| Self(()))
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        IS_TELLING.set(false);
    }
}

/// Returns the type of the resource that a wait of this kind is for, and the operation that waits.
fn names(kind: WaitKind) -> (&'static str, &'static str) {
    match kind {
        WaitKind::Mutex => ("Mutex", "Mutex::lock"),
        WaitKind::RwLockRead => ("RwLock", "RwLock::read"),
        WaitKind::RwLockWrite => ("RwLock", "RwLock::write"),
        WaitKind::Semaphore => ("Semaphore", "Semaphore::acquire"),
        WaitKind::MpscReceive => ("mpsc", "Receiver::recv"),
        WaitKind::MpscSend => ("mpsc", "Sender::send"),
        WaitKind::MpscClosed => ("mpsc", "Sender::closed"),
        WaitKind::OneshotReceive => ("oneshot", "Receiver::await"),
        WaitKind::OneshotClosed => ("oneshot", "Sender::closed"),
        WaitKind::WatchChanged => ("watch", "Receiver::changed"),
        WaitKind::WatchClosed => ("watch", "Sender::closed"),
        WaitKind::BroadcastReceive => ("broadcast", "Receiver::recv"),
        WaitKind::BroadcastClosed => ("broadcast", "Sender::closed"),
        WaitKind::Notify => ("Notify", "Notify::notified"),
        WaitKind::Barrier => ("Barrier", "Barrier::wait"),
        WaitKind::OnceCell => ("OnceCell", "OnceCell::get_or_init"),
        WaitKind::SetOnce => ("SetOnce", "SetOnce::wait"),
        WaitKind::Cancellation => ("CancellationToken", "CancellationToken::cancelled"),
        WaitKind::MpmcReceive => ("mpmc", "Receiver::recv"),
        WaitKind::MpmcSend => ("mpmc", "Sender::send"),
        WaitKind::MpmcClosed => ("mpmc", "Sender::closed"),
    }
}
