//! The one harness of all programs that compare: the command line, the turns of the subjects, the
//! processes that measure, and the report.
//!
//! [`Program`] is a program with its roles: the parent that compares, and the processes that it
//! starts. The parent describes its [`Case`]s and leaves the rest to [`Settings`]: each repeat
//! begins with another subject, a measurement may wait for an idle machine, a subject that has
//! failed is left out, and tables, samples and charts are printed and saved.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

mod arguments;
mod process;
mod program;
mod quiet;
mod report;
mod series;

pub use arguments::Arguments;
pub(crate) use arguments::{Words, time_limit};
pub(crate) use process::{Dialogue, TooLong, collect, output_of, output_within};
pub use program::{Job, Program};
pub(crate) use report::{Asked, DEMANDS, Line, Report, Row, Table, align};
pub(crate) use series::Series;

use quiet::Quiet;

use crate::Failure;
use crate::metric::Measurement;

/// Measures one subject.
type Measure<'a> = dyn Fn(&str) -> Result<Vec<Measurement>, Failure> + 'a;

/// Some rows of a table, measured on each subject once in each repeat.
pub(crate) struct Case<'a> {
    pub(crate) line: Line,
    /// The subjects that take turns.
    pub(crate) subjects: Vec<String>,
    /// The subject that is always measured last.
    pub(crate) last: Option<&'static str>,
    pub(crate) measure: Box<Measure<'a>>,
}

impl Case<'_> {
    /// Returns the order of one repeat, so that no subject always follows the same one.
    fn turn(&self, repeat: usize) -> impl Iterator<Item = &str> {
        let first = repeat % self.subjects.len().max(1);
        let (before, after) = self.subjects.split_at(first);
        after.iter().chain(before).map(String::as_str).chain(self.last)
    }
}

/// The settings that every comparison has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The program's name, which is also that of the folder of its files.
    program: &'static str,
    repeats: usize,
    /// Where the files go; beside the build's own output where `None`.
    directory: Option<PathBuf>,
    /// How long each measurement may wait until the machine is idle.
    quiet: Duration,
}

impl Settings {
    /// The lines of `--help` on the options that [`take`](Self::take) reads.
    pub(crate) const HELP: &str = "  \
  --quiet S            seconds that each measurement may wait until no other program computes (0)
  --output DIR         where the tables, the samples and the charts go (target/NAME-OF-THE-PROGRAM)
";

    /// Takes the options `--repeats`, `--output` and `--quiet`.
    pub(crate) fn take(
        arguments: &mut Arguments,
        program: &'static str,
        usual_repeats: usize,
    ) -> Result<Self, Failure> {
        Ok(Self {
            program,
            repeats: arguments.positive("--repeats")?.unwrap_or(usual_repeats),
            directory: arguments.value("--output")?.map(Into::into),
            quiet: Duration::from_secs(arguments.number("--quiet")?.unwrap_or(0)),
        })
    }

    /// Makes the directory of the files, and returns its path.
    pub(crate) fn directory(&self) -> Result<PathBuf, Failure> {
        let directory = match &self.directory {
            Some(directory) => directory.clone(),
            None => beside_build(&std::env::current_exe()?, self.program)?,
        };
        fs::create_dir_all(&directory).map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
        Ok(directory)
    }

    /// Measures every case on every subject, again and again. A subject that has failed at a case
    /// is left out from then on: a measurement that hangs would hang again.
    pub(crate) fn measure(&self, cases: &[Case<'_>], report: &mut Report) {
        let mut quiet = Quiet::default();
        for repeat in 0..self.repeats {
            eprintln!("repeat {} of {}", repeat + 1, self.repeats);
            for case in cases {
                for subject in case.turn(repeat) {
                    if report.has_failed(&case.line, subject) {
                        continue;
                    }
                    quiet.wait(self.quiet);
                    match (case.measure)(subject) {
                        Ok(measurements) => report.add(&case.line, subject, repeat, &measurements),
                        Err(failure) => {
                            eprintln!("{}: {} on {subject}: {failure}", self.program, case.line.name);
                            report.fail(&case.line, subject, &failure);
                        }
                    }
                }
            }
        }
        let turns = format!("{} repeats in turn, every measurement in a process of its own", self.repeats);
        report.facts.extend([turns, quiet.fact()]);
    }

    /// Prints the tables and saves them with the samples and the chart, in files called `stem`.
    pub(crate) fn finish(&self, report: &Report, stem: &str, chart: Option<String>) -> Result<(), Failure> {
        let text = report.markdown();
        println!("{text}");
        // A name may have a dot in it.
        let stem = self.directory()?.join(stem).into_os_string();
        let files = [("md", Some(text)), ("csv", Some(report.csv())), ("svg", chart)];
        for (extension, contents) in files.into_iter().filter_map(|(extension, text)| Some((extension, text?))) {
            let path = PathBuf::from(&stem).with_extension(extension);
            fs::write(&path, contents).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            println!("saved {}", path.display());
        }
        match report.failures() {
            0 => Ok(()),
            failures => Err(format!("{failures} cases failed, see the table").into()),
        }
    }
}

/// Returns `target/NAME` for `target/release/PROGRAM`, wherever the target directory is.
fn beside_build(program: &Path, name: &str) -> Result<PathBuf, Failure> {
    let target = program.parent().and_then(Path::parent);
    let target = target.ok_or_else(|| format!("{} is in no target directory", program.display()))?;
    Ok(target.join(name))
}

/// Says whether `wanted`, the words after an option, asks for `name`: no words ask for everything.
pub(crate) fn is_wanted(wanted: &[String], name: &str) -> bool {
    wanted.is_empty() || wanted.iter().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    fn case<'a>(measure: impl Fn(&str) -> Result<Vec<Measurement>, Failure> + 'a) -> Case<'a> {
        let subjects = ["a", "b", "c"].map(str::to_owned).to_vec();
        Case { line: Line::new("case", 2), subjects, last: Some("bare"), measure: Box::new(measure) }
    }

    #[test]
    fn every_subject_comes_first_in_its_turn() {
        let case = case(|_| Ok(Vec::new()));
        let turn = |repeat| case.turn(repeat).collect::<Vec<_>>();
        assert_eq!(turn(0), ["a", "b", "c", "bare"]);
        assert_eq!(turn(1), ["b", "c", "a", "bare"]);
        assert_eq!(turn(3), turn(0));
    }

    #[test]
    fn a_subject_that_has_failed_is_left_out() {
        let case = case(|subject| match subject {
            "b" => Err("it hung".into()),
            _ => Ok(vec![Metric::MILLISECONDS.of(1.0)]),
        });
        let settings = Settings { program: "test", repeats: 3, directory: None, quiet: Duration::ZERO };
        let mut report = Report::new("test", vec![]);
        settings.measure(&[case], &mut report);
        assert_eq!(report.failures(), 1);
        assert_eq!(report.csv().lines().count(), 1 + 3 * 3);
    }

    #[test]
    fn the_files_go_into_the_build_directory() {
        let directory = beside_build(Path::new("/src/target/release/parallel"), "parallel").unwrap();
        assert_eq!(directory, Path::new("/src/target/parallel"));
    }

    #[test]
    fn without_a_choice_everything_is_wanted() {
        assert!(is_wanted(&[], "loops"));
        assert!(!is_wanted(&["join".to_owned()], "loops"));
    }
}
