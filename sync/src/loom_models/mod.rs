//! loom models of the atomic words and the wait lists, which explore every interleaving of a few
//! threads.

mod batch_semaphore;
mod broadcast;
mod cancellation;
mod mpmc;
mod mpsc;
mod notify;
mod once;
mod oneshot;
mod short_lock;
mod watch;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

fn explore(model: impl Fn() + Send + Sync + 'static) {
    explore_with(3, model);
}

/// Runs a model with so many steps that only a few preemptions per run can be explored.
fn explore_with(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Polls a future once, with a waker that does nothing, and drops it. Returns `true` if it was
/// ready.
fn poll_and_drop(future: impl Future) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}
