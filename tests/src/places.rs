//! The places from which a parallel call may be made.

use std::sync::mpsc::{Receiver, channel};

use wsrt::runtime::{Builder, Runtime, Stall};

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

/// True where the stacks of stalls are captured.
pub const HAS_STACKS: bool =
    cfg!(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "aarch64", target_arch = "x86_64")));

/// A runtime with this many processors, and the stalls that its hook is given.
///
/// # Panics
///
/// Panics if it cannot be built.
#[must_use]
pub fn watched(processors: usize) -> (Runtime, Receiver<Stall>) {
    let (report, reports) = channel();
    let hook = move |stall: &Stall| drop(report.send(stall.clone()));
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(processors).on_stall(hook).on_report(|report| eprintln!("wsrt: {report}"));
    (builder.build().expect("a runtime"), reports)
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
