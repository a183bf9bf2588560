//! One seed is one run of a simulated runtime, step for step, and every task does in it what it
//! does on threads.

mod blocking;
mod determinism;
mod ends;
mod progress;
mod time;
mod workload;

use wsrt::runtime::{Builder, Runtime};

/// A runtime with four processors.
fn simulated(seed: u64) -> Runtime {
    with_processors(seed, 4)
}

fn with_processors(seed: u64, processors: usize) -> Runtime {
    Builder::new_simulated(seed).worker_threads(processors).build().expect("it takes a few descriptors")
}

const fn may_move_and_be_shared<T: Send + Sync + Unpin>() {}

const _: () = may_move_and_be_shared::<wsrt::sim::Record>();
