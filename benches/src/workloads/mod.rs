//! The workloads, one a file: the work, its extent, and the operation that is counted.
//!
//! A workload checks its own result (sums, counts, bytes), so that a runtime that drops or doubles
//! work fails loudly. The measured work runs inside a spawned task, unless the workload's name
//! says where else.

use crate::Failure;
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::{Runtime, Tokio};

/// The figures of a workload.
pub type Figures = Result<Vec<Measurement>, Failure>;

mod bare;
mod bare_echo;
mod blocking;
mod chain;
mod countdown;
mod echo_tcp;
mod fork_join;
mod idle_server;
mod lateness;
mod mutex;
mod parked;
mod ping_pong;
mod proxy;
mod readied;
mod root_request;
mod root_spawn;
mod root_ticks;
pub(crate) mod rounds;
mod spawn_await;
mod spawn_inside;
mod spawn_outside;
mod spawn_outside_busy;
mod spawn_outside_several;
mod timer_busy;
mod timer_drop;
mod timer_hold;
mod timer_sleepers;
mod timer_ticks;
mod token;
mod tree;
mod wake;
mod yields;

pub(crate) use bare_echo::Server as BareEcho;
pub(crate) use echo_tcp::echo;
pub(crate) use proxy::pass_on;
pub use rounds::Round;

/// The description of a workload.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its name on the command line and in the table.
    pub name: &'static str,
    /// The work, and the operation that is counted.
    pub summary: &'static str,
    /// Operations in a round, unless `--size` says otherwise.
    pub size: usize,
    /// Rounds in a measurement: enough for some tens of milliseconds.
    pub rounds: u32,
    /// The work without any runtime, where that shows the share that is not the runtime's.
    pub bare: Option<Bare>,
}

/// A workload without a runtime.
#[derive(Clone, Copy, Debug)]
pub enum Bare {
    /// A round of the given size, the futures polled by turns on one thread, where the workload
    /// leans on a library that is the same for all: the cost of that library is in every runtime's
    /// figure.
    Round(fn(size: usize) -> Round),
    /// The whole measurement, by means of the system alone.
    Whole(fn(&Plan) -> Figures),
}

/// A workload, and how a runtime runs it. Wrong results are panics.
type Entry<R> = (About, fn(&R, &Plan) -> Figures);

/// All workloads, in the table's order. A new one needs its file and its line here.
fn entries<R: Runtime>() -> Vec<Entry<R>> {
    vec![
        (spawn_inside::ABOUT, spawn_inside::run),
        (root_spawn::ABOUT, root_spawn::run),
        (spawn_await::ABOUT, spawn_await::run),
        (yields::ABOUT, yields::run),
        (chain::ABOUT, chain::run),
        (wake::ABOUT, wake::run),
        (token::ABOUT, token::run),
        (ping_pong::ABOUT, ping_pong::run),
        (fork_join::ABOUT, fork_join::run),
        (tree::ABOUT, tree::run),
        (parked::ABOUT, parked::run),
        (root_request::ABOUT, root_request::run),
        (mutex::ABOUT, mutex::run),
        (blocking::ABOUT, blocking::run),
        (spawn_outside::ABOUT, spawn_outside::run),
        (spawn_outside_busy::BESIDE_YIELDS, spawn_outside_busy::run_beside_yields),
        (spawn_outside_busy::BESIDE_CHAINS, spawn_outside_busy::run_beside_chains),
        (spawn_outside_several::ABOUT, spawn_outside_several::run),
        (echo_tcp::ABOUT, echo_tcp::run),
        (proxy::BULK, proxy::run_bulk),
        (proxy::BULK_HIDDEN, proxy::run_bulk_hidden),
        (proxy::MESSAGES, proxy::run_messages),
        (proxy::MESSAGES_HIDDEN, proxy::run_messages_hidden),
        (timer_drop::ABOUT, timer_drop::run),
        (timer_hold::ABOUT, timer_hold::run),
        (timer_sleepers::ABOUT, timer_sleepers::run),
        (timer_ticks::ABOUT, timer_ticks::run),
        (root_ticks::ABOUT, root_ticks::run),
        (timer_busy::ABOUT, timer_busy::run),
        (idle_server::ABOUT, idle_server::run),
        (readied::AT_REST, readied::run_at_rest),
        (readied::BUSY_BEFORE, readied::run_busy_before),
    ]
}

/// The name of the workload that takes `--connections` and `--bytes`.
pub const ECHO: &str = echo_tcp::NAME;

/// Returns the descriptions of the workloads, in the table's order.
pub fn all() -> Vec<About> {
    entries::<Tokio>().into_iter().map(|(about, _)| about).collect()
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
pub fn run_named<R: Runtime>(name: &str, plan: &Plan) -> Figures {
    let entry = entries::<R>().into_iter().find(|(about, _)| about.name == name);
    let (_, run) = entry.ok_or_else(|| unknown(name))?;
    run(&R::build(plan.workers)?, plan)
}

/// Runs the named workload without a runtime.
///
/// # Errors
///
/// Returns an error if there is no such workload, if it is nothing without a runtime, or if the
/// system below fails.
///
/// # Panics
///
/// Panics if the result is wrong.
pub fn run_bare(name: &str, plan: &Plan) -> Figures {
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
