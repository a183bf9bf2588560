//! One seed is one run of a simulated runtime, step for step, and every task does in it what it
//! does on threads.

mod answers;
mod as_on_linux;
mod background;
mod between_hosts;
mod blocking;
mod cancellations;
mod copies;
mod costs;
mod determinism;
mod disk;
mod ends;
mod failures;
mod faults;
mod full_buffers;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod handed_over;
mod host_faults;
mod late_words;
mod links;
mod lives;
mod many_processors;
mod network;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod passive;
mod plans;
mod progress;
mod ready_events;
#[cfg(target_os = "linux")]
mod refusals;
mod replicated_log;
#[cfg(unix)]
mod runner;
mod scopes;
mod seeded;
mod skew;
mod steps_of_a_request;
mod stuck;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod system;
mod time;
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod timed_waits;
mod trace;
mod tracks;
#[cfg(target_os = "linux")]
mod unix_sockets;
mod workload;

use wsrt::runtime::{Builder, Runtime};

// This program has the C library's functions of the simulation: `wsrt::sim::interpose!()` stands in
// the example, examples/replicated_log.rs.

/// A runtime with four processors.
fn simulated(seed: u64) -> Runtime {
    with_processors(seed, 4)
}

fn with_processors(seed: u64, processors: usize) -> Runtime {
    Builder::new_simulated(seed).worker_threads(processors).build().expect("it takes a few descriptors")
}

const fn may_move_and_be_shared<T: Send + Sync + Unpin>() {}

const _: () = {
    may_move_and_be_shared::<wsrt::sim::Record>();
    may_move_and_be_shared::<wsrt::sim::Sim>();
    may_move_and_be_shared::<wsrt::sim::Disk>();
    may_move_and_be_shared::<wsrt::sim::Faults>();
    may_move_and_be_shared::<wsrt::sim::Link>();
    may_move_and_be_shared::<wsrt::sim::Costs>();
    may_move_and_be_shared::<wsrt::sim::Skew>();
    may_move_and_be_shared::<wsrt::sim::Latency>();
    may_move_and_be_shared::<wsrt::sim::Plan>();
    may_move_and_be_shared::<wsrt::sim::PlanError>();
};
