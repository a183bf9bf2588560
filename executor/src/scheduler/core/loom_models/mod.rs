//! Models of the machines: every interleaving of threads that publish work and machines that go to
//! sleep.

mod idle;
mod leaving;
mod parker;
mod poll_owner;
mod presence;
mod scene;
mod size;
mod sleeping;
mod spares;

use loom::model::Builder;

/// Walks through all interleavings in which no more than `preemptions` threads are interrupted
/// where they would not wait.
pub(crate) fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
