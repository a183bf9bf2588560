//! The command line.

use std::ffi::OsString;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use lexopt::Parser;
use lexopt::prelude::*;

use crate::node::{DEFAULT_LEASE, DEFAULT_SEED};
use crate::protocol::{LONGEST_LEASE_MS, SHORTEST_LEASE_MS};
use crate::store::StoreAddress;

/// The namespace unless another is given.
const DEFAULT_NAMESPACE: &str = "wsrt";
/// The lease of a worker that is a program: it renews it, so that it can be short.
const WORKER_LEASE: Duration = Duration::from_secs(5);
/// The most workers in one process.
const MOST_TASKS: u64 = 10_000;

/// The text of `--help`.
pub const HELP: &str = "\
A cluster node: answers JSON messages, one a line, about jobs that workers steal from each other.

  cargo run --release -p wsrt-cluster -- [OPTIONS]

  --listen ADDRESS   serve TCP clients, as on 127.0.0.1:7100; without it, standard input is answered on standard output
  --store STORE      memory (the default), or redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], which many processes may share
  --namespace NAME   clusters with different names do not see each other in one Redis (wsrt)
  --seed N           decides which victims are chosen (7)
  --lease-ms N       how long a taken job stays with its worker (30000; workers, which renew it, 5000)
  --worker NAME      join as a worker: take, steal and do jobs until ctrl-c; no messages are answered unless --listen is given
  --tasks N          with --worker: so many of them, NAME.0, NAME.1, … (one, NAME itself)
  --log              with --worker: tell of each job
  --help             this

docs/CLUSTER.md has the messages.";

/// The options of the program.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Where to listen; `None` is standard input.
    pub listen: Option<String>,
    /// Where the jobs are.
    pub store: StoreAddress,
    /// Which cluster in a Redis.
    pub namespace: String,
    /// Decides which victims are chosen.
    pub seed: u64,
    /// How long a job belongs to its taker, which may be a client.
    pub lease: Duration,
    /// The workers that run in this process.
    pub workers: Vec<String>,
    /// The workers' lease.
    pub worker_lease: Duration,
    /// Whether workers report each job.
    pub log: bool,
}

/// Reads the command line, without the program's name. `None` is a wish for help.
///
/// # Errors
///
/// Names the argument that is unknown, incomplete or out of range.
pub fn parse(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Option<Arguments>, lexopt::Error> {
    let (mut listen, mut store, mut namespace, mut log) = (None, StoreAddress::Memory, DEFAULT_NAMESPACE.into(), false);
    let (mut seed, mut lease, mut worker, mut tasks) = (DEFAULT_SEED, None, None, None);
    let mut words = Parser::from_args(words);
    while let Some(word) = words.next()? {
        match word {
            Short('h') | Long("help") => return Ok(None),
            Long("listen") => listen = Some(words.value()?.string()?),
            Long("store") => store = words.value()?.string()?.parse().map_err(|error| format!("--store: {error}"))?,
            Long("namespace") => namespace = checked_namespace(words.value()?.string()?)?,
            Long("seed") => seed = number(&mut words, "--seed", 0, u64::MAX)?,
            Long("lease-ms") => {
                lease =
                    Some(Duration::from_millis(number(&mut words, "--lease-ms", SHORTEST_LEASE_MS, LONGEST_LEASE_MS)?));
            }
            Long("worker") => worker = Some(checked_worker(words.value()?.string()?)?),
            Long("tasks") => tasks = Some(number(&mut words, "--tasks", 1, MOST_TASKS)?),
            Long("log") => log = true,
            other => return Err(other.unexpected()),
        }
    }
    let workers = match (worker, tasks) {
        (None, Some(_)) => return Err("--tasks is for workers: it needs --worker NAME".into()),
        (None, None) if log => return Err("--log is for workers: it needs --worker NAME".into()),
        (None, None) => Vec::new(),
        (Some(name), None) => vec![name],
        (Some(name), Some(tasks)) => (0..tasks).map(|number| format!("{name}.{number}")).collect(),
    };
    let (lease, worker_lease) = (lease.unwrap_or(DEFAULT_LEASE), lease.unwrap_or(WORKER_LEASE));
    Ok(Some(Arguments { listen, store, namespace, seed, lease, workers, worker_lease, log }))
}

fn checked_namespace(name: String) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    match name.is_empty() || !name.chars().all(is_plain) {
        true => Err(format!("--namespace {name:?}: letters, digits and - _ . : only")),
        false => Ok(name),
    }
}

fn checked_worker(name: String) -> Result<String, String> {
    match name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
        true => Err(format!("--worker {name:?}: 1 to 100 bytes, no control characters")),
        false => Ok(name),
    }
}

/// Reads the value of the option `name`, a number between two others.
///
/// # Errors
///
/// Returns an error that names the option and the value.
pub fn number<T>(words: &mut Parser, name: &str, least: T, most: T) -> Result<T, lexopt::Error>
where
    T: FromStr + PartialOrd + Display,
{
    let word = words.value()?.string()?;
    match word.parse() {
        Ok(number) if number >= least && number <= most => Ok(number),
        _ => Err(format!("{name} {word}: must be a number from {least} to {most}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Arguments>, String> {
        parse(line.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn without_arguments_standard_input_is_answered_from_memory() {
        let arguments = read("").unwrap().unwrap();
        assert!(arguments.listen.is_none() && arguments.workers.is_empty());
        assert!(matches!(arguments.store, StoreAddress::Memory));
        assert_eq!((arguments.seed, arguments.lease), (DEFAULT_SEED, DEFAULT_LEASE));
    }

    #[test]
    fn workers_have_names_of_their_own() {
        assert_eq!(read("--worker a --store redis://h").unwrap().unwrap().workers, ["a"]);
        assert_eq!(read("--worker a --tasks 2").unwrap().unwrap().workers, ["a.0", "a.1"]);
        assert_eq!(read("--worker a --lease-ms 100").unwrap().unwrap().worker_lease, Duration::from_millis(100));
    }

    #[test]
    fn a_bad_argument_is_named() {
        for (line, culprit) in [
            ("--listen", "--listen"),
            ("--store disk", "disk"),
            ("--seed -1", "--seed -1"),
            ("--lease-ms 1", "--lease-ms 1"),
            ("--namespace a{b", "a{b"),
            ("--tasks 3", "--worker"),
            ("--log", "--worker"),
            ("--worker w --tasks 0", "--tasks 0"),
            ("--wroker w", "--wroker"),
            ("serve", "serve"),
        ] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
        assert!(read("--help --wroker").unwrap().is_none());
        assert_eq!(read("--seed=5").unwrap().unwrap().seed, 5);
    }
}
