//! What the console is told of a future when it is spawned.

use std::any::type_name;
use std::panic::Location;
use std::rc::Rc;

use tracing::{Span, trace_span};

use super::instrumented::Instrumented;
use crate::scheduler::Context;
use crate::task::{Id, Origin};

/// What sort of thing is spawned. The words are those that tokio-console knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    word: &'static str,
    /// Bytes of what the user has handed over, without what is put around it.
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

/// Keeps the context for as long as a spawn takes: what the subscriber does then is somebody else's
/// code, and might drop the guard that keeps it.
pub(crate) fn keep(here: Option<&Context>) -> Option<Rc<Context>> {
    here.and_then(Context::keep)
}

/// Puts a span around a task's future, if there is a subscriber that wants one.
pub(crate) fn watch<F>(future: F, kind: Kind, id: Id, origin: Origin<'_>) -> Instrumented<F> {
    Instrumented::new(future, span(kind, || id, origin))
}

/// The same for a future that is no task, and gets an id for the occasion.
#[track_caller]
pub(crate) fn watch_block_on<F>(future: F) -> Instrumented<F> {
    Instrumented::new(future, span(Kind::block_on::<F>(), Id::next, Location::caller().into()))
}

/// The fields of both spans, which differ in their targets: those have to be literals.
macro_rules! spawn_span {
    ($target:literal, $kind:ident, $id:expr, $origin:ident) => {
        trace_span!(
            target: $target,
            parent: None,
            "runtime.spawn",
            kind = %$kind.word,
            task.name = $origin.name.map(tracing::field::display),
            task.id = $id.as_u64(),
            "fn" = $kind.function.map(tracing::field::display),
            size.bytes = $kind.size,
            loc.file = $origin.spawned_at.file(),
            loc.line = $origin.spawned_at.line(),
            loc.col = $origin.spawned_at.column(),
        )
    };
}

/// `id` is called if somebody is interested.
fn span(kind: Kind, id: impl FnOnce() -> Id, origin: Origin<'_>) -> Span {
    if kind.function.is_some() {
        spawn_span!("tokio::task::blocking", kind, id(), origin)
    } else {
        spawn_span!("tokio::task", kind, id(), origin)
    }
}
