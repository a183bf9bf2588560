//! The parent: starts the children in turn, again and again, and shows what they measured.

use std::fs;
use std::io::stdout;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cpp::{self, Built};
use super::request::Request;
use super::results::{Case, Results};
use super::sections::{self, Section};
use super::{plot, table};
use crate::cores::{self, Cores};
use crate::quiet::Quiet;
use crate::{Failure, child, machine};

/// Crates whose versions a reader of the figures wants to know.
const CRATES: [&str; 3] = ["wsrt", "rayon", "tokio"];

/// What to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// The sections; all if empty.
    pub(super) only: Vec<String>,
    /// The cases; all if empty.
    pub(super) cases: Vec<String>,
    /// The subjects; all if empty.
    pub(super) subjects: Vec<String>,
    pub(super) processors: usize,
    pub(super) repeats: usize,
    /// Where the files go; beside the build's own output where `None`.
    pub(super) directory: Option<PathBuf>,
    pub(super) time_limit: Duration,
    /// How long each measurement may wait until nobody else computes.
    pub(super) quiet: Duration,
}

/// Is the child: measures, and prints its series.
///
/// # Errors
///
/// Returns an error if there is no such thing to measure, or if the system fails it.
pub(super) fn serve(request: &Request) -> Result<(), Failure> {
    cores::stay_on(&request.cores.measured)?;
    child::end_after(request.time_limit, format!("{} {} on {}", request.section, request.case, request.subject));
    let series = (sections::find(&request.section)?.serve)(request)?;
    Ok(series.write(&mut stdout().lock())?)
}

/// Measures everything, prints the tables and saves them.
///
/// # Errors
///
/// Returns an error if the files cannot be written, or, after the tables, if any measurement failed.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    // Before anything is built or measured: there may be too few.
    let cores = Cores::deal("--processors", options.processors)?;
    let program = std::env::current_exe()?;
    let directory = match &options.directory {
        Some(directory) => directory.clone(),
        None => beside_build(&program)?,
    };
    let rivals = directory.join("rivals");
    let plan = Plan { options, cores, built: cpp::build_all(&rivals)?, program, rivals };
    let mut results = Results::default();
    let mut quiet = Quiet::default();
    for repeat in 0..options.repeats {
        eprintln!("repeat {} of {}", repeat + 1, options.repeats);
        for section in plan.sections() {
            for case in plan.cases(section) {
                plan.measure(section, &case, repeat, &mut quiet, &mut results)?;
            }
        }
    }
    plan.show(&results, &quiet, &directory)?;
    match results.failures() {
        0 => Ok(()),
        failures => Err(format!("{failures} measurements failed, see the tables").into()),
    }
}

/// `target/parallel` for `target/release/parallel`, wherever the target directory is.
fn beside_build(program: &Path) -> Result<PathBuf, Failure> {
    let target = program.parent().and_then(Path::parent);
    let target = target.ok_or_else(|| format!("{} is in no target directory", program.display()))?;
    Ok(target.join("parallel"))
}

struct Plan<'a> {
    options: &'a Options,
    /// Of the measurements with as many processors as the options say.
    cores: Cores,
    built: Built,
    program: PathBuf,
    rivals: PathBuf,
}

/// Whether `wanted`, the words after an option, asks for `name`.
fn is_wanted(wanted: &[String], name: &str) -> bool {
    wanted.is_empty() || wanted.iter().any(|word| word == name)
}

impl Plan<'_> {
    fn sections(&self) -> impl Iterator<Item = &'static Section> {
        sections::ALL.iter().filter(|section| is_wanted(&self.options.only, section.name))
    }

    fn cases(&self, section: &'static Section) -> Vec<Case> {
        let of_options = [self.options.processors];
        let processors = if section.processors.is_empty() { &of_options[..] } else { section.processors };
        let there_are = self.cores.measured.len() + self.cores.others.len();
        let processors: Vec<_> = processors.iter().copied().filter(|&count| count <= there_are).collect();
        let wanted = (section.cases)().into_iter().filter(|name| is_wanted(&self.options.cases, name));
        let case = |name| processors.iter().map(move |&processors| Case { section: section.name, name, processors });
        wanted.flat_map(case).collect()
    }

    fn subjects(&self, section: &Section) -> Vec<&'static str> {
        let is_there =
            |subject: &&&str| is_wanted(&self.options.subjects, subject) && !self.built.missing.contains(subject);
        section.subjects.iter().filter(is_there).copied().collect()
    }

    /// Measures one case once on each subject; each repeat begins with another one. A subject that has failed is left out
    /// from then on: whatever hangs would hang again.
    fn measure(
        &self,
        section: &'static Section,
        case: &Case,
        repeat: usize,
        quiet: &mut Quiet,
        results: &mut Results,
    ) -> Result<(), Failure> {
        let mut subjects = self.subjects(section);
        let first = repeat % subjects.len().max(1);
        subjects.rotate_left(first);
        for subject in subjects {
            if results.has_failed(case, subject) {
                continue;
            }
            quiet.wait(self.options.quiet);
            match self.request(case, subject)?.measure(&self.program) {
                Ok(series) => results.add(section, case, subject, &series),
                Err(failure) => {
                    eprintln!("parallel: {} {} on {subject}: {failure}", section.name, case.name);
                    results.fail(case, subject, &failure.to_string());
                }
            }
        }
        Ok(())
    }

    fn request(&self, case: &Case, subject: &str) -> Result<Request, Failure> {
        Ok(Request {
            section: case.section.to_owned(),
            case: case.name.to_owned(),
            subject: subject.to_owned(),
            cores: Cores::deal("--processors", case.processors)?,
            rivals: self.rivals.clone(),
            time_limit: self.options.time_limit,
        })
    }

    fn show(&self, results: &Results, quiet: &Quiet, directory: &Path) -> Result<(), Failure> {
        let mut text = String::from("# Fork-join and loops\n\n");
        text.extend(self.facts(quiet).iter().map(|fact| format!("- {fact}\n")));
        text.push_str("\nMedians, and in brackets the quartiles, over the repeats.\n");
        for section in self.sections() {
            text.push('\n');
            text.push_str(&table::markdown(section, &self.cases(section), &self.subjects(section), results));
        }
        text.push_str(&results.complaints());
        println!("{text}");
        save(&directory.join("parallel.md"), &text)?;
        save(&directory.join("parallel.csv"), &results.csv())?;
        let plotted = sections::find(sections::LOOPS)?;
        if is_wanted(&self.options.only, plotted.name) {
            let drawing = plot::svg(plotted, &self.cases(plotted), &self.subjects(plotted), results);
            save(&directory.join("parallel.svg"), &drawing)?;
        }
        Ok(())
    }

    fn facts(&self, quiet: &Quiet) -> Vec<String> {
        let mut facts = machine::describe_with(&CRATES);
        facts.extend(self.built.facts.iter().cloned());
        let Cores { measured, others } = &self.cores;
        facts.push(format!("cores measured: {measured:?}; left for the echo's clients: {others:?}"));
        facts.push(format!("{} repeats in turn, every measurement in a process of its own", self.options.repeats));
        facts.push(quiet.fact());
        facts
    }
}

fn save(path: &Path, contents: &str) -> Result<(), Failure> {
    fs::write(path, contents).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    println!("saved {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_go_into_the_build_directory() {
        let directory = beside_build(Path::new("/src/target/release/parallel")).unwrap();
        assert_eq!(directory, Path::new("/src/target/parallel"));
    }

    #[test]
    fn without_a_choice_everything_is_wanted() {
        assert!(is_wanted(&[], "loops"));
        assert!(!is_wanted(&["join".to_owned()], "loops"));
    }
}
