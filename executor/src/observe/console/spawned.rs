//! The span of a future, created when the future is spawned.

use std::any::type_name;
use std::panic::Location;

use tracing::{Span, trace_span};

use super::instrumented::Instrumented;

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
