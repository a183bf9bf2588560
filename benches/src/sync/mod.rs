//! Channels and locks beside each other: wsrt's, tokio's, those of other crates, and Go's.
//!
//! tokio's run on tokio, all others on wsrt, Go's on Go. Everything else is as in `compare`: each
//! measurement in a process of its own, the libraries in turn. [`rows`] is what is measured, and
//! [`libraries()`] what it is measured on.
//!
//! ```text
//! cargo run --release -p wsrt-benches --bin sync -- --workers 1
//! cargo run --release -p wsrt-benches --bin sync -- --workers 2
//! ```

use std::path::Path;
use std::time::Duration;

use crate::go::{self, Go};
use crate::harness::{Case, Job, Line, Program, Report, is_wanted};
use crate::plan::Plan;
use crate::runtimes::{self, Tokio};
use crate::workloads::About;
use crate::{Failure, machine};

mod libraries;
mod options;
mod request;
mod rows;

pub(crate) use request::{ROLE, role};
pub use request::{Request, run_on};

use options::Options;

/// The program `sync`.
pub const PROGRAM: Program = Program {
    name: "sync",
    help: options::help,
    roles: &[(ROLE, role)],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

/// The crates whose versions stand above the table.
const CRATES: [&str; 8] =
    ["wsrt-sync", "tokio", "async-channel", "async-lock", "flume", "futures-channel", "futures-util", "kanal"];

/// Returns each row's description, and the names of its libraries.
pub fn all() -> Vec<(About, Vec<&'static str>)> {
    let names = |row: rows::Row<Tokio>| (row.about, row.libraries.into_iter().map(|(name, _)| name).collect());
    rows::all::<Tokio>().into_iter().map(names).collect()
}

/// Finds a row by its name.
///
/// # Errors
///
/// Returns an error that lists the names there are.
pub fn find(name: &str) -> Result<About, Failure> {
    let all = all();
    match all.iter().find(|(about, _)| about.name == name) {
        Some((about, _)) => Ok(*about),
        None => {
            let names: Vec<_> = all.iter().map(|(about, _)| about.name).collect();
            Err(format!("no row {name:?}; there are {}", names.join(", ")).into())
        }
    }
}

/// Says whether `library` has the named row.
pub(crate) fn has(library: &str, row: &str) -> bool {
    all().iter().any(|(about, libraries)| about.name == row && libraries.contains(&library))
}

/// Returns the names of all libraries, wsrt's first and Go last.
fn libraries() -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in all().into_iter().flat_map(|(_, names)| names).chain([runtimes::GO]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Measures everything, prints the table and saves it.
fn run(options: &Options) -> Result<(), Failure> {
    let directory = options.settings.directory()?;
    let program = std::env::current_exe()?;
    let mut facts = machine::describe(&CRATES);
    let wants_go = options.libraries.iter().any(|library| library == runtimes::GO);
    let go = Go::find(wants_go, &directory, options.install_go, &mut facts);
    facts.push(format!("{} workers each", options.plan.workers));
    let rows: Vec<_> = all().into_iter().filter(|(about, _)| is_wanted(&options.only, about.name)).collect();
    let line = |about: &About| Line::new(about.name, options.plan.workers);
    let lines = rows.iter().map(|(about, _)| (line(about), about.summary)).collect();
    let mut report = Report::on_rivals(options.libraries.clone(), lines);
    report.facts = facts;
    let cases: Vec<_> = rows
        .iter()
        .map(|(about, libraries)| {
            let has_it = |library: &&String| match go {
                Some(_) if *library == runtimes::GO => go::has(about.name),
                _ => libraries.contains(&library.as_str()),
            };
            let subjects = options.libraries.iter().filter(has_it).cloned().collect();
            case(*about, line(about), subjects, &options.plan, (&program, go.as_ref(), options.time_limit))
        })
        .collect();
    options.settings.measure(&cases, &mut report);
    options.settings.finish(&report, &format!("sync-{}-workers", options.plan.workers), None)
}

fn case<'a>(
    about: About,
    line: Line,
    subjects: Vec<String>,
    plan: &'a Plan,
    (program, go, limit): (&'a Path, Option<&'a Go>, Duration),
) -> Case<'a> {
    let measure = move |library: &str| match go {
        Some(go) if library == runtimes::GO => go.measure(&about, plan, limit),
        _ => {
            let (library, row) = (library.to_owned(), about.name.to_owned());
            let request = Request { library, row, plan: plan.clone(), time_limit: Some(limit) };
            request.measure(program)
        }
    };
    Case { line, subjects, last: None, measure: Box::new(measure) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_wsrt_first_and_tokio_second() {
        for (about, libraries) in all() {
            assert_eq!(libraries[..2], ["wsrt", "tokio"], "{}", about.name);
        }
    }

    #[test]
    fn row_names_are_unique_among_all_workloads() {
        let workloads = crate::workloads::all().into_iter().map(|about| about.name);
        let mut names: Vec<_> = all().iter().map(|(about, _)| about.name).chain(workloads).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn an_unknown_row_is_answered_with_the_names_there_are() {
        let message = find("lock_nothing").unwrap_err().to_string();
        assert!(message.contains("lock_nothing") && message.contains("lock_four"), "{message}");
    }
}
