//! Running a simulation on its own thread, for values that std chooses once per thread.

use std::future::Future;
use std::panic::resume_unwind;
use std::thread;

use crate::runtime::Builder;
use crate::sim::Sim;
use crate::sim::environment::simulated_seed;
use wsrt_world::entropy::override_entropy;
use wsrt_world::virtual_time::override_time;

/// The reading of the clock since the start of the computer when a simulation begins, in
/// nanoseconds.
const UPTIME: u64 = 1_000_000_000_000_000;

/// Runs the future of `test` in a simulation with the given seed, on a new thread, and returns its
/// output.
///
/// The runtime is built by [`Builder::new_simulated`] and has four processors. In a program with
/// [`interpose!`](super::interpose), the seed also determines the random bytes that the thread gets
/// from the operating system, and with them the iteration order of std's `HashMap`s, and the time
/// of [`std::time`]. On an old thread, std has already chosen the keys of `HashMap`s.
///
/// The environment variable `WSRT_SIM_SEED` replaces the seed.
///
/// # Panics
///
/// If the future panics, this function panics with the same payload. Panics in the cases that
/// [`sim`](crate::sim) lists. Panics if `WSRT_SIM_SEED` is not a number, or if the system refuses
/// to create a thread or file descriptors.
///
/// # Examples
///
/// ```standalone_crate
/// use std::collections::HashSet;
///
/// wsrt::sim::interpose!();
///
/// // The order of a set with random keys, and the time on the system's clock.
/// let seen = |seed| {
///     wsrt::sim::run(seed, |_| async {
///         wsrt::time::sleep(std::time::Duration::from_secs(60)).await;
///         let order: Vec<u32> = (0..100).collect::<HashSet<_>>().into_iter().collect();
///         (order, std::time::SystemTime::now())
///     })
/// };
/// # if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
/// assert_eq!(seen(1), seen(1));
/// assert_ne!(seen(1), seen(2));
/// # }
/// ```
pub fn run<T, F>(seed: u64, test: T) -> F::Output
where
    T: FnOnce(Sim) -> F + Send,
    F: Future,
    F::Output: Send,
{
    let seed = simulated_seed().unwrap_or_else(|error| panic!("wsrt: {error}")).unwrap_or(seed);
    let run = || {
        let _given = (override_entropy(seed.rotate_left(16)), override_time(UPTIME, 0));
        let runtime = Builder::new_simulated(seed).build();
        let runtime = runtime.unwrap_or_else(|error| panic!("wsrt: no simulation was made: {error}"));
        let sim = Sim::of(&runtime);
        runtime.block_on(async { test(sim).await })
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name(seed)).stack_size(STACK).spawn_scoped(scope, run);
        let thread = thread.unwrap_or_else(|error| panic!("wsrt: no thread for the simulation: {error}"));
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// The size of its stack, in bytes, which is reserved and used as far as is needed: each blocking
/// call that waits has its frames there, below the frames of everything that runs during the wait.
const STACK: usize = if cfg!(target_pointer_width = "64") { 64 << 20 } else { 16 << 20 };

/// The name of its thread: this thread's name, which is the test's, and the seed.
fn name(seed: u64) -> String {
    format!("{} (seed {seed})", thread::current().name().unwrap_or("simulation"))
}
