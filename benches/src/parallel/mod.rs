//! Fork-join and parallel loops: wsrt, rayon, OpenMP, oneTBB and a shared queue of threads on the
//! same work in the same run.
//!
//! Each measurement happens in a process of its own, on the first cores that this one may use, and
//! the subjects take turns. Within a process serial and parallel runs take turns too, so that an
//! efficiency, serial time ÷ (processors × time), compares times measured within milliseconds.
//!
//! From top to bottom: [`sections`] lists the measurements; [`ceiling`], [`loops`], [`scenarios`],
//! [`fib`] and [`mixed`] measure, on [`pools`] and [`cpp`], with [`spin`], [`costs`] and
//! [`rhythm`].

use std::io::stdout;
use std::path::Path;
use std::time::Duration;

use crate::cores::{self, Cores};
use crate::harness::{
    Arguments, Asked, Case, DEMANDS, Job, Line, Program, Report, Row, Settings, Table, is_wanted, time_limit,
};
use crate::picture::{Head, bars};
use crate::{Failure, child, machine};

mod ceiling;
mod costs;
mod cpp;
mod fib;
mod loops;
mod mixed;
mod pools;
mod request;
mod rhythm;
mod scenarios;
mod sections;
mod spin;

use cpp::Built;
use mixed::pacer;
use request::Request;
use sections::Section;

/// The program `parallel`.
pub const PROGRAM: Program = Program {
    name: "parallel",
    help,
    roles: &[
        ("--child", |section, arguments| {
            let request = Request::take(section, arguments)?;
            Ok(Box::new(move || serve(&request)))
        }),
        ("--pace", pacer::role),
    ],
    compare: |arguments| {
        let options = Options::take(arguments)?;
        Ok(Box::new(move || run(&options)) as Job)
    },
};

const USUAL_PROCESSORS: usize = 2;
const USUAL_REPEATS: usize = 9;
/// The crates whose versions stand above the tables.
const CRATES: [&str; 3] = ["wsrt", "rayon", "tokio"];

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Options {
    settings: Settings,
    /// The sections; all if empty.
    only: Vec<String>,
    /// The cases; all if empty.
    cases: Vec<String>,
    /// The subjects; all if empty.
    subjects: Vec<String>,
    processors: usize,
    time_limit: Duration,
}

impl Options {
    fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::take(arguments, PROGRAM.name, USUAL_REPEATS)?,
            only: arguments.list("--only", sections::find)?.unwrap_or_default(),
            cases: known(arguments, "--cases", |section| (section.cases)())?,
            subjects: known(arguments, "--subjects", |section| section.subjects.to_vec())?,
            processors: arguments.positive("--processors")?.unwrap_or(USUAL_PROCESSORS),
            time_limit: time_limit(arguments)?,
        })
    }
}

/// Takes the option `name`, a list of words that some section has.
fn known(arguments: &mut Arguments, name: &str, of: fn(&Section) -> Vec<&'static str>) -> Result<Vec<String>, Failure> {
    let known: Vec<_> = sections::ALL.iter().flat_map(of).collect();
    let check = |word: &str| match known.contains(&word) {
        true => Ok(()),
        false => Err(format!("{name} {word}: no section has it; --help lists them").into()),
    };
    Ok(arguments.list(name, check)?.unwrap_or_default())
}

/// Returns the text of `--help`.
fn help() -> String {
    let section = |section: &Section| {
        let cases = (section.cases)().join(", ");
        format!(
            "  {:<10} {}\n             cases {cases}\n             on {}\n",
            section.name,
            section.title,
            section.subjects.join(", ")
        )
    };
    let sections: String = sections::ALL.iter().map(section).collect();
    let settings = Settings::HELP;
    format!(
        "\
Compares fork-join pools on the same work in the same run.

  cargo run --release -p wsrt-benches --bin parallel -- [OPTIONS]

  --only NAME,…        these sections, not all
  --cases NAME,…       these cases, not all
  --subjects NAME,…    these subjects, not all
  --processors N       threads that compute, each on a core of its own ({USUAL_PROCESSORS})
  --repeats N          measurements of each case on each subject ({USUAL_REPEATS})
  --time-limit S       seconds before a measurement counts as failed (60)
{settings}
One measurement in this process, for perf; it prints nanoseconds:

  parallel --child SECTION CASE SUBJECT --cores 0,1 [--rivals target/parallel/rivals]

The C++ rivals are built with $CXX, or g++.

Sections:
{sections}"
    )
}

/// Measures as the child, and prints the series.
fn serve(request: &Request) -> Result<(), Failure> {
    cores::stay_on(&request.cores.measured)?;
    child::end_after(request.time_limit, format!("{} {} on {}", request.section, request.case, request.subject));
    let series = (sections::find(&request.section)?.serve)(request)?;
    Ok(series.write(&mut stdout().lock())?)
}

/// Measures everything, prints the tables and saves them.
fn run(options: &Options) -> Result<(), Failure> {
    // First of all, since there may be too few.
    let Cores { measured, others } = Cores::deal("--processors", options.processors)?;
    let rivals = options.settings.directory()?.join("rivals");
    let built = cpp::build_all(&rivals)?;
    let sections: Vec<_> = sections::ALL.iter().filter(|section| is_wanted(&options.only, section.name)).collect();
    let mut cases = Vec::new();
    let mut tables = Vec::new();
    for &section in &sections {
        let of_section = cases_of(section, options, measured.len() + others.len(), &built, &rivals);
        tables.push(Table {
            head: format!("## {}\n\n{}\n\n", section.title, section.about),
            names: ["case", "figure"],
            subjects: subjects(section, options, &built),
            columns: DEMANDS,
            lines: of_section.iter().map(|case| case.line.clone()).collect(),
        });
        cases.extend(of_section);
    }
    let mut report = Report::new("Fork-join and loops", tables);
    report.facts = machine::describe(&CRATES);
    report.facts.extend(built.facts.iter().cloned());
    report.facts.push(format!("cores measured: {measured:?}; left for the echo's clients: {others:?}"));
    report.facts.push("medians, and in brackets the quartiles, over the repeats".to_owned());
    options.settings.measure(&cases, &mut report);
    let plotted = sections.iter().find(|section| section.name == sections::LOOPS);
    let chart = plotted.map(|section| chart(section, &cases, &report));
    options.settings.finish(&report, PROGRAM.name, chart)
}

fn subjects(section: &Section, options: &Options, built: &Built) -> Vec<String> {
    let is_there = |subject: &&&str| is_wanted(&options.subjects, subject) && !built.missing.contains(subject);
    section.subjects.iter().filter(is_there).map(|&subject| subject.to_owned()).collect()
}

/// Returns the cases of a section on at most `most` processors.
fn cases_of<'a>(
    section: &'static Section,
    options: &'a Options,
    most: usize,
    built: &Built,
    rivals: &'a Path,
) -> Vec<Case<'a>> {
    let of_options = [options.processors];
    let processors = if section.processors.is_empty() { &of_options[..] } else { section.processors };
    let mut cases = Vec::new();
    for name in (section.cases)().into_iter().filter(|name| is_wanted(&options.cases, name)) {
        for &processors in processors.iter().filter(|&&count| count <= most) {
            let measure = move |subject: &str| {
                let request = Request {
                    section: section.name.to_owned(),
                    case: name.to_owned(),
                    subject: subject.to_owned(),
                    cores: Cores::deal("--processors", processors)?,
                    rivals: rivals.to_owned(),
                    time_limit: options.time_limit,
                };
                let series = request.measure(&std::env::current_exe()?)?;
                Ok(section.figures.iter().map(|figure| figure.metric.of((figure.of)(&series, processors))).collect())
            };
            cases.push(Case {
                line: line(section, name, processors),
                subjects: subjects(section, options, built),
                last: None,
                measure: Box::new(measure),
            });
        }
    }
    cases
}

fn line(section: &Section, case: &str, processors: usize) -> Line {
    let row = |figure: &sections::Figure| Row { metric: figure.metric, asked: (figure.asked)(case) };
    Line {
        name: format!("{}/{case}", section.name),
        label: format!("{case}, {processors} processor{}", if processors == 1 { "" } else { "s" }),
        workers: processors,
        rows: section.figures.iter().map(row).collect(),
    }
}

/// Draws a panel for each case of `section`, a bar for each subject: the first figure, a share of
/// 1.
fn chart(section: &Section, cases: &[Case<'_>], report: &Report) -> String {
    let head = Head {
        title: section.title,
        about: "Efficiency: serial time ÷ (processors × time). Longer is better, 1 is perfect; the median, with a line from \
                quartile to quartile.",
        note: "dashed: the demand on wsrt",
    };
    let panel = |case: &Case<'_>| {
        let Row { metric, asked } = case.line.rows[0];
        let dashed = if let Asked::AtLeast(least) = asked { Some(least) } else { None };
        let title = case.line.name.replace(&format!("{}/", section.name), "");
        report.panel(title, &case.subjects, (&case.line, metric), Some, dashed)
    };
    let is_of_section = |case: &&Case<'_>| case.line.name.starts_with(&format!("{}/", section.name));
    let panels: Vec<_> = cases.iter().filter(is_of_section).map(panel).collect();
    bars::svg(head, [0.0, 0.25, 0.5, 0.75, 1.0], &panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_argument_is_named() {
        PROGRAM.assert_refuses(&[
            ("--only knots", "knots"),
            ("--cases zipf_3", "zipf_3"),
            ("--subjects nobody", "nobody"),
            ("--processors 0", "--processors"),
            ("--repeats two", "--repeats"),
            ("--repeats", "--repeats"),
            ("--quiet soon", "--quiet"),
            ("--child loops zipf_512 wsrt", "--cores"),
            ("--child loops zipf_512 wsrt --cores 0,x", "--cores"),
            ("--child loops --cores 0", "case"),
            ("--pace nowhere", "nowhere"),
            ("--paces 1", "--paces"),
            ("loops", "loops"),
        ]);
    }

    #[test]
    fn the_help_names_every_section_and_subject() {
        let help = help();
        for section in &sections::ALL {
            assert!(help.contains(section.name) && section.subjects.iter().all(|subject| help.contains(subject)));
        }
    }

    #[test]
    fn every_subject_has_its_bar_and_every_case_its_demand() {
        let section = sections::find("loops").unwrap();
        let case = |name| Case {
            line: line(section, name, 2),
            subjects: ["wsrt", "rayon"].map(str::to_owned).to_vec(),
            last: None,
            measure: Box::new(|_| Ok(Vec::new())),
        };
        let cases = [case("zipf_512"), case("uniform_512")];
        let mut report = Report::new("Loops", Vec::new());
        for case in &cases {
            let metric = case.line.rows[0].metric;
            report.add(&case.line, "wsrt", 0, &[metric.of(0.8)]);
        }
        let drawing = chart(section, &cases, &report);
        assert_eq!(drawing.matches("class=\"ours\"").count(), 2);
        assert_eq!(drawing.matches("no figure").count(), 2, "rayon was not measured");
        assert_eq!(drawing.matches("class=\"asked\"").count(), 2);
        assert!(drawing.contains(">0.800<") && drawing.contains(">zipf_512<"));
    }
}
