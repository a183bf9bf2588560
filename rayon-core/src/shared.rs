//! Pools without threads of their own.

use std::any::Any;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use wsrt::team::PanicHook;

use crate::BroadcastContext;

/// Returns whether pools are to share that do not say so themselves.
pub(crate) fn is_asked_for() -> bool {
    env::var_os("WSRT_RAYON_SHARE").is_some_and(|value| value == "1")
}

/// What a pool without threads has of its own.
pub(crate) struct Shared {
    panic: Option<Arc<PanicHook>>,
}

impl Shared {
    pub(crate) fn new(panic: Option<PanicHook>) -> Self {
        Self { panic: panic.map(Arc::new) }
    }

    /// Makes the pool's handler get the panic of `op`, for which no thread waits.
    pub(crate) fn guard(&self, op: impl FnOnce() + Send + 'static) -> impl FnOnce() + Send + 'static {
        let panic = self.panic.clone();
        move || run(panic.as_deref(), op)
    }

    /// Does as [`guard`](Self::guard), for each thread that a broadcast reaches.
    pub(crate) fn guard_each<OP>(&self, op: OP) -> impl Fn(BroadcastContext<'_>) + Send + Sync + 'static
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        let panic = self.panic.clone();
        move |context| run(panic.as_deref(), || op(context))
    }
}

fn run(handler: Option<&PanicHook>, op: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(op)) {
        match handler {
            Some(handle) => handle_by(handle, payload),
            None => resume_unwind(payload),
        }
    }
}

/// As in a pool with threads, a panic of the handler ends the process.
fn handle_by(handle: &PanicHook, payload: Box<dyn Any + Send>) {
    if catch_unwind(AssertUnwindSafe(|| handle(payload))).is_err() {
        wsrt::team::abort_for_lost_panic();
    }
}
