//! The span of a future, made when it is spawned.

use std::any::type_name;
use std::panic::Location;

use tracing::{Span, trace_span};

use super::instrumented::Instrumented;

/// The kind of the spawned thing, in the words that tokio-console knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    word: &'static str,
    /// The size of the user's future or closure, without the runtime's wrappers, in bytes.
    size: usize,
    /// The closure's type, where there is one to be named.
    function: Option<&'static str>,
}

impl Kind {
    pub(crate) fn task<F>() -> Self {
        Self { word: "task", size: size_of::<F>(), function: None }
    }

    pub(crate) fn local<F>() -> Self {
        Self { word: "local", ..Self::task::<F>() }
    }

    pub(crate) fn blocking<F>() -> Self {
        Self { word: "blocking", function: Some(type_name::<F>()), ..Self::task::<F>() }
    }

    fn block_on<F>() -> Self {
        Self { word: "block_on", ..Self::task::<F>() }
    }
}

/// Puts a span around a task's future, if there is a subscriber that wants one.
pub(crate) fn watch<F>(
    future: F,
    kind: Kind,
    task: u64,
    name: Option<&str>,
    spawned_at: &'static Location<'static>,
) -> Instrumented<F> {
    Instrumented::new(future, span(kind, || task, name, spawned_at))
}

/// Puts a span around the future of a `block_on`, which is no task: `next_id` makes an id for it.
#[track_caller]
pub(crate) fn watch_block_on<F>(future: F, next_id: impl FnOnce() -> u64) -> Instrumented<F> {
    Instrumented::new(future, span(Kind::block_on::<F>(), next_id, None, Location::caller()))
}

/// The fields of both spans, which differ in their targets: those have to be literals.
macro_rules! spawn_span {
    ($target:literal, $kind:ident, $task:expr, $name:ident, $spawned_at:ident) => {
        trace_span!(
            target: $target,
            parent: None,
            "runtime.spawn",
            kind = %$kind.word,
            task.name = $name.map(tracing::field::display),
            task.id = $task,
            "fn" = $kind.function.map(tracing::field::display),
            size.bytes = $kind.size,
            loc.file = $spawned_at.file(),
            loc.line = $spawned_at.line(),
            loc.col = $spawned_at.column(),
        )
    };
}

/// Makes a span. `task` is called only if the subscriber wants the span.
fn span(kind: Kind, task: impl FnOnce() -> u64, name: Option<&str>, spawned_at: &Location<'_>) -> Span {
    if kind.function.is_some() {
        spawn_span!("tokio::task::blocking", kind, task(), name, spawned_at)
    } else {
        spawn_span!("tokio::task", kind, task(), name, spawned_at)
    }
}
