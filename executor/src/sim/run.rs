//! Running a simulation on its own thread, for values that std chooses once per thread, with one
//! seed or many, which environment variables may name.

use std::any::Any;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::future::Future;
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock};
use std::{env, fs, io, thread};

use wsrt_world::FaultPlan;
use wsrt_world::entropy::override_entropy;
use wsrt_world::virtual_time::override_time;

use crate::runtime::__entry::Here;
use crate::runtime::Builder;
use crate::scheduler::simulation::Settings;
use crate::sim::Sim;
use crate::util::report::report;

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
    run_set(seed, |_| (), test)
}

/// Runs a test on a runtime whose builder was passed to `set`.
pub(super) fn run_set<T, F>(seed: u64, set: impl FnOnce(&mut Builder) + Send, test: T) -> F::Output
where
    T: FnOnce(Sim) -> F + Send,
    F: Future,
    F::Output: Send,
{
    let seed = simulated_seed().unwrap_or_else(|error| panic!("wsrt: {error}")).unwrap_or(seed);
    let run = || {
        let _given = (override_entropy(seed.rotate_left(16)), override_time(UPTIME, 0));
        let mut builder = Builder::new_simulated(seed);
        set(&mut builder);
        let runtime = builder.build().unwrap_or_else(|error| panic!("wsrt: no simulation was made: {error}"));
        let sim = Sim::of(&runtime);
        Here.run(&runtime, async { test(sim).await })
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

/// Calls `test` with each seed of the range, on all cores, and panics if a seed fails.
///
/// `test` should run a simulation with the seed that it receives, with [`run`](fn@super::run) or
/// with its own runtime. If the environment variable `WSRT_SIM_SEED` is set, only that seed
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
    each_seed(seeds, |seed| format!("WSRT_SIM_SEED={seed}"), test);
}

/// Calls `test` with each seed. `alone` returns what runs the test with one seed, for the message
/// of a failure.
pub(super) fn each_seed(seeds: Range<u64>, alone: impl Fn(u64) -> String, test: impl Fn(u64) + Sync) {
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
        panic!("seed {seed} of {seeds:?} has failed: {message}\n{} repeats it", alone(seed));
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

const SIM_SEED: &str = "WSRT_SIM_SEED";
const SIM_SEEDS: &str = "WSRT_SIM_SEEDS";
const SIM_PLAN: &str = "WSRT_SIM_PLAN";
const SIM_REPORT: &str = "WSRT_SIM_REPORT";

/// Returns the settings with the seed and plan of the environment, if there are any.
pub(super) fn replace_settings(settings: Settings) -> io::Result<Settings> {
    let seed = simulated_seed()?.unwrap_or(settings.seed);
    Ok(Settings { seed, plan: simulated_plan()?.or(settings.plan), ..settings })
}

/// Returns the seed that the environment has for simulations, if it has one.
fn simulated_seed() -> io::Result<Option<u64>> {
    let Some(value) = env::var_os(SIM_SEED) else { return Ok(None) };
    let seed = value.to_str().and_then(|text| text.trim().parse().ok()).ok_or_else(|| {
        invalid(format!("{SIM_SEED}={} is not a seed: it has to be a whole number", value.to_string_lossy()))
    })?;
    Ok(Some(seed))
}

/// Returns the seeds that the environment has for tests over many, if it has some.
fn simulated_seeds() -> io::Result<Option<Range<u64>>> {
    let Some(value) = env::var_os(SIM_SEEDS) else { return Ok(None) };
    parse_range(&value).map(Some).ok_or_else(|| {
        let value = value.to_string_lossy();
        invalid(format!("{SIM_SEEDS}={value} is no range of seeds, such as 0..1000, the second above the first"))
    })
}

fn parse_range(value: &OsStr) -> Option<Range<u64>> {
    let (start, end) = value.to_str()?.split_once("..")?;
    let range = start.trim().parse().ok()?..end.trim().parse().ok()?;
    (range.start < range.end).then_some(range)
}

/// Returns the faults that the environment has for simulations, if it has them. They are read once
/// in the process.
fn simulated_plan() -> io::Result<Option<&'static FaultPlan>> {
    static PLAN: OnceLock<Result<Option<FaultPlan>, String>> = OnceLock::new();
    let plan = PLAN.get_or_init(|| match env::var_os(SIM_PLAN).filter(|value| !value.is_empty()) {
        Some(value) => read_plan(&value).map(Some),
        None => Ok(None),
    });
    plan.as_ref().map(Option::as_ref).map_err(|message| invalid(message.clone()))
}

fn read_plan(value: &OsStr) -> Result<FaultPlan, String> {
    let text = value.to_str().ok_or_else(|| format!("{SIM_PLAN} is no UTF-8"))?;
    let Some(file) = text.strip_prefix('@') else {
        return text.parse().map_err(|error| format!("{SIM_PLAN}: {error}"));
    };
    let text = fs::read_to_string(file).map_err(|error| format!("{SIM_PLAN}={text}: cannot read `{file}`: {error}"))?;
    text.parse().map_err(|error| format!("{SIM_PLAN}: `{file}`: {error}"))
}

/// Returns the file in which `wsrt-sim` wants to be told of failures, if it runs this program.
fn simulated_report() -> Option<PathBuf> {
    env::var_os(SIM_REPORT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Writes lines to that file, if there is one, in one piece.
pub(super) fn tell_runner(lines: &str) {
    let Some(path) = simulated_report() else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(format!("{lines}\n").as_bytes())) {
        report(format_args!("{SIM_REPORT}={}: cannot write to it: {error}", path.display()));
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_second_number_above_the_first() {
        assert_eq!(parse_range(OsStr::new("3..10")), Some(3..10));
        assert_eq!(parse_range(OsStr::new(" 0 .. 1 ")), Some(0..1));
        for nonsense in ["", "3", "3..3", "4..3", "..3", "3..", "a..b", "1..2..3", "-1..3"] {
            assert_eq!(parse_range(OsStr::new(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn a_plan_that_is_none_names_variable_and_file() {
        let error = |value: &str| read_plan(OsStr::new(value)).expect_err("it is none");
        assert!(error("at noon").starts_with("WSRT_SIM_PLAN: line 1 of the plan, `at noon`: "), "{}", error("at noon"));
        let missing = error("@no such file");
        assert!(missing.starts_with("WSRT_SIM_PLAN=@no such file: cannot read `no such file`: "), "{missing}");
        assert_eq!(read_plan(OsStr::new("nothing")), Ok(FaultPlan::default()));
    }
}
