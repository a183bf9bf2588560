//! The places from which a parallel call may be made.

use wsrt::runtime::{Builder, Runtime};

/// The numbers of processors on which parallel calls are tried: fewer than the machine has cores,
/// and more.
const PROCESSORS: [usize; 4] = [1, 2, 3, 8];

/// Makes a runtime with the given number of processors.
///
/// # Panics
///
/// Panics if it cannot be built.
#[must_use]
pub fn runtime_with(processors: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(processors).build().expect("a runtime")
}

/// Calls `body` in a task of each of several multi-thread runtimes, in a current-thread runtime,
/// and outside any.
///
/// # Panics
///
/// Panics with the panic of `body`.
pub fn in_every_runtime(body: fn()) {
    for processors in PROCESSORS {
        runtime_with(processors).run(async move { body() });
    }
    Builder::new_current_thread().build().expect("a runtime").block_on(async { body() });
    body();
}
