//! HTTP: hyper's hello on wsrt and on tokio, the same hyper and the same service, under wrk and
//! h2load.
//!
//! ```text
//!   parent, on the clients' cores            server process (`http --serve …`), on its own
//!   server::start         ── starts ───────▶ listens
//!                         ◀─ "listening A" ─
//!   wrk or h2load, unmeasured
//!   usage                 ── "usage" ──────▶
//!                         ◀─ "used NS N" ─── processor time and sleeps so far
//!   wrk or h2load, measured ══ requests ═══▶
//!   usage                 ── "usage" ──────▶
//!   drop                  ── kills ────────▶
//! ```
//!
//! For a proxy's line another server starts before it, to which the proxy connects.
//!
//! [`server`] is a server, which speaks as in [`served`](crate::served), [`hello`] its service, or
//! [`proxy`], and [`on_runtimes`] the difference between the runtimes; [`wrk`] and [`h2load`] start
//! these two and read their reports.

use std::path::PathBuf;
use std::time::Duration;

use crate::cores::{self, Cores};
use crate::harness::{Arguments, Case, Job, Line, Program, Report, Settings};
use crate::metric::Measurement;
use crate::served::ServerProcess;
use crate::usage::allow_open_files;
use crate::{Failure, machine};

mod generator;
mod h2load;
mod hello;
mod loading;
mod on_runtimes;
mod proxy;
mod server;
mod wrk;

use generator::Load;
use loading::{Loading, Pace};
use server::Request;

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
const CRATES: [&str; 5] = ["wsrt", "tokio", "hyper", "hyper-util", "rustls"];
/// The most threads of a generator: it needs more room than the server, and no more threads than
/// cores.
const MOST_THREADS: usize = 2;
/// Seconds that a generator may take beside its run, unless `--time-limit` says otherwise.
const USUAL_TIME_LIMIT: u64 = 15;
/// The length of the run before the measured one.
const WARM_UP_SECONDS: u32 = 1;

/// A kind of server: over which version of HTTP, and what else it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Http1,
    Http2,
    /// A proxy before another server.
    Http1Proxy,
    Http1Tls,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Http1, Self::Http2, Self::Http1Proxy, Self::Http1Tls];

    fn name(self) -> &'static str {
        match self {
            Self::Http1 => "http1",
            Self::Http2 => "http2",
            Self::Http1Proxy => "http1_proxy",
            Self::Http1Tls => "http1_tls",
        }
    }

    fn find(name: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| format!("no server {name:?}; there are {}", Self::ALL.map(Self::name).join(", ")).into())
    }
}

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Options {
    settings: Settings,
    loadings: Vec<Loading>,
    /// Of each server.
    processors: usize,
    /// Of each measured run.
    seconds: u32,
    /// Requests outstanding on each connection; HTTP/2 only.
    streams: usize,
    /// How long a generator may take beside its run.
    time_limit: Duration,
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let usual = || [Kind::Http1, Kind::Http2].map(|kind| kind.name().to_owned()).to_vec();
        let mut kinds = arguments.list("--only", Kind::find)?.unwrap_or_else(usual);
        for (flag, kind) in [("--proxy", Kind::Http1Proxy), ("--tls", Kind::Http1Tls)] {
            kinds.extend(arguments.flag(flag).then(|| kind.name().to_owned()));
        }
        Ok(Self {
            settings: Settings::take(arguments, PROGRAM.name, USUAL_REPEATS)?,
            loadings: take_loadings(arguments, &kinds)?,
            processors: arguments.positive("--processors")?.unwrap_or(USUAL_PROCESSORS),
            seconds: arguments.positive("--seconds")?.unwrap_or(USUAL_SECONDS),
            streams: arguments.positive("--streams")?.unwrap_or(USUAL_STREAMS),
            time_limit: Duration::from_secs(arguments.positive("--time-limit")?.unwrap_or(USUAL_TIME_LIMIT)),
        })
    }
}

/// Reads what the servers are loaded with: each number of connections with each version, then
/// closing connections, rates, and what is before a server or around it.
fn take_loadings(arguments: &mut Arguments, kinds: &[String]) -> Result<Vec<Loading>, Failure> {
    let connections = arguments.positives("--connections")?.unwrap_or_else(|| vec![USUAL_CONNECTIONS]);
    let all = |kind, pace| {
        connections.iter().map(move |&connections| Loading { kind, pace, connections }).collect::<Vec<_>>()
    };
    let flat = |kind: Kind| if kinds.iter().any(|name| name == kind.name()) { all(kind, Pace::Flat) } else { vec![] };
    let mut loadings = [Kind::Http1, Kind::Http2].map(flat).concat();
    if arguments.flag("--close") {
        loadings.extend(all(Kind::Http1, Pace::Closing));
    }
    for rate in arguments.positives("--rates")?.unwrap_or_default() {
        let rate = u32::try_from(rate).map_err(|error| format!("--rates {rate}: {error}"))?;
        let (kind, connections) = (Kind::Http1, Loading::CONNECTIONS_AT_RATE);
        loadings.push(Loading { kind, pace: Pace::Rate(rate), connections });
    }
    loadings.extend([Kind::Http1Proxy, Kind::Http1Tls].map(flat).concat());
    Ok(loadings)
}

/// Returns the text of `--help`.
fn help() -> String {
    let (settings, at_rate) = (Settings::HELP, Loading::CONNECTIONS_AT_RATE);
    format!(
        "\
Compares hyper on wsrt with hyper on tokio: the same short answer to every request, under wrk and h2load.

  cargo run --release -p wsrt-benches --bin http -- [OPTIONS]

  --only NAME,…        http1, http2, http1_proxy or http1_tls (http1,http2)
  --processors N       worker threads of each server, each on a core of its own; the generators get the others,
                       or share these if there are none ({USUAL_PROCESSORS})
  --repeats N          measurements of each version on each runtime ({USUAL_REPEATS})
  --seconds N          length of a measured run ({USUAL_SECONDS}); one of a second goes before it
  --connections N,…    a line of the table for each ({USUAL_CONNECTIONS})
  --close              also lines of HTTP/1.1 where each request has a connection of its own
  --rates N,…          also lines of HTTP/1.1 with so many requests a second, over {at_rate} connections
  --proxy              also lines of HTTP/1.1 where the server is a proxy: hyper on both sides, keep-alive on both sides;
                       behind it is the hello on tokio, in a process of its own beside the generators
  --tls                also lines of HTTP/1.1 over TLS 1.3 (rustls)
  --streams N          requests outstanding on each connection of HTTP/2 ({USUAL_STREAMS})
  --time-limit S       seconds that a generator may take beside its run: then it is killed, with all that it has started,
                       and the line counts as failed ({USUAL_TIME_LIMIT})
{settings}
One server in this process, for perf and strace; it ends with its input:

  http --serve wsrt|tokio http1|http2|http1_tls --cores 0,1
  http --serve wsrt|tokio http1_proxy --upstream ADDRESS --cores 0,1
"
    )
}

/// Measures everything, prints the table and saves it.
fn run(options: &Options) -> Result<(), Failure> {
    let Options { processors, seconds, streams, .. } = *options;
    let cores = Cores::deal("--processors", processors)?;
    let directory = options.settings.directory()?;
    // While this process may still use all cores.
    let mut facts = machine::describe(&CRATES);
    // The generators inherit both; the servers choose their own cores.
    cores::stay_on(cores.of_clients())?;
    allow_open_files(server::FILES)?;
    let (there, missing): (Vec<Loading>, Vec<Loading>) =
        options.loadings.iter().partition(|loading| generator::is_installed(loading.generator()));
    let threads = cores.of_clients().len().min(MOST_THREADS);
    let (servers, clients) = (&cores.measured, cores.of_clients());
    facts.push(format!("servers on cores {servers:?}, wrk and h2load with {threads} threads on {clients:?}"));
    facts.push(format!("over HTTP/2 {streams} streams on each connection; runs of {seconds} s"));
    if there.iter().any(|loading| loading.kind == Kind::Http1Proxy) {
        facts.push(format!("the server behind a proxy on the cores {clients:?}, as many workers"));
    }
    for loading in missing {
        facts.push(format!("{} not measured: {} is not installed", loading.name(), loading.generator()));
    }
    let line = |loading: Loading| Line::new(&loading.name(), processors);
    let subjects = RUNTIMES.map(str::to_owned).to_vec();
    let lines = there.iter().map(|&loading| (line(loading), loading.summary())).collect();
    let mut report = Report::on_rivals(subjects.clone(), lines);
    report.facts = facts;
    let stand = Stand { options, cores: &cores, threads, log: directory.join("h2load.log") };
    let case = |&loading: &Loading| Case {
        line: line(loading),
        subjects: subjects.clone(),
        last: None,
        measure: {
            let stand = &stand;
            Box::new(move |runtime| stand.measure(loading, runtime))
        },
    };
    let cases: Vec<_> = there.iter().map(case).collect();
    options.settings.measure(&cases, &mut report);
    options.settings.finish(&report, &format!("http-{processors}-processors"), None)
}

/// Where every server is measured.
#[derive(Debug)]
struct Stand<'a> {
    options: &'a Options,
    cores: &'a Cores,
    /// Of a generator, at most.
    threads: usize,
    /// The generator's file.
    log: PathBuf,
}

impl Stand<'_> {
    /// Loads a server, after a warm-up.
    fn measure(&self, loading: Loading, runtime: &str) -> Result<Vec<Measurement>, Failure> {
        let Options { seconds, streams, time_limit, .. } = *self.options;
        let Loading { kind, connections, .. } = loading;
        let upstream = (kind == Kind::Http1Proxy).then(|| self.upstream()).transpose()?;
        let request = Request {
            runtime: runtime.to_owned(),
            kind,
            upstream: upstream.as_ref().map(|server| server.address),
            cores: self.cores.measured.clone(),
        };
        let mut server = server::start(&request)?;
        let load = Load {
            address: server.address,
            is_tls: kind == Kind::Http1Tls,
            threads: self.threads.min(connections),
            connections,
            streams,
            seconds,
            beside_run: time_limit,
        };
        let warm_up = Load { seconds: WARM_UP_SECONDS, ..load };
        loading.measure(&load, &warm_up, &self.log, || server.usage())
    }

    /// Starts the server behind a proxy, the same for all, beside the clients.
    fn upstream(&self) -> Result<ServerProcess, Failure> {
        let cores = self.cores.of_clients().to_vec();
        server::start(&Request { runtime: "tokio".to_owned(), kind: Kind::Http1, upstream: None, cores })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_choice_both_versions_are_compared() {
        let options = Options::take(&mut Arguments::of("--processors 1 --seconds 2")).unwrap();
        let names: Vec<_> = options.loadings.into_iter().map(Loading::name).collect();
        assert_eq!(names, ["http1/64", "http2/64"]);
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
            ("--serve wsrt http1_proxy --cores 0", "--upstream"),
            ("--serve wsrt http1 --cores 0 --upstream 127.0.0.1:1", "--upstream"),
            ("--rates 0", "--rates"),
            ("--time-limit 0", "--time-limit"),
            ("--fast", "--fast"),
        ]);
    }

    #[test]
    fn each_number_of_connections_and_each_rate_is_a_line() {
        let arguments = "--only http1 --connections 8,500 --close --rates 500,8000";
        let options = Options::take(&mut Arguments::of(arguments)).unwrap();
        let names: Vec<_> = options.loadings.into_iter().map(Loading::name).collect();
        assert_eq!(
            names,
            ["http1/8", "http1/500", "http1_close/8", "http1_close/500", "http1_rate/500", "http1_rate/8000"]
        );
    }

    #[test]
    fn proxies_and_tls_come_besides_or_alone() {
        let names = |line: &str| {
            let options = Options::take(&mut Arguments::of(line)).unwrap();
            options.loadings.into_iter().map(Loading::name).collect::<Vec<_>>()
        };
        assert_eq!(names("--only http1 --proxy --tls"), ["http1/64", "http1_proxy/64", "http1_tls/64"]);
        assert_eq!(names("--only http1_tls --connections 8"), ["http1_tls/8"]);
    }
}
