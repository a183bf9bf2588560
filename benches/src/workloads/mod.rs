//! The workloads, one a file: what is done, how much of it, and what counts as one operation.
//!
//! A workload checks its own result (sums, counts, bytes), so that a runtime that drops or doubles work fails loudly. What
//! is measured runs inside of a spawned task, unless the workload's name says where else.

use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::{Runtime, Tokio};

mod bare;
mod bare_echo;
mod blocking;
mod chain;
mod countdown;
mod echo_tcp;
mod fork_join;
mod lateness;
mod mutex;
mod parked;
mod ping_pong;
mod root_request;
mod root_spawn;
mod rounds;
mod spawn_await;
mod spawn_inside;
mod spawn_outside;
mod spawn_outside_busy;
mod spawn_outside_several;
mod timer_drop;
mod timer_hold;
mod timer_sleepers;
mod timer_ticks;
mod token;
mod tree;
mod wake;
mod yields;

#[cfg(feature = "wsrt")]
pub(crate) use echo_tcp::echo;
pub use rounds::Round;

/// What a workload says of itself.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name on the command line and in the table.
    pub name: &'static str,
    /// What is done, and what counts as one operation.
    pub summary: &'static str,
    /// Operations in a round, unless `--size` says otherwise.
    pub size: usize,
    /// Rounds in a measurement: enough for some tens of milliseconds.
    pub rounds: u32,
    /// The same work without any runtime, where that says what is not the runtime's.
    pub bare: Option<Bare>,
}

/// What a workload is without a runtime.
#[derive(Clone, Copy, Debug)]
pub enum Bare {
    /// A round of the given size, the futures polled by turns on one thread, where the workload leans on a library that is the
    /// same for all: what that library costs is in every runtime's figure.
    Round(fn(size: usize) -> Round),
    /// The whole measurement, by means of the system alone.
    Whole(fn(&Plan) -> Result<Vec<Measurement>, Failure>),
}

/// A piece of work that every runtime is given.
trait Workload {
    /// What it is.
    const ABOUT: About;

    /// Does it as often as `plan` says.
    ///
    /// # Errors
    ///
    /// Returns what went wrong in the system below; wrong results are panics.
    fn run<R: Runtime>(runtime: &R, plan: &Plan) -> Result<Vec<Measurement>, Failure>;
}

/// A workload bound to a runtime.
struct Entry {
    about: About,
    run: fn(&Plan) -> Result<Vec<Measurement>, Failure>,
}

impl Entry {
    fn of<R: Runtime, W: Workload>() -> Self {
        Self { about: W::ABOUT, run: |plan| W::run(&R::build(plan.workers)?, plan) }
    }
}

/// All workloads, in the table's order. A new one needs its file and its line here.
fn entries<R: Runtime>() -> Vec<Entry> {
    vec![
        Entry::of::<R, spawn_inside::SpawnInside>(),
        Entry::of::<R, root_spawn::RootSpawn>(),
        Entry::of::<R, spawn_await::SpawnAwait>(),
        Entry::of::<R, yields::Yields>(),
        Entry::of::<R, chain::Chain>(),
        Entry::of::<R, wake::Wake>(),
        Entry::of::<R, token::Token>(),
        Entry::of::<R, ping_pong::PingPong>(),
        Entry::of::<R, fork_join::ForkJoin>(),
        Entry::of::<R, tree::Tree>(),
        Entry::of::<R, parked::Parked>(),
        Entry::of::<R, root_request::RootRequest>(),
        Entry::of::<R, mutex::ContendedMutex>(),
        Entry::of::<R, blocking::Blocking>(),
        Entry::of::<R, spawn_outside::SpawnOutside>(),
        Entry::of::<R, spawn_outside_busy::BesideYields>(),
        Entry::of::<R, spawn_outside_busy::BesideChains>(),
        Entry::of::<R, spawn_outside_several::SpawnOutsideSeveral>(),
        Entry::of::<R, echo_tcp::EchoTcp>(),
        Entry::of::<R, timer_drop::TimerDrop>(),
        Entry::of::<R, timer_hold::TimerHold>(),
        Entry::of::<R, timer_sleepers::TimerSleepers>(),
        Entry::of::<R, timer_ticks::TimerTicks>(),
    ]
}

/// The name of the workload that takes `--connections` and `--bytes`.
pub const ECHO: &str = echo_tcp::NAME;

/// Answers what each workload says of itself, in the table's order.
pub fn all() -> Vec<About> {
    entries::<Tokio>().into_iter().map(|entry| entry.about).collect()
}

/// Finds a workload by its name.
///
/// # Errors
///
/// Returns an error that lists the names there are.
pub fn find(name: &str) -> Result<About, Failure> {
    all().into_iter().find(|about| about.name == name).ok_or_else(|| unknown(name))
}

/// Builds the runtime `R` and runs the named workload on it.
///
/// # Errors
///
/// Returns an error if no workload has this name, or if the system below fails.
///
/// # Panics
///
/// Panics if the workload's result is wrong: if the runtime lost, doubled or mixed up work.
pub fn run_named<R: Runtime>(name: &str, plan: &Plan) -> Result<Vec<Measurement>, Failure> {
    let entry = entries::<R>().into_iter().find(|entry| entry.about.name == name);
    (entry.ok_or_else(|| unknown(name))?.run)(plan)
}

/// Runs the named workload without a runtime, for what is not the runtime's in its figures.
///
/// # Errors
///
/// Returns an error if there is no such workload, if it is nothing without a runtime, or if the system below fails.
///
/// # Panics
///
/// Panics if the result is wrong.
pub fn run_bare(name: &str, plan: &Plan) -> Result<Vec<Measurement>, Failure> {
    let about = find(name)?;
    match about.bare.ok_or_else(|| format!("workload {name:?} has no part without a runtime"))? {
        Bare::Whole(run) => run(plan),
        Bare::Round(round) => {
            let size = plan.size(&about);
            let total = rounds::repeat_blocking(plan.rounds(&about), || round(size));
            Ok(vec![total.per_operation()])
        }
    }
}

fn unknown(name: &str) -> Failure {
    let names: Vec<_> = all().iter().map(|about| about.name).collect();
    format!("no workload {name:?}; there are {}", names.join(", ")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workload_names_are_unique() {
        let mut names: Vec<_> = all().iter().map(|about| about.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn an_unknown_workload_is_answered_with_the_names_there_are() {
        let message = find("spawn_nowhere").unwrap_err().to_string();
        assert!(message.contains("spawn_nowhere") && message.contains("spawn_inside"), "{message}");
    }
}
