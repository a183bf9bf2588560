//! HTTP: hyper's hello on wsrt and on tokio, the same hyper and the same service, under wrk and
//! h2load.
//!
//! ```text
//!   parent, on the clients' cores            server process (`http --serve …`), on its own
//!   ServerProcess::start  ── starts ───────▶ listens
//!                         ◀─ "listening A" ─
//!   wrk or h2load, unmeasured
//!   usage                 ── "usage" ──────▶
//!                         ◀─ "used NS N" ─── processor time and sleeps so far
//!   wrk or h2load, measured ══ requests ═══▶
//!   usage                 ── "usage" ──────▶
//!   drop                  ── kills ────────▶
//! ```
//!
//! [`server`] is a server with both its sides, [`hello`] its service and [`on_runtimes`] the
//! difference between the runtimes; [`wrk`] and [`h2load`] start these two and read their reports.

use std::path::Path;

use crate::cores::{self, Cores};
use crate::harness::{Arguments, Case, Job, Line, Program, Report, Settings, is_wanted};
use crate::metric::{Measurement, Metric};
use crate::usage::Usage;
use crate::{Failure, machine};

mod generator;
mod h2load;
mod hello;
mod on_runtimes;
mod server;
mod wrk;

use generator::{Latency, Load, Run};
use server::{Request, ServerProcess};

/// The program `http`.
pub const PROGRAM: Program = Program {
    name: "http",
    help,
    roles: &[("--serve", server::role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

const USUAL_PROCESSORS: usize = 2;
const USUAL_REPEATS: usize = 7;
const USUAL_SECONDS: u32 = 3;
const USUAL_CONNECTIONS: usize = 64;
const USUAL_STREAMS: usize = 10;
const RUNTIMES: [&str; 2] = ["wsrt", "tokio"];
/// The crates whose versions stand above the table.
const CRATES: [&str; 4] = ["wsrt", "tokio", "hyper", "hyper-util"];
/// The most threads of a generator: it needs more room than the server, and no more threads than
/// cores.
const MOST_THREADS: usize = 2;
/// The length of the run before the measured one.
const WARM_UP_SECONDS: u32 = 1;

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Http1,
    Http2,
}

impl Version {
    const ALL: [Self; 2] = [Self::Http1, Self::Http2];

    fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http2 => "http2",
        }
    }

    /// Returns the load generator that speaks it.
    fn generator(self) -> &'static str {
        match self {
            Self::Http1 => wrk::PROGRAM,
            Self::Http2 => h2load::PROGRAM,
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Http1 => "hyper's hello over HTTP/1.1 under wrk, one request outstanding on each connection",
            Self::Http2 => "the same over HTTP/2 under h2load, several requests outstanding on each connection",
        }
    }

    fn find(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|version| version.name() == name);
        found.ok_or_else(|| format!("no HTTP version {name:?}; there are http1 and http2").into())
    }
}

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Options {
    settings: Settings,
    versions: Vec<Version>,
    /// Of each server.
    processors: usize,
    /// Of each measured run.
    seconds: u32,
    connections: usize,
    /// Requests outstanding on each connection; HTTP/2 only.
    streams: usize,
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let only = arguments.list("--only", Version::find)?.unwrap_or_default();
        Ok(Self {
            settings: Settings::take(arguments, PROGRAM.name, USUAL_REPEATS)?,
            versions: Version::ALL.into_iter().filter(|version| is_wanted(&only, version.name())).collect(),
            processors: arguments.positive("--processors")?.unwrap_or(USUAL_PROCESSORS),
            seconds: arguments.positive("--seconds")?.unwrap_or(USUAL_SECONDS),
            connections: arguments.positive("--connections")?.unwrap_or(USUAL_CONNECTIONS),
            streams: arguments.positive("--streams")?.unwrap_or(USUAL_STREAMS),
        })
    }
}

/// Returns the text of `--help`.
fn help() -> String {
    let settings = Settings::HELP;
    format!(
        "\
Compares hyper on wsrt with hyper on tokio: the same short answer to every request, under wrk and h2load.

  cargo run --release -p wsrt-benches --bin http -- [OPTIONS]

  --only NAME,…        http1 or http2, not both
  --processors N       worker threads of each server, each on a core of its own; the generators get the others
                       ({USUAL_PROCESSORS})
  --repeats N          measurements of each version on each runtime ({USUAL_REPEATS})
  --seconds N          length of a measured run ({USUAL_SECONDS}); one of a second goes before it
  --connections N      ({USUAL_CONNECTIONS})
  --streams N          requests outstanding on each connection of HTTP/2 ({USUAL_STREAMS})
{settings}
One server in this process, for perf and strace; it ends with its input:

  http --serve wsrt|tokio http1|http2 --cores 0,1
"
    )
}

/// Measures everything, prints the table and saves it.
fn run(options: &Options) -> Result<(), Failure> {
    let Options { processors, seconds, connections, streams, .. } = *options;
    let cores = Cores::deal("--processors", processors)?;
    let directory = options.settings.directory()?;
    // While this process may still use all cores.
    let mut facts = machine::describe(&CRATES);
    // The generators inherit it; the servers choose their own.
    cores::stay_on(cores.of_clients())?;
    let (there, missing): (Vec<Version>, Vec<Version>) =
        options.versions.iter().partition(|version| generator::is_installed(version.generator()));
    let threads = cores.of_clients().len().min(MOST_THREADS).min(connections);
    let (servers, clients) = (&cores.measured, cores.of_clients());
    facts.push(format!("servers on cores {servers:?}, wrk and h2load with {threads} threads on {clients:?}"));
    facts.push(format!("{connections} connections, over HTTP/2 with {streams} streams each; runs of {seconds} s"));
    for version in missing {
        facts.push(format!("{} not measured: {} is not installed", version.name(), version.generator()));
    }
    let line = |version: Version| Line::new(version.name(), processors);
    let subjects = RUNTIMES.map(str::to_owned).to_vec();
    let lines = there.iter().map(|&version| (line(version), version.summary())).collect();
    let mut report = Report::on_rivals(subjects.clone(), lines);
    report.facts = facts;
    let case = |&version: &Version| Case {
        line: line(version),
        subjects: subjects.clone(),
        last: None,
        measure: {
            let (cores, directory) = (&cores, &directory);
            Box::new(move |runtime| {
                let request = Request { runtime: runtime.to_owned(), version, cores: cores.measured.clone() };
                let mut server = ServerProcess::start(&request)?;
                let load = Load { address: server.address, threads, connections, streams, seconds };
                measure(version, &mut server, &load, directory)
            })
        },
    };
    let cases: Vec<_> = there.iter().map(case).collect();
    options.settings.measure(&cases, &mut report);
    options.settings.finish(&report, &format!("http-{processors}-processors"), None)
}

/// Loads a server, after a warm-up.
fn measure(
    version: Version,
    server: &mut ServerProcess,
    load: &Load,
    directory: &Path,
) -> Result<Vec<Measurement>, Failure> {
    let warm_up = Load { seconds: WARM_UP_SECONDS, ..*load };
    match version {
        Version::Http1 => {
            wrk::load(&warm_up)?;
            let before = server.usage()?;
            let (run, latency) = wrk::load(load)?;
            Ok(measurements(run, latency, server.usage()?.since(before)))
        }
        Version::Http2 => {
            let latency = h2load::latency(&warm_up, &directory.join("h2load.log"))?;
            let before = server.usage()?;
            let run = h2load::load(load)?;
            Ok(measurements(run, latency, server.usage()?.since(before)))
        }
    }
}

fn measurements(run: Run, latency: Latency, used: Usage) -> Vec<Measurement> {
    let requests = run.requests as f64;
    vec![
        Metric::REQUESTS_PER_SECOND.of(run.per_second),
        Metric::CPU_MICROSECONDS_PER_REQUEST.of(used.cpu.as_secs_f64() * 1e6 / requests),
        Metric::SLEEPS_PER_REQUEST.of(used.sleeps as f64 / requests),
        Metric::MEDIAN_MICROSECONDS.of(latency.median),
        Metric::WORST_MICROSECONDS.of(latency.p99),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn without_a_choice_both_versions_are_compared() {
        let options = Options::take(&mut Arguments::of("--processors 1 --seconds 2")).unwrap();
        assert_eq!(options.versions, Version::ALL);
        assert_eq!((options.processors, options.seconds, options.streams), (1, 2, USUAL_STREAMS));
    }

    #[test]
    fn a_bad_argument_is_named() {
        PROGRAM.assert_refuses(&[
            ("--only http3", "http3"),
            ("--processors 0", "--processors"),
            ("--seconds soon", "--seconds"),
            ("--repeats", "--repeats"),
            ("--serve wsrt http1", "--cores"),
            ("--serve wsrt --cores 0", "http1 or http2"),
            ("--serve wsrt gopher --cores 0", "gopher"),
            ("--fast", "--fast"),
        ]);
    }

    #[test]
    fn processor_time_and_sleeps_are_those_of_one_request() {
        let run = Run { requests: 1000, per_second: 500.0 };
        let used = Usage { cpu: Duration::from_millis(5), sleeps: 10 };
        let seen = measurements(run, Latency { median: 1.0, p99: 2.0 }, used);
        let values: Vec<_> = seen.iter().map(|measurement| measurement.value).collect();
        assert_eq!(values, [500.0, 5.0, 0.01, 1.0, 2.0]);
    }
}
