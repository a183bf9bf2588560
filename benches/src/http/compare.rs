//! The parent: starts the servers in turn, again and again, loads each, and hands what it saw to the report.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::Options;
use super::generator::{self, Latency, Load, Run};
use super::process::ServerProcess;
use super::server::Request;
use super::{Version, h2load, wrk};
use crate::cores::{self, Cores};
use crate::metric::{Measurement, Metric};
use crate::quiet::Quiet;
use crate::report::{Line, Report, Sample};
use crate::usage::Usage;
use crate::{Failure, machine};

const RUNTIMES: [&str; 2] = ["wsrt", "tokio"];
/// Crates whose versions a reader of the figures wants to know.
const CRATES: [&str; 4] = ["wsrt", "tokio", "hyper", "hyper-util"];
/// The most threads of a generator: it is to have more room than the server, and no more threads than cores.
const MOST_THREADS: usize = 2;
/// The length of the run before the measured one.
const WARM_UP_SECONDS: u32 = 1;

/// Measures everything, prints the table and saves it.
///
/// # Errors
///
/// Returns an error if there are too few cores, if the files cannot be written, or, after the table, if any measurement failed.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let cores = Cores::deal("--processors", options.processors)?;
    let program = std::env::current_exe()?;
    let directory = match &options.directory {
        Some(directory) => directory.clone(),
        None => beside_build(&program)?,
    };
    fs::create_dir_all(&directory)?;
    // While this process may still use all the cores that there are.
    let machine = machine::describe_with(&CRATES);
    // The generators inherit it; the servers choose their own.
    cores::stay_on(cores.of_clients())?;
    let (versions, missing) = by_generator(&options.versions);
    let plan = Plan { options, cores, machine, program, directory };
    let line = |&version: &Version| Line {
        label: version.name().to_owned(),
        summary: summary(version),
        workers: options.processors,
    };
    let cases = versions.iter().map(line).collect();
    let mut report = Report::new(RUNTIMES.map(str::to_owned).to_vec(), cases);
    let mut quiet = Quiet::default();
    for repeat in 0..options.repeats {
        eprintln!("repeat {} of {}", repeat + 1, options.repeats);
        for &version in &versions {
            plan.measure(version, repeat, &mut quiet, &mut report);
        }
    }
    plan.show(&report, &quiet, &missing)
}

/// `target/http` for `target/release/http`, wherever the target directory is.
fn beside_build(program: &Path) -> Result<PathBuf, Failure> {
    let target = program.parent().and_then(Path::parent);
    let target = target.ok_or_else(|| format!("{} is in no target directory", program.display()))?;
    Ok(target.join("http"))
}

/// Those whose generator is there, and a fact on each of the others.
fn by_generator(versions: &[Version]) -> (Vec<Version>, Vec<String>) {
    let (there, missing): (Vec<_>, Vec<_>) =
        versions.iter().partition(|&&version| generator::is_installed(generator::program(version)));
    let fact =
        |version: Version| format!("{} not measured: {} is not installed", version.name(), generator::program(version));
    (there, missing.into_iter().map(fact).collect())
}

fn summary(version: Version) -> &'static str {
    match version {
        Version::Http1 => "hyper's hello over HTTP/1.1 under wrk, one request outstanding on each connection",
        Version::Http2 => "the same over HTTP/2 under h2load, several requests outstanding on each connection",
    }
}

struct Plan<'a> {
    options: &'a Options,
    cores: Cores,
    machine: Vec<String>,
    program: PathBuf,
    directory: PathBuf,
}

impl Plan<'_> {
    /// Measures one version once on each runtime; each repeat begins with another one.
    fn measure(&self, version: Version, repeat: u32, quiet: &mut Quiet, report: &mut Report) {
        let mut turn = RUNTIMES;
        let first = repeat as usize % turn.len();
        turn.rotate_left(first);
        for runtime in turn {
            let case = version.name();
            if report.has_failed(case, runtime) {
                continue;
            }
            quiet.wait(self.options.quiet);
            match self.measure_once(version, runtime) {
                Ok(measurements) => report.add(samples(case, runtime, repeat, measurements)),
                Err(failure) => {
                    eprintln!("http: {case} on {runtime}: {failure}");
                    report.fail(case, runtime, &failure.to_string());
                }
            }
        }
    }

    fn measure_once(&self, version: Version, runtime: &str) -> Result<Vec<Measurement>, Failure> {
        let request = Request { runtime: runtime.to_owned(), version, cores: self.cores.measured.clone() };
        let mut server = ServerProcess::start(&self.program, &request)?;
        let measured = Load {
            address: server.address(),
            threads: self.threads(),
            connections: self.options.connections,
            streams: self.options.streams,
            seconds: self.options.seconds,
        };
        let warm_up = Load { seconds: WARM_UP_SECONDS, ..measured };
        match version {
            Version::Http1 => {
                wrk::load(&warm_up)?;
                let before = server.usage()?;
                let (run, latency) = wrk::load(&measured)?;
                Ok(measurements(run, latency, server.usage()?.since(before)))
            }
            Version::Http2 => {
                let latency = h2load::latency(&warm_up, &self.directory.join("h2load.log"))?;
                let before = server.usage()?;
                let run = h2load::load(&measured)?;
                Ok(measurements(run, latency, server.usage()?.since(before)))
            }
        }
    }

    fn threads(&self) -> usize {
        self.cores.of_clients().len().min(MOST_THREADS).min(self.options.connections)
    }

    fn show(&self, report: &Report, quiet: &Quiet, missing: &[String]) -> Result<(), Failure> {
        let text = report.markdown(&self.facts(quiet, missing));
        println!("{text}");
        let stem = self.directory.join(format!("http-{}-processors", self.options.processors));
        for (extension, contents) in [("md", text), ("csv", report.csv())] {
            let path = stem.with_extension(extension);
            fs::write(&path, contents).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            println!("saved {}", path.display());
        }
        match report.failures() {
            0 => Ok(()),
            failures => Err(format!("{failures} cases failed, see the table").into()),
        }
    }

    fn facts(&self, quiet: &Quiet, missing: &[String]) -> Vec<String> {
        let Options { repeats, seconds, connections, streams, .. } = self.options;
        let mut facts = self.machine.clone();
        facts.push(format!(
            "servers on cores {:?}, wrk and h2load with {} threads on {:?}",
            self.cores.measured,
            self.threads(),
            self.cores.of_clients()
        ));
        facts.push(format!("{connections} connections, over HTTP/2 with {streams} streams each"));
        facts.push(format!("{repeats} repeats in turn of {seconds} s, every server in a process of its own"));
        facts.push(quiet.fact());
        facts.extend(missing.iter().cloned());
        facts
    }
}

fn samples(case: &str, runtime: &str, repeat: u32, measurements: Vec<Measurement>) -> Vec<Sample> {
    let sample = |measurement| Sample { case: case.to_owned(), runtime: runtime.to_owned(), repeat, measurement };
    measurements.into_iter().map(sample).collect()
}

fn measurements(run: Run, latency: Latency, used: Usage) -> Vec<Measurement> {
    let requests = run.requests as f64;
    let of = |metric, value| Measurement { metric, value };
    vec![
        of(Metric::RequestsPerSecond, run.per_second),
        of(Metric::CpuMicrosecondsPerRequest, used.cpu.as_secs_f64() * 1e6 / requests),
        of(Metric::SleepsPerRequest, used.sleeps as f64 / requests),
        of(Metric::MedianMicroseconds, latency.median),
        of(Metric::WorstMicroseconds, latency.p99),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn processor_time_and_sleeps_are_told_for_each_request() {
        let run = Run { requests: 1000, per_second: 500.0 };
        let used = Usage { cpu: Duration::from_millis(5), sleeps: 10 };
        let seen = measurements(run, Latency { median: 1.0, p99: 2.0 }, used);
        let values: Vec<_> = seen.iter().map(|measurement| measurement.value).collect();
        assert_eq!(values, [500.0, 5.0, 0.01, 1.0, 2.0]);
    }
}
