//! A timer as a resource of the console: its kind, the place where it was made, the task that waits
//! for it and how long.
//!
//! It is shown from the first wait on. A timeout that ends before its timer was polled costs
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
    /// The operation that makes a task wait, and the name of one poll of it.
    source: &'static str,
    poll: &'static str,
    made_at: &'static Location<'static>,
    /// From the first wait on, if there is a subscriber that wants to see it.
    spans: Option<Box<Spans>>,
}

#[derive(Debug)]
struct Spans {
    resource: Span,
    operation: Span,
    poll: Span,
}

/// A poll that is shown. The innermost span is the first, and so is left first.
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

    /// Begins to show a poll of the timer, which is `remaining` from its deadline.
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

    /// Shows that there is a deadline, `remaining` from now.
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

    /// The spans are made inside each other: the console goes by that.
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
