//! The parent: starts the children in turn, again and again, and hands what they measured to the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::{self, BARE, Request};
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::report::{Line, Report, Sample};
use crate::{Failure, growth, machine, runtimes};

mod cases;
mod chart;
pub(crate) mod go;

pub(crate) use cases::Case;
use go::Go;

/// What to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How often each workload is measured on each runtime.
    pub repeats: u32,
    /// The workloads; all if empty.
    pub only: Vec<String>,
    /// The runtimes beside wsrt.
    pub rivals: Vec<String>,
    /// The echo's connections; each number is a case of its own.
    pub connections: Vec<usize>,
    /// Where the files go; beside the build's own output where `None`.
    pub directory: Option<PathBuf>,
    /// How long one measurement may take.
    pub time_limit: Duration,
    /// Whether to tell how cost grows, in place of what it is.
    pub growth: bool,
    /// Whether to get a Go toolchain where none is found.
    pub install_go: bool,
    /// What all cases have in common.
    pub plan: Plan,
}

/// Who is measured, and with what.
struct Subjects {
    runtimes: Vec<String>,
    /// This program, which is also its own children.
    program: PathBuf,
    go: Option<Go>,
}

/// Measures everything, prints the table and saves it.
///
/// # Errors
///
/// Returns an error if the files cannot be written, or, after the table, if any measurement failed.
pub fn run(options: &Options) -> Result<(), Failure> {
    let program = std::env::current_exe()?;
    let directory = match &options.directory {
        Some(directory) => directory.clone(),
        None => beside_build(&program)?,
    };
    let cases = cases::cases(options);
    let mut facts = machine::describe();
    let go = find_go(options, &directory, &mut facts)?;
    facts.push(extent(options));
    if let Some(cores) = &options.plan.apart {
        facts.push(format!("runtimes on cores {:?}, the echo's clients on {:?}", cores.measured, cores.of_clients()));
    }
    let subjects = Subjects { runtimes: runtimes(&options.rivals), program, go };
    let mut report = Report::new(subjects.runtimes.clone(), cases.iter().map(line).collect());
    for repeat in 0..options.repeats {
        eprintln!("repeat {} of {}", repeat + 1, options.repeats);
        for case in &cases {
            for runtime in turn(&subjects.runtimes, repeat, case) {
                measure(&subjects, options, case, &runtime, repeat, &mut report);
            }
        }
    }
    finish(options, &cases, &report, &facts, &directory)
}

fn line(case: &Case) -> Line {
    Line { label: case.label.clone(), summary: case.about.summary, workers: case.plan.workers }
}

fn extent(options: &Options) -> String {
    let repeats = format!("{} repeats in turn, every measurement in a process of its own", options.repeats);
    if options.growth { repeats } else { format!("{} workers each, {repeats}", options.plan.workers) }
}

/// Gets Go's program ready if Go is among the rivals. Where it cannot be had, the facts tell why.
fn find_go(options: &Options, directory: &Path, facts: &mut Vec<String>) -> Result<Option<Go>, Failure> {
    if !options.rivals.iter().any(|rival| rival == runtimes::GO) {
        return Ok(None);
    }
    fs::create_dir_all(directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    match Go::build(directory, options.install_go) {
        Ok(go) => {
            facts.push(go.version.clone());
            Ok(Some(go))
        }
        Err(why) => {
            eprintln!("compare: Go is not measured: {why}");
            facts.push(format!("Go is not measured: {why}"));
            Ok(None)
        }
    }
}

/// Measures one case once on one runtime, unless it has already failed there: whatever hangs would hang again.
fn measure(subjects: &Subjects, options: &Options, case: &Case, runtime: &str, repeat: u32, report: &mut Report) {
    if report.has_failed(&case.label, runtime) {
        return;
    }
    let measured = if runtime == runtimes::GO {
        match &subjects.go {
            Some(go) if go::has(case.about.name) => go.measure(case, options.time_limit),
            _ => return,
        }
    } else {
        let request = Request {
            runtime: runtime.to_owned(),
            workload: case.about.name.to_owned(),
            plan: case.plan.clone(),
            time_limit: Some(options.time_limit),
        };
        child::measure(&subjects.program, &request)
    };
    match measured {
        Ok(measurements) => report.add(samples(case, runtime, repeat, measurements)),
        Err(failure) => {
            eprintln!("compare: {} on {runtime}: {failure}", case.label);
            report.fail(&case.label, runtime, &failure.to_string());
        }
    }
}

fn samples(case: &Case, runtime: &str, repeat: u32, measurements: Vec<Measurement>) -> Vec<Sample> {
    let sample = |measurement| Sample { case: case.label.clone(), runtime: runtime.to_owned(), repeat, measurement };
    measurements.into_iter().map(sample).collect()
}

fn finish(
    options: &Options,
    cases: &[Case],
    report: &Report,
    facts: &[String],
    directory: &Path,
) -> Result<(), Failure> {
    let text = report.markdown(facts);
    println!("{text}");

    fs::create_dir_all(directory)?;
    let (stem, drawing) = if options.growth {
        (directory.join("growth"), growth::svg(cases, report))
    } else {
        let workers = options.plan.workers;
        (directory.join(format!("compare-{workers}-workers")), chart::svg(report, workers))
    };
    for (extension, contents) in [("md", text), ("csv", report.csv()), ("svg", drawing)] {
        let path = stem.with_extension(extension);
        fs::write(&path, contents).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        println!("saved {}", path.display());
    }
    match report.failures() {
        0 => Ok(()),
        failures => Err(format!("{failures} cases failed, see the table").into()),
    }
}

/// `target/compare` for `target/release/compare`, wherever the target directory is.
fn beside_build(program: &Path) -> Result<PathBuf, Failure> {
    let target = program.parent().and_then(Path::parent);
    let target = target.ok_or_else(|| format!("{} is in no target directory", program.display()))?;
    Ok(target.join("compare"))
}

fn runtimes(rivals: &[String]) -> Vec<String> {
    let subject = runtimes::all().into_iter().find(|entry| entry.name == runtimes::SUBJECT);
    subject.map(|entry| entry.name.to_owned()).into_iter().chain(rivals.iter().cloned()).collect()
}

/// The order of one repeat: each repeat begins with another runtime, so that none always follows the same one.
fn turn(runtimes: &[String], repeat: u32, case: &Case) -> Vec<String> {
    let mut turn = runtimes.to_vec();
    if !turn.is_empty() {
        let first = repeat as usize % turn.len();
        turn.rotate_left(first);
    }
    if case.about.bare.is_some() {
        turn.push(BARE.to_owned());
    }
    turn
}

#[cfg(test)]
impl Options {
    fn example() -> Self {
        Self {
            repeats: 1,
            only: Vec::new(),
            rivals: Vec::new(),
            connections: vec![64],
            directory: None,
            time_limit: Duration::from_secs(1),
            growth: false,
            install_go: false,
            plan: Plan::usual(PathBuf::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_comes_first_in_its_turn() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let case = &cases::cases(&Options::example())[0];
        let firsts: Vec<_> = (0..4).map(|repeat| turn(&names, repeat, case)[0].clone()).collect();
        assert_eq!(firsts, ["a", "b", "c", "a"]);
        assert_eq!(turn(&names, 1, case), ["b", "c", "a"]);
    }

    #[test]
    fn the_files_go_into_the_build_directory() {
        let directory = beside_build(Path::new("/src/target/release/compare")).unwrap();
        assert_eq!(directory, Path::new("/src/target/compare"));
    }
}
