//! A timer as a console resource: its kind, the place where it was created, the task that waits for
//! the timer, and for how long.
//!
//! The timer is shown from the first wait on. A timeout that ends before its timer was polled costs
//! no span.

use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::task::Poll;
use std::time::Duration;

use tracing::span::EnteredSpan;
use tracing::{Span, trace, trace_span};

/// The spans of one timer.
#[derive(Debug)]
pub(crate) struct TimerSpan {
    concrete_type: &'static str,
    /// The operation that makes a task wait, and the name of one poll of the operation.
    source: &'static str,
    poll: &'static str,
    made_at: &'static Location<'static>,
    /// The spans, created at the first wait if a subscriber wants to see them.
    spans: Option<Box<Spans>>,
}

#[derive(Debug)]
struct Spans {
    resource: Span,
    operation: Span,
    poll: Span,
}

/// The entered spans of a poll, innermost first, so that the innermost span is left first.
pub(crate) type EnteredPoll = [EnteredSpan; 3];

// Whether a timer may cross a `catch_unwind` is not to depend on a feature. Subscribers are called
// from everywhere, and see to it themselves that they stay in order.
impl UnwindSafe for TimerSpan {}
impl RefUnwindSafe for TimerSpan {}

impl TimerSpan {
    #[track_caller]
    pub(crate) fn new(concrete_type: &'static str, source: &'static str, poll: &'static str) -> Self {
        Self { concrete_type, source, poll, made_at: Location::caller(), spans: None }
    }

    /// Shows that a poll of the timer begins, `remaining` before its deadline.
    pub(crate) fn enter(&mut self, remaining: impl Fn() -> Duration) -> Option<EnteredPoll> {
        if self.spans.is_none() {
            self.spans = self.open();
            self.set(remaining);
        }
        let spans = self.spans.as_ref()?;
        let resource = spans.resource.clone().entered();
        let operation = spans.operation.clone().entered();
        let poll = spans.poll.clone().entered();
        Some([poll, operation, resource])
    }

    /// Shows the outcome of the poll.
    pub(crate) fn leave(&self, entered: Option<EnteredPoll>, outcome: Poll<()>) {
        if entered.is_some() {
            trace!(target: "runtime::resource::poll_op", op_name = self.poll, is_ready = outcome.is_ready());
        }
    }

    /// Shows a new deadline, `remaining` from now.
    pub(crate) fn set(&self, remaining: impl Fn() -> Duration) {
        let Some(spans) = &self.spans else { return };
        let _resource = spans.resource.enter();
        let milliseconds = u64::try_from(remaining().as_millis()).unwrap_or(u64::MAX);
        trace!(
            target: "runtime::resource::state_update",
            duration = milliseconds,
            duration.unit = "ms",
            duration.op = "override",
        );
    }

    /// Creates the spans, nested as the console expects them.
    fn open(&self) -> Option<Box<Spans>> {
        let resource = self.resource();
        if resource.is_disabled() {
            return None;
        }
        let _resource = resource.clone().entered();
        let operation = trace_span!(target: "tokio::time", "runtime.resource.async_op", source = self.source, inherits_child_attrs = false);
        let _operation = operation.clone().entered();
        let poll = trace_span!(target: "tokio::time", "runtime.resource.async_op.poll");
        Some(Box::new(Spans { resource, operation, poll }))
    }

    fn resource(&self) -> Span {
        trace_span!(
            target: "tokio::time",
            parent: None,
            "runtime.resource",
            concrete_type = self.concrete_type,
            kind = "timer",
            is_internal = false,
            inherits_child_attrs = false,
            loc.file = self.made_at.file(),
            loc.line = self.made_at.line(),
            loc.col = self.made_at.column(),
        )
    }
}
