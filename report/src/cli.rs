//! The command line of `wsrt-report`, and the actions that it selects.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lexopt::Parser;
use lexopt::prelude::*;

use crate::{Failure, page, reading};

/// The text that `--help` prints.
pub const HELP: &str = "\
Makes one HTML page of a trace of wsrt's scheduler, to be opened in a browser; it needs no network.

usage: wsrt-report TRACE [-o FILE]

  TRACE            the file that a program started with WSRT_TRACE=TRACE has written
  -o, --output FILE
                   the file of the page; `-` is the standard output, and TRACE.html the default
  -h, --help       print this
  -V, --version    print the version
";

/// The reason why the program failed, which determines the exit code.
#[derive(Debug)]
pub enum Refusal {
    /// The command line is invalid. The exit code is 2.
    Usage(String),
    /// A file could not be read or written. The exit code is 1.
    Failure(Failure),
}

/// The action that the command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Command {
    Report { trace: PathBuf, output: Output },
    Help,
    Version,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Output {
    File(PathBuf),
    Standard,
}

/// Runs the program with the given command-line arguments, without the program's name.
///
/// # Errors
///
/// Returns an error that describes the mistake in the command line, or the file that could not be
/// read or written and the reason.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<(), Refusal> {
    match parse(arguments).map_err(|error| Refusal::Usage(error.to_string()))? {
        Command::Help => print(HELP.as_bytes()),
        Command::Version => print(concat!("wsrt-report ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()),
        Command::Report { trace, output } => report(&trace, &output),
    }
    .map_err(Refusal::Failure)
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let (mut trace, mut output) = (None, None);
    let mut words = Parser::from_args(arguments);
    while let Some(word) = words.next()? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Short('o') | Long("output") => {
                let file = words.value()?;
                if file.is_empty() {
                    return Err("--output needs a file".into());
                }
                if output.replace(file).is_some() {
                    return Err("--output is given twice".into());
                }
            }
            Value(word) if trace.is_none() && !word.is_empty() => trace = Some(PathBuf::from(word)),
            other => return Err(other.unexpected()),
        }
    }
    let trace = trace.ok_or("which trace? usage: wsrt-report TRACE [-o FILE]")?;
    let output = match output {
        Some(file) if file == "-" => Output::Standard,
        Some(file) => Output::File(file.into()),
        None => Output::File(beside(&trace)),
    };
    Ok(Command::Report { trace, output })
}

/// Returns the default path of the page: the path of the trace with `.html` appended.
fn beside(trace: &Path) -> PathBuf {
    let mut name = trace.as_os_str().to_owned();
    name.push(".html");
    name.into()
}

fn report(trace: &Path, output: &Output) -> Result<(), Failure> {
    if let Output::File(file) = output {
        refuse_same(trace, file)?;
    }
    let page = page::html(&reading::read(trace)?);
    match output {
        Output::Standard => print(page.as_bytes()),
        Output::File(file) => {
            fs::write(file, page).map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
            print(format!("{}\n", file.display()).as_bytes())
        }
    }
}

/// Returns an error if the page would overwrite the trace.
fn refuse_same(trace: &Path, file: &Path) -> Result<(), Failure> {
    match (trace.canonicalize(), file.canonicalize()) {
        (Ok(trace), Ok(file)) if trace == file => {
            Err(format!("`{}` is the trace: the page needs a file of its own", file.display()).into())
        }
        // A missing file is reported when it is read.
        _ => Ok(()),
    }
}

/// Writes to standard output. A reader that closes the pipe early, as `head` does, is not an error.
fn print(text: &[u8]) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to the standard output: {error}").into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Command, String> {
        parse(words.iter().map(OsString::from)).map_err(|error| error.to_string())
    }

    fn asked(trace: &str, output: &str) -> Result<Command, String> {
        let output = if output == "-" { Output::Standard } else { Output::File(output.into()) };
        Ok(Command::Report { trace: trace.into(), output })
    }

    #[test]
    fn a_trace_and_a_place_may_come_in_any_order() {
        assert_eq!(parsed(&["a.trace"]), asked("a.trace", "a.trace.html"));
        assert_eq!(parsed(&["a", "-o", "b"]), asked("a", "b"));
        assert_eq!(parsed(&["--output", "b", "a"]), asked("a", "b"));
        assert_eq!(parsed(&["-o", "-", "--", "-a"]), asked("-a", "-"));
        assert_eq!(parsed(&["--output=b", "a"]), asked("a", "b"));
        assert_eq!(parsed(&["a", "--help"]), Ok(Command::Help));
        assert_eq!(parsed(&["-V"]), Ok(Command::Version));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        for (words, expected) in [
            (&[][..], "which trace? usage: wsrt-report TRACE [-o FILE]"),
            (&["a", "b"], "unexpected argument \"b\""),
            (&["a", "-x"], "invalid option '-x'"),
            (&["a", "-o"], "missing argument for option '-o'"),
            (&["a", "-o", "b", "-o", "c"], "--output is given twice"),
        ] {
            assert_eq!(parsed(words), Err(expected.to_owned()), "{words:?}");
        }
    }
}
