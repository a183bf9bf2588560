//! The parent: starts the children in turn, again and again, and hands what they measured to the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Failure;
use crate::child::{self, BARE, Request};
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::report::{Report, Sample};
use crate::workloads::{self, About};
use crate::{machine, runtimes};

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
    /// What all cases have in common.
    pub plan: Plan,
}

/// A workload with its plan: one line of the table, or a few where it has several metrics.
#[derive(Clone, Debug)]
struct Case {
    label: String,
    about: About,
    plan: Plan,
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
    let cases = cases(options);
    let runtimes = runtimes(&options.rivals);
    let mut report =
        Report::new(runtimes.clone(), cases.iter().map(|case| (case.label.clone(), case.about.summary)).collect());
    for repeat in 0..options.repeats {
        eprintln!("repeat {} of {}", repeat + 1, options.repeats);
        for case in &cases {
            for runtime in turn(&runtimes, repeat, case) {
                measure(&program, options, case, &runtime, repeat, &mut report);
            }
        }
    }
    finish(options, &report, &directory)
}

/// Measures one case once on one runtime, unless it has already failed there: whatever hangs would hang again.
fn measure(program: &Path, options: &Options, case: &Case, runtime: &str, repeat: u32, report: &mut Report) {
    if report.has_failed(&case.label, runtime) {
        return;
    }
    let request = Request {
        runtime: runtime.to_owned(),
        workload: case.about.name.to_owned(),
        plan: case.plan.clone(),
        time_limit: Some(options.time_limit),
    };
    match child::measure(program, &request) {
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

fn finish(options: &Options, report: &Report, directory: &Path) -> Result<(), Failure> {
    let mut facts = machine::describe();
    facts.push(format!(
        "{} workers each, {} repeats in turn, every measurement in a process of its own",
        options.plan.workers, options.repeats
    ));
    if let Some(cores) = &options.plan.apart {
        facts.push(format!("runtimes on cores {:?}, the echo's clients on {:?}", cores.measured, cores.of_clients()));
    }
    let text = report.markdown(&facts);
    println!("{text}");

    fs::create_dir_all(directory)?;
    let stem = directory.join(format!("compare-{}-workers", options.plan.workers));
    for (extension, contents) in [("md", text), ("csv", report.csv(options.plan.workers))] {
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

fn cases(options: &Options) -> Vec<Case> {
    let wanted = |about: &About| options.only.is_empty() || options.only.iter().any(|name| name == about.name);
    workloads::all().into_iter().filter(wanted).flat_map(|about| cases_of(about, options)).collect()
}

fn cases_of(about: About, options: &Options) -> Vec<Case> {
    if about.name != workloads::ECHO {
        return vec![Case { label: about.name.to_owned(), about, plan: options.plan.clone() }];
    }
    let with_connections = |&connections: &usize| Case {
        label: format!("{}/{connections}", about.name),
        about,
        plan: Plan { connections, ..options.plan.clone() },
    };
    options.connections.iter().map(with_connections).collect()
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
mod tests {
    use super::*;

    fn options(connections: Vec<usize>) -> Options {
        Options {
            repeats: 1,
            only: Vec::new(),
            rivals: Vec::new(),
            connections,
            directory: None,
            time_limit: Duration::from_secs(1),
            plan: Plan::usual(PathBuf::new()),
        }
    }

    #[test]
    fn each_number_of_connections_is_a_case_of_the_echo() {
        let mut options = options(vec![1, 1000]);
        options.only = vec![workloads::ECHO.to_owned()];
        let cases = cases(&options);
        let seen: Vec<_> = cases.iter().map(|case| (&*case.label, case.plan.connections)).collect();
        assert_eq!(seen, [("echo_tcp/1", 1), ("echo_tcp/1000", 1000)]);
    }

    #[test]
    fn without_a_choice_every_workload_is_a_case() {
        assert_eq!(cases(&options(vec![64])).len(), workloads::all().len());
    }

    #[test]
    fn every_runtime_comes_first_in_its_turn() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let case = &cases(&options(vec![64]))[0];
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
