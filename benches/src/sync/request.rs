//! One measurement in a process of its own: the request on its command line, the results in its
//! output.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{libraries, rows};
use crate::Failure;
use crate::child::{end_after, measure_with};
use crate::harness::{Arguments, Job, Series, Words};
use crate::metric::Measurement;
use crate::plan::Plan;
use crate::runtimes::{Runtime, Tokio, Wsrt};
use crate::workloads::Figures;

/// The option that asks a program for one measurement.
pub(crate) const ROLE: &str = "--row-of";

/// The measurement of one child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The library's name.
    pub library: String,
    /// The row's name.
    pub row: String,
    /// The row's extent.
    pub plan: Plan,
    /// The process ends itself after this long: a lost wake-up must not stop the comparison.
    pub time_limit: Option<Duration>,
}

impl Request {
    /// Writes the command line that [`take`](Self::take) reads.
    pub(crate) fn words(&self) -> Words {
        let words = Words::begin(ROLE, &[&self.library, &self.row]);
        let limit = self.time_limit.map(|limit| limit.as_secs() as usize);
        self.plan.add_to(words).option("--time-limit", limit)
    }

    fn take(library: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        let time_limit = arguments.positive("--time-limit")?.map(Duration::from_secs);
        let plan = Plan::take(arguments)?;
        let row = arguments.free().ok_or_else(|| format!("{ROLE} LIBRARY needs the name of a row after it"))?;
        Ok(Self { library, row, plan, time_limit })
    }

    /// Starts `program` as a child with this request and waits for its results.
    ///
    /// # Errors
    ///
    /// Returns an error if the child cannot be started, fails, takes too long or has no result.
    pub fn measure(&self, program: &Path) -> Result<Vec<Measurement>, Failure> {
        measure_with(Command::new(program).args(self.words().into_vec()))
    }
}

/// Reads the options of a child.
pub(crate) fn role(library: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let request = Request::take(library, arguments)?;
    Ok(Box::new(move || serve(&request)))
}

/// Measures and prints one line for each figure.
fn serve(request: &Request) -> Result<(), Failure> {
    if let Some(limit) = request.time_limit {
        end_after(limit, format!("sync: {} of {}", request.row, request.library));
    }
    let Request { library, row, plan, .. } = request;
    let figures = match library.as_str() {
        <libraries::Tokio as libraries::Library>::NAME => run_on::<Tokio>(library, row, plan),
        _ => run_on::<Wsrt>(library, row, plan),
    }?;
    Ok(Series::from_iter(figures).write(&mut std::io::stdout().lock())?)
}

/// Builds the runtime `R`, and runs the named row of a library on it.
///
/// # Errors
///
/// Returns an error if the library has no such row, or if the system below fails.
///
/// # Panics
///
/// Panics if the row's result is wrong: if the library or the runtime lost or doubled something.
pub fn run_on<R: Runtime>(library: &str, row: &str, plan: &Plan) -> Figures {
    let named = rows::all::<R>().into_iter().find(|entry| entry.about.name == row);
    let entry = named.and_then(|row| row.libraries.into_iter().find(|(name, _)| *name == library));
    let (_, run) = entry.ok_or_else(|| format!("no row {row:?} of {library:?}"))?;
    run(&R::build(plan.workers)?, plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_understands_the_words_of_the_parent() {
        let request = Request {
            library: "tokio".to_owned(),
            row: "lock_four".to_owned(),
            plan: Plan { workers: 1, size: Some(7), ..Plan::usual(std::env::current_exe().unwrap()) },
            time_limit: Some(Duration::from_secs(13)),
        };
        assert_eq!(request.words().read(Request::take), request);
    }

    #[test]
    fn a_library_without_the_row_is_refused() {
        let plan = Plan::usual(std::env::current_exe().unwrap());
        let refusal = run_on::<Tokio>("kanal", "watch", &plan).unwrap_err().to_string();
        assert!(refusal.contains("kanal") && refusal.contains("watch"), "{refusal}");
    }
}
