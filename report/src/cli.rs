//! The command line of `wsrt-report`, and the actions that it selects.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lexopt::Parser;
use lexopt::prelude::*;

use crate::{Failure, dial9, page, reading};

/// The text that `--help` prints.
pub const HELP: &str = "\
Makes one HTML page of a trace of wsrt's scheduler, to be opened in a browser; it needs no network.

usage: wsrt-report TRACE [-o FILE] [--dial9]

  TRACE            the file that a program started with WSRT_TRACE=TRACE has written
  -o, --output FILE
                   the file of the page; `-` is the standard output, and TRACE.html the default
  --dial9          write a trace for the viewer of dial9 instead of a page; the default is TRACE.bin
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
    Convert { trace: PathBuf, output: Output, is_dial9: bool },
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
        Command::Convert { trace, output, is_dial9 } => {
            convert(&trace, &output, if is_dial9 { dial9_trace } else { html_page })
        }
    }
    .map_err(Refusal::Failure)
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let (mut trace, mut output, mut is_dial9) = (None, None, false);
    let mut words = Parser::from_args(arguments);
    while let Some(word) = words.next()? {
        match word {
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Long("dial9") => is_dial9 = true,
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
    let trace = trace.ok_or("which trace? usage: wsrt-report TRACE [-o FILE] [--dial9]")?;
    let output = match output {
        Some(file) if file == "-" => Output::Standard,
        Some(file) => Output::File(file.into()),
        None => Output::File(beside(&trace, if is_dial9 { ".bin" } else { ".html" })),
    };
    Ok(Command::Convert { trace, output, is_dial9 })
}

/// Returns the default path of the output: the path of the trace with an extension appended.
fn beside(trace: &Path, extension: &str) -> PathBuf {
    let mut name = trace.as_os_str().to_owned();
    name.push(extension);
    name.into()
}

/// Writes what `make` makes of the trace.
fn convert(trace: &Path, output: &Output, make: fn(&Path) -> Result<Vec<u8>, Failure>) -> Result<(), Failure> {
    if let Output::File(file) = output {
        refuse_same(trace, file)?;
    }
    let made = make(trace)?;
    match output {
        Output::Standard => print(&made),
        Output::File(file) => {
            fs::write(file, made).map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
            print(format!("{}\n", file.display()).as_bytes())
        }
    }
}

fn html_page(trace: &Path) -> Result<Vec<u8>, Failure> {
    Ok(page::html(&reading::read(trace)?).into_bytes())
}

fn dial9_trace(trace: &Path) -> Result<Vec<u8>, Failure> {
    let shown = trace.display();
    let converted = File::open(trace).and_then(dial9::convert);
    let (converted, polls) = converted.map_err(|error| format!("cannot read `{shown}`: {error}"))?;
    if polls == 0 {
        return Err(format!("`{shown}` has no poll of a task of wsrt's").into());
    }
    Ok(converted)
}

/// Returns an error if the output would overwrite the trace.
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
        Ok(Command::Convert { trace: trace.into(), output, is_dial9: false })
    }

    #[test]
    fn a_trace_and_a_place_may_come_in_any_order() {
        assert_eq!(parsed(&["a.trace"]), asked("a.trace", "a.trace.html"));
        assert_eq!(parsed(&["a", "-o", "b"]), asked("a", "b"));
        assert_eq!(parsed(&["--output", "b", "a"]), asked("a", "b"));
        assert_eq!(parsed(&["-o", "-", "--", "-a"]), asked("-a", "-"));
        assert_eq!(parsed(&["--output=b", "a"]), asked("a", "b"));
        let converted = Command::Convert { trace: "a".into(), output: Output::File("a.bin".into()), is_dial9: true };
        assert_eq!(parsed(&["--dial9", "a"]), Ok(converted));
        assert_eq!(parsed(&["a", "--help"]), Ok(Command::Help));
        assert_eq!(parsed(&["-V"]), Ok(Command::Version));
    }

    #[test]
    fn what_cannot_be_meant_is_named() {
        for (words, expected) in [
            (&[][..], "which trace? usage: wsrt-report TRACE [-o FILE] [--dial9]"),
            (&["a", "b"], "unexpected argument \"b\""),
            (&["a", "-x"], "invalid option '-x'"),
            (&["a", "-o"], "missing argument for option '-o'"),
            (&["a", "-o", "b", "-o", "c"], "--output is given twice"),
        ] {
            assert_eq!(parsed(words), Err(expected.to_owned()), "{words:?}");
        }
    }
}
