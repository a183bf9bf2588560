//! Running a test with many seeds.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use crate::sim::environment::{simulated_report, simulated_seed, simulated_seeds, tell_runner};

/// Calls `test` with each seed of the range, on all cores, and panics if a seed fails.
///
/// `test` should run a simulation with the seed that it receives, with [`run`](fn@super::run) or
/// with a runtime of its own. If the environment variable `WSRT_SIM_SEED` is set, only that seed
/// runs, so that a failed test can be repeated alone. With `WSRT_SIM_SEEDS=5000..6000`, these seeds
/// run instead of `seeds`. After a failure, no further seeds are started.
///
/// The program `wsrt-sim` runs a test with many seeds in separate processes, and searches for a
/// smallest [`Plan`](super::Plan) with which a run still fails.
///
/// # Panics
///
/// Panics if `test` panics. The message contains the smallest failed seed, and its panic's first
/// line.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// wsrt::sim::seeds(0..100, |seed| {
///     wsrt::sim::run(seed, |sim| async move {
///         wsrt::time::sleep(Duration::from_secs(60)).await;
///         assert!(sim.record().elapsed() >= Duration::from_secs(60));
///     });
/// });
/// ```
pub fn seeds(seeds: Range<u64>, test: impl Fn(u64) + Sync) {
    if let Some(seed) = simulated_seed().unwrap_or_else(|error| panic!("wsrt: {error}")) {
        return test(seed);
    }
    let given = simulated_seeds().unwrap_or_else(|error| panic!("wsrt: {error}"));
    let seeds = given.unwrap_or(seeds);
    let has_runner = simulated_report().is_some();
    if has_runner {
        tell_runner(&format!("range {} {}", seeds.start, seeds.end));
    }
    let next = AtomicU64::new(seeds.start);
    let failed: Mutex<Option<(u64, String)>> = Mutex::new(None);
    let work = || {
        while has_runner || !is_over(&failed) {
            // Relaxed: each number goes to one thread, and nothing else is read by it.
            let seed = next.fetch_add(1, Relaxed);
            if seed >= seeds.end {
                return;
            }
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
                note(&failed, seed, &*panic);
                if has_runner {
                    tell_runner(&format!("failed {seed}"));
                }
            }
        }
    };
    // A runner has a process for each core.
    let threads = if has_runner { 1 } else { thread::available_parallelism().map_or(1, usize::from) };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    if let Some((seed, message)) = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        panic!("seed {seed} of {seeds:?} has failed: {message}\nWSRT_SIM_SEED={seed} repeats it");
    }
}

fn is_over(failed: &Mutex<Option<(u64, String)>>) -> bool {
    failed.lock().is_ok_and(|failed| failed.is_some())
}

fn note(failed: &Mutex<Option<(u64, String)>>, seed: u64, panic: &(dyn Any + Send)) {
    let text = panic.downcast_ref::<&'static str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a text");
    let line = text.lines().next().unwrap_or_default().to_owned();
    if let Ok(mut failed) = failed.lock() {
        if failed.as_ref().is_none_or(|(other, _)| seed < *other) {
            *failed = Some((seed, line));
        }
    }
}
