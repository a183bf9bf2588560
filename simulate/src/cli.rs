//! The command line of `wsrt-sim`, and the actions that it selects.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use lexopt::Parser;
use lexopt::prelude::*;

use crate::cargo;
use crate::findings::Findings;
use crate::process::Folder;
use crate::shrinking;
use crate::sweep;

/// The text that `--help` prints.
pub const HELP: &str = "\
Runs a test of a simulation (wsrt::sim) by many seeds on all cores, and shrinks the faults of one that fails.

usage: wsrt-sim [OPTIONS] [--] PROGRAM [ARGUMENTS]

  PROGRAM           `cargo test ...`, which is built once, or a test program, or any other that runs a
                    simulation and exits with another code than 0 if that fails
  --seeds N, --seeds A..B
                    the seeds: those below N, or from A to below B; 1000 is the default
  --jobs N          processes at a time; the cores are the default
  --failures N      begin no more seeds after so many have failed; 5 is the default
  --limit SECONDS   the longest that one process may take; 60 is the default, after which it counts as failed
  --shrink N        look for smaller plans of faults with so many runs at most; 500 is the default
  --json            print one line of JSON
  -h, --help        print this
  -V, --version     print the version

The exit code is 0 if no seed fails, 1 if one does, and 2 if the test cannot be run.
";

/// The error for a test that could not be run, with the reason for the user.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal(pub(crate) String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<lexopt::Error> for Refusal {
    fn from(wrong: lexopt::Error) -> Self {
        Self(format!("{wrong}; --help lists the options"))
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self(why)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Run(Wishes),
    Help,
    Version,
}

/// The options that the command line selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub(crate) seeds: Range<u64>,
    pub(crate) jobs: usize,
    pub(crate) failures: usize,
    pub(crate) limit: Duration,
    pub(crate) most_shrinks: usize,
    is_json: bool,
    pub(crate) words: Vec<OsString>,
}

/// Runs the program with the given command-line arguments, without the program's name. Returns
/// `true` if no seed failed.
///
/// # Errors
///
/// Returns an error that describes the mistake in the command line, or the reason why the test
/// could not be run.
pub fn run(arguments: impl Iterator<Item = OsString>, output: &mut dyn Write) -> Result<bool, Refusal> {
    let (text, is_well) = match parse(arguments)? {
        Command::Help => (HELP.to_owned(), true),
        Command::Version => (concat!("wsrt-sim ", env!("CARGO_PKG_VERSION"), "\n").to_owned(), true),
        Command::Run(wishes) => {
            let findings = find(&wishes)?;
            let text = if wishes.is_json { findings.to_json() } else { findings.to_string() };
            (text, findings.failed.is_empty())
        }
    };
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // A reader that stops early, as `head` does, is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to the standard output: {error}").into())
        }
        _ => Ok(is_well),
    }
}

fn find(wishes: &Wishes) -> Result<Findings, Refusal> {
    let folder = Folder::make()?;
    let program = cargo::program(wishes, &folder)?;
    let began = Instant::now();
    let sweep = sweep::all(&program, wishes)?;
    let mut findings = Findings::of(wishes, &sweep, began.elapsed());
    if let Some(&smallest) = sweep.failed.first() {
        findings.smallest = Some(shrinking::smallest(&program, wishes, smallest)?);
    }
    Ok(findings)
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, Refusal> {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut wishes = Wishes {
        seeds: 0..1_000,
        jobs,
        failures: 5,
        limit: Duration::from_secs(60),
        most_shrinks: 500,
        is_json: false,
        words: Vec::new(),
    };
    let mut words = Parser::from_args(arguments);
    while let Some(word) = words.next()? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Long("json") => wishes.is_json = true,
            Long("seeds") => wishes.seeds = value(&mut words, "--seeds", "10000 or 500..1000", seeds)?,
            Long("jobs") => wishes.jobs = value(&mut words, "--jobs", "a number above 0", positive)?,
            Long("failures") => wishes.failures = value(&mut words, "--failures", "a number above 0", positive)?,
            Long("shrink") => {
                wishes.most_shrinks = value(&mut words, "--shrink", "a number", |text| text.parse().ok())?
            }
            Long("limit") => {
                let seconds = value(&mut words, "--limit", "a number of seconds above 0", positive)?;
                wishes.limit = Duration::from_secs(seconds as u64);
            }
            Value(program) => {
                wishes.words = [program].into_iter().chain(words.raw_args()?).collect();
                return Ok(Command::Run(wishes));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Err("which test? usage: wsrt-sim [OPTIONS] -- cargo test -p PACKAGE NAME".to_owned().into())
}

fn value<T>(words: &mut Parser, option: &str, wanted: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Refusal> {
    let word = words.value()?;
    let parsed = word.to_str().and_then(parse);
    parsed.ok_or_else(|| format!("{option} `{}` is not {wanted}", word.to_string_lossy()).into())
}

fn positive(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&number| number > 0)
}

fn seeds(text: &str) -> Option<Range<u64>> {
    let range = match text.split_once("..") {
        Some((start, end)) => start.parse().ok()?..end.parse().ok()?,
        None => 0..text.parse().ok()?,
    };
    (range.start < range.end).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Command, Refusal> {
        parse(words.iter().map(OsString::from))
    }

    fn wishes(words: &[&str]) -> Wishes {
        match parsed(words) {
            Ok(Command::Run(wishes)) => wishes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_stand_before_the_program() {
        let all =
            wishes(&["--seeds", "5..9", "--jobs", "3", "--json", "--limit", "2", "--shrink", "0", "--", "a", "--json"]);
        assert_eq!((all.seeds, all.jobs, all.limit, all.most_shrinks), (5..9, 3, Duration::from_secs(2), 0));
        assert!(all.is_json && all.words == ["a", "--json"]);
        let few = wishes(&["cargo", "test", "--", "--nocapture"]);
        assert_eq!((few.seeds, few.words.len()), (0..1_000, 4));
        assert_eq!(wishes(&["--seeds=7", "a", "--", "b"]).seeds, 0..7);
        assert_eq!(parsed(&["--help"]), Ok(Command::Help));
        assert_eq!(parsed(&["-V"]), Ok(Command::Version));
    }

    #[test]
    fn a_mistake_in_the_command_line_is_named() {
        for (words, expected) in [
            (&[][..], "which test? usage: wsrt-sim [OPTIONS] -- cargo test -p PACKAGE NAME"),
            (&["--"], "which test? usage: wsrt-sim [OPTIONS] -- cargo test -p PACKAGE NAME"),
            (&["--seeds", "many", "a"], "--seeds `many` is not 10000 or 500..1000"),
            (&["--seeds", "5..5", "a"], "--seeds `5..5` is not 10000 or 500..1000"),
            (&["--jobs", "0", "a"], "--jobs `0` is not a number above 0"),
            (&["--limit"], "missing argument for option '--limit'; --help lists the options"),
            (&["-x", "a"], "invalid option '-x'; --help lists the options"),
        ] {
            assert_eq!(parsed(words), Err(Refusal(expected.to_owned())), "{words:?}");
        }
    }
}
