//! The command line: what the user types, and what the program says to itself when it starts its children.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::compare::Options;
use super::mixed::pacer::Pace;
use super::request::Request;
use super::sections::{self, Section};
use crate::Failure;
use crate::cli::Arguments;
use crate::cores::Cores;

const DEFAULT_PROCESSORS: usize = 2;
const DEFAULT_REPEATS: usize = 9;
/// Seconds.
const DEFAULT_TIME_LIMIT: u64 = 60;

/// What the program was asked to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Compare(Options),
    Child(Request),
    Pace(Pace),
    Help,
}

/// Reads the command line, without the program's name.
///
/// # Errors
///
/// Returns an error that names the argument that is unknown, incomplete or out of range.
pub(super) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Failure> {
    let mut arguments = Arguments::new(arguments.collect());
    if arguments.flag("--help") || arguments.flag("-h") {
        return Ok(Command::Help);
    }
    let command = if let Some(section) = arguments.value("--child")? {
        Command::Child(child(section, &mut arguments)?)
    } else if let Some(address) = arguments.value("--pace")? {
        Command::Pace(pace(&address, &mut arguments)?)
    } else {
        Command::Compare(compare(&mut arguments)?)
    };
    arguments.finish()?;
    Ok(command)
}

fn compare(arguments: &mut Arguments) -> Result<Options, Failure> {
    let only = arguments.list("--only")?.unwrap_or_default();
    for name in &only {
        sections::find(name)?;
    }
    Ok(Options {
        only,
        cases: known(arguments, "--cases", |section| (section.cases)())?,
        subjects: known(arguments, "--subjects", |section| section.subjects.to_vec())?,
        processors: arguments.positive("--processors")?.unwrap_or(DEFAULT_PROCESSORS),
        repeats: arguments.positive("--repeats")?.unwrap_or(DEFAULT_REPEATS),
        directory: arguments.value("--output")?.map(Into::into),
        time_limit: Duration::from_secs(arguments.positive("--time-limit")?.unwrap_or(DEFAULT_TIME_LIMIT)),
        quiet: Duration::from_secs(arguments.number("--quiet")?.unwrap_or(0)),
    })
}

/// Takes the option `name`, a list of what some section has.
fn known(arguments: &mut Arguments, name: &str, of: fn(&Section) -> Vec<&'static str>) -> Result<Vec<String>, Failure> {
    let words = arguments.list(name)?.unwrap_or_default();
    let there_are: Vec<_> = sections::ALL.iter().flat_map(of).collect();
    match words.iter().find(|word| !there_are.contains(&word.as_str())) {
        None => Ok(words),
        Some(word) => Err(format!("{name} {word}: no section has it; --help lists what there is").into()),
    }
}

fn child(section: String, arguments: &mut Arguments) -> Result<Request, Failure> {
    let measured = arguments.numbers("--cores")?.ok_or("--child needs --cores")?;
    let others = arguments.numbers("--other-cores")?.unwrap_or_default();
    let rivals = arguments.value("--rivals")?.map_or_else(PathBuf::new, Into::into);
    let time_limit = Duration::from_secs(arguments.positive("--time-limit")?.unwrap_or(DEFAULT_TIME_LIMIT));
    let case = arguments.free().ok_or("--child SECTION needs the name of a case after it")?;
    let subject = arguments.free().ok_or("--child SECTION CASE needs the name of a subject after it")?;
    Ok(Request { section, case, subject, cores: Cores { measured, others }, rivals, time_limit })
}

fn pace(address: &str, arguments: &mut Arguments) -> Result<Pace, Failure> {
    let address: SocketAddr = address.parse().map_err(|error| format!("--pace {address}: {error}"))?;
    Ok(Pace {
        address,
        connections: arguments.positive("--connections")?.ok_or("--pace needs --connections")?,
        period: Duration::from_micros(arguments.positive("--period-us")?.ok_or("--pace needs --period-us")?),
        warm_up: arguments.number("--warm-up")?.unwrap_or(0),
        requests: arguments.positive("--requests")?.ok_or("--pace needs --requests")?,
        cores: arguments.numbers("--cores")?.ok_or("--pace needs --cores")?,
        shared: arguments.flag("--shared"),
    })
}

/// Answers the text that `--help` prints.
pub(super) fn help() -> String {
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
    format!(
        "\
Compares fork-join pools on the same work in the same run.

  cargo run --release -p wsrt-benches --bin parallel -- [OPTIONS]

  --only NAME,…        these sections, not all
  --cases NAME,…       these cases, not all
  --subjects NAME,…    these subjects, not all
  --processors N       threads that compute, each on a core of its own ({DEFAULT_PROCESSORS})
  --repeats N          measurements of each case on each subject ({DEFAULT_REPEATS})
  --time-limit S       seconds before a measurement counts as failed ({DEFAULT_TIME_LIMIT})
  --quiet S            seconds that each measurement may wait until nobody else computes (0)
  --output DIR         where the tables, the figures and the plot go (target/parallel)

One measurement in this process, for perf; it prints nanoseconds:

  parallel --child SECTION CASE SUBJECT --cores 0,1 [--rivals target/parallel/rivals]

The C++ rivals are built with $CXX, or g++.

Sections:
{sections}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> impl Iterator<Item = String> {
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, culprit) in [
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
        ] {
            let refusal = parse(words(line)).unwrap_err().to_string();
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
    }

    #[test]
    fn a_child_understands_what_the_parent_writes() {
        for others in [vec![], vec![2, 3]] {
            let request = Request {
                section: "echo".to_owned(),
                case: "64 bytes".to_owned(),
                subject: "tokio + rayon".to_owned(),
                cores: Cores { measured: vec![0, 1], others },
                rivals: "some where/rivals".into(),
                time_limit: Duration::from_secs(7),
            };
            assert_eq!(parse(request.arguments().into_iter()).unwrap(), Command::Child(request));
        }
    }

    #[test]
    fn the_clients_understand_what_the_server_writes() {
        for shared in [false, true] {
            let pace = Pace {
                address: ([127, 0, 0, 1], 4242).into(),
                connections: 3,
                period: Duration::from_micros(500),
                warm_up: 0,
                requests: 7,
                cores: vec![3],
                shared,
            };
            assert_eq!(parse(pace.arguments().into_iter()).unwrap(), Command::Pace(pace));
        }
    }

    #[test]
    fn the_help_names_every_section_and_subject() {
        let help = help();
        for section in &sections::ALL {
            assert!(help.contains(section.name) && section.subjects.iter().all(|subject| help.contains(subject)));
        }
    }
}
