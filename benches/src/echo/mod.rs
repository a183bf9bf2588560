//! TCP echo servers, each in a process of its own: what a request costs the server as connections
//! grow, and how long it takes as the load grows. Also proxies before an echo server, and echo
//! servers over TLS.
//!
//! ```text
//!   parent                  server process (`echo --serve …`)   clients' process (`echo --drive …`)
//!   ServerProcess::start ──▶ listens
//!   clients::start ───────────────────────────────────────────▶ connects, warms up
//!   usage ─────────────────▶ processor time so far
//!   Driver::go ───────────────────────────────────────────────▶ the measured requests
//!   usage ─────────────────▶ processor time so far
//! ```
//!
//! Before a proxy's line a third process starts: a bare echo server, to which the proxy connects.
//!
//! By connections, the clients are a closed loop: the next request as soon as the last is answered.
//! By load, requests are due at fixed moments, whatever the server does, and a latency counts from
//! the moment when its request was due. The loads are shares of one capacity for all servers, that
//! of the slowest of them in a closed loop.

use std::fs;
use std::path::Path;

use crate::child::BARE;
use crate::cores::{self, Cores};
use crate::go::Go;
use crate::harness::{Case, Job, Line, Program, Report};
use crate::measure::Summary;
use crate::metric::{Measurement, Metric};
use crate::served::ServerProcess;
use crate::usage::{Usage, allow_open_files};
use crate::{Failure, machine, runtimes};

mod charts;
mod clients;
mod options;
mod server;

use clients::{Outcome, Plan};
use options::Options;
use server::Service;

/// The program `echo`.
pub const PROGRAM: Program = Program {
    name: "echo",
    help: options::help,
    roles: &[("--serve", server::role), ("--drive", clients::role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

/// The crates whose versions stand above the table.
const CRATES: [&str; 7] = ["wsrt", "tokio", "async-executor", "async-io", "async-net", "mio", "rustls"];
/// Descriptors beside the connections, in a server and in the clients' process.
const OTHER_FILES: u64 = 64;
/// The connections of the loads.
const CONNECTIONS_AT_LOAD: usize = 64;
/// Runs of each server that its capacity is the median of.
const RUNS_FOR_CAPACITY: usize = 3;

/// Measures everything, prints the table, and saves it with the charts.
fn run(options: &Options) -> Result<(), Failure> {
    let directory = options.settings.directory()?;
    let mut facts = machine::describe(&CRATES);
    let wants_go = options.rivals.iter().any(|rival| rival == runtimes::GO);
    let go = Go::find(wants_go, &directory, options.install_go, &mut facts);
    let closed: Vec<_> = options.closed().collect();
    let needed = closed.iter().map(|load| files(load.connections, load.kind == Kind::Proxy)).max();
    allow_open_files(needed.unwrap_or(0).max(files(CONNECTIONS_AT_LOAD, false)))?;
    // All processes inherit these.
    let cores = Cores::deal("--workers", options.workers)?;
    cores::stay_on(&cores.measured)?;
    facts.push(format!("{} workers each; servers and clients share the cores {:?}", options.workers, cores.measured));
    let subjects: Vec<String> = [runtimes::SUBJECT.to_owned()].into_iter().chain(options.rivals.clone()).collect();
    let there = |subject: &&String| *subject != runtimes::GO || go.is_some();
    let subjects: Vec<String> = subjects.iter().filter(there).cloned().collect();
    let stand = Stand { options, go: go.as_ref(), subjects: &subjects };
    let capacity = match options.loads.is_empty() {
        true => 0.0,
        false => stand.capacity(&mut facts)?,
    };
    let loads = options.loads.iter().map(|&percent| Load::at(percent, capacity));
    let loads: Vec<_> = closed.into_iter().chain(loads).collect();
    let lines = loads.iter().map(|load| (load.line(options.workers), load.summary())).collect();
    let mut report = Report::on_rivals(subjects.clone(), lines);
    report.facts = facts;
    for earlier in &options.from {
        let text = fs::read_to_string(earlier).map_err(|error| format!("--from {earlier}: {error}"))?;
        report.add_csv(&text).map_err(|error| format!("--from {earlier}: {error}"))?;
        report.facts.push("with the samples of an earlier run".to_owned());
    }
    let cases: Vec<_> = loads.iter().map(|load| stand.case(load)).collect();
    options.settings.measure(&cases, &mut report);
    save_charts(options, &report, &directory)?;
    options.settings.finish(&report, &format!("echo-{}-workers", options.workers), None)
}

fn save_charts(options: &Options, report: &Report, directory: &Path) -> Result<(), Failure> {
    let by_connections =
        (!options.connections.is_empty()).then(|| charts::by_connections(report, &options.connections));
    let by_load = (!options.loads.is_empty()).then(|| charts::by_load(report, &options.loads));
    for (name, drawing) in [("echo-connections.svg", by_connections), ("echo-load.svg", by_load)] {
        let Some(drawing) = drawing else { continue };
        let path = directory.join(name);
        fs::write(&path, drawing).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("saved {}", path.display());
    }
    Ok(())
}

/// Returns how many descriptors a server of so many connections needs; a proxy has two for each.
fn files(connections: usize, is_proxy: bool) -> u64 {
    connections as u64 * if is_proxy { 2 } else { 1 } + OTHER_FILES
}

/// The servers of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Echo,
    /// Proxies, all before the same echo server: the bare one, in a process of its own.
    Proxy,
    /// Echo servers over TLS.
    Tls,
}

impl Kind {
    /// Says whether there is such a server of `subject`'s.
    fn is_had_by(self, subject: &str) -> bool {
        match self {
            Self::Echo => true,
            Self::Proxy => subject != BARE,
            Self::Tls => ["wsrt", "tokio"].contains(&subject),
        }
    }
}

/// One load: one line of the table.
#[derive(Clone, Debug)]
struct Load {
    kind: Kind,
    name: String,
    connections: usize,
    /// Requests a second on all connections together; a closed loop where `None`.
    rate: Option<usize>,
}

impl Load {
    fn closed(kind: Kind, connections: usize) -> Self {
        let name = match kind {
            Kind::Echo => charts::connections(connections),
            Kind::Proxy => format!("proxy/{connections}"),
            Kind::Tls => format!("tls/{connections}"),
        };
        Self { kind, name, connections, rate: None }
    }

    fn at(percent: usize, capacity: f64) -> Self {
        let rate = (capacity * percent as f64 / 100.0).max(1.0) as usize;
        Self { kind: Kind::Echo, name: charts::load(percent), connections: CONNECTIONS_AT_LOAD, rate: Some(rate) }
    }

    fn line(&self, workers: usize) -> Line {
        Line::new(&self.name, workers)
    }

    fn summary(&self) -> &'static str {
        match (self.kind, self.rate) {
            (Kind::Proxy, _) => {
                "so many connections through a proxy that copies both ways, to a bare echo server in a process of its own; \
                 processor time and sleeps are the proxy's"
            }
            (Kind::Tls, _) => "so many connections over TLS 1.3, by rustls on both sides",
            (Kind::Echo, None) => {
                "so many connections, each with its next request of 64 bytes as soon as the last is answered; processor \
                 time and sleeps are the server's, once all are connected and warm"
            }
            (Kind::Echo, Some(_)) => {
                "64 connections, requests of 64 bytes due evenly at this share of the capacity; latencies from the moment \
                 when a request was due"
            }
        }
    }

    fn measurements(&self, outcome: Outcome, used: Usage) -> Vec<Measurement> {
        let requests = outcome.requests as f64;
        let mut figures = vec![
            Metric::REQUESTS_PER_SECOND.of(requests / outcome.elapsed.as_secs_f64()),
            Metric::CPU_MICROSECONDS_PER_REQUEST.of(used.cpu.as_secs_f64() * 1e6 / requests),
            Metric::SLEEPS_PER_REQUEST.of(used.sleeps as f64 / requests),
        ];
        if self.rate.is_some() {
            let [median, p99, p999] = outcome.micros;
            figures.push(Metric::MEDIAN_MICROSECONDS.of(median));
            figures.push(Metric::WORST_MICROSECONDS.of(p99));
            figures.push(Metric::WORST_OF_A_THOUSAND.of(p999));
        }
        figures
    }
}

/// Where every server is measured.
#[derive(Clone, Copy, Debug)]
struct Stand<'a> {
    options: &'a Options,
    go: Option<&'a Go>,
    subjects: &'a [String],
}

impl Stand<'_> {
    fn case<'a>(&'a self, load: &'a Load) -> Case<'a> {
        let subjects = self.subjects.iter().filter(|subject| load.kind.is_had_by(subject)).cloned().collect();
        Case {
            line: load.line(self.options.workers),
            subjects,
            last: load.kind.is_had_by(BARE).then_some(BARE),
            measure: Box::new(move |subject| self.measure(load, subject)),
        }
    }

    fn measure(&self, load: &Load, subject: &str) -> Result<Vec<Measurement>, Failure> {
        let upstream = (load.kind == Kind::Proxy).then(|| self.server(load, BARE, Service::Echo)).transpose()?;
        let service = match (load.kind, &upstream) {
            (_, Some(upstream)) => Service::Proxy(upstream.address),
            (Kind::Tls, _) => Service::Tls,
            _ => Service::Echo,
        };
        let mut server = self.server(load, subject, service)?;
        let plan = Plan {
            address: server.address,
            connections: load.connections,
            rate: load.rate,
            tls: load.kind == Kind::Tls,
            seconds: self.options.seconds,
            time_limit: self.options.time_limit,
        };
        let mut clients = clients::start(&plan)?;
        let before = server.usage()?;
        let outcome: Outcome = clients.go()?;
        let used = server.usage()?.since(before);
        clients.finish()?;
        Ok(load.measurements(outcome, used))
    }

    fn server(&self, load: &Load, subject: &str, service: Service) -> Result<ServerProcess, Failure> {
        let Options { workers, time_limit, .. } = *self.options;
        if let Some(go) = self.go.filter(|_| subject == runtimes::GO) {
            return ServerProcess::start(&mut go.echo_server(service.upstream(), workers, time_limit));
        }
        let (name, connections) = (subject.to_owned(), load.connections);
        ServerProcess::start(&mut server::Request { name, service, workers, connections, time_limit }.command()?)
    }

    /// Returns the requests a second that all servers can answer: the given ones, or those of the
    /// slowest in a closed loop.
    fn capacity(&self, facts: &mut Vec<String>) -> Result<f64, Failure> {
        if let Some(given) = self.options.capacity {
            facts.push(format!("the capacity was given: {given} requests a second"));
            return Ok(given as f64);
        }
        let load = Load::closed(Kind::Echo, CONNECTIONS_AT_LOAD);
        let servers: Vec<&str> = self.subjects.iter().map(String::as_str).chain([BARE]).collect();
        let mut rates = vec![Vec::new(); servers.len()];
        for run in 0..RUNS_FOR_CAPACITY {
            eprintln!("capacity, run {} of {RUNS_FOR_CAPACITY}", run + 1);
            for turn in 0..servers.len() {
                let place = (turn + run) % servers.len();
                let figures = self.measure(&load, servers[place])?;
                rates[place].extend(figures.first().map(|rate| rate.value));
            }
        }
        let medians = rates.iter().filter_map(|rates| Some(Summary::of(rates)?.median));
        let medians: Vec<(&str, f64)> = servers.into_iter().zip(medians).collect();
        let (slowest, least) =
            medians.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no server was measured")?;
        let all: Vec<_> = medians.iter().map(|(server, rate)| format!("{server} {rate:.0}")).collect();
        facts.push(format!(
            "the capacity is {least:.0} requests a second, the least of the medians of {RUNS_FOR_CAPACITY} runs in turn \
             with {CONNECTIONS_AT_LOAD} connections in a closed loop ({slowest}'s): {}",
            all.join(", ")
        ));
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_load_is_its_share_of_the_capacity() {
        assert_eq!(Load::at(70, 1000.0).rate, Some(700));
        assert_eq!(Load::at(10, 1.0).rate, Some(1));
        assert_eq!(Load::closed(Kind::Echo, 500).rate, None);
    }

    #[test]
    fn only_a_load_at_a_rate_has_latencies() {
        let outcome = Outcome { requests: 100, elapsed: Duration::from_secs(2), micros: [1.0, 2.0, 3.0] };
        let used = Usage { cpu: Duration::from_millis(1), sleeps: 50 };
        let values =
            |load: Load| load.measurements(outcome, used).iter().map(|figure| figure.value).collect::<Vec<_>>();
        assert_eq!(values(Load::closed(Kind::Echo, 1)), [50.0, 10.0, 0.5]);
        assert_eq!(values(Load::at(10, 500.0)), [50.0, 10.0, 0.5, 1.0, 2.0, 3.0]);
    }
}
