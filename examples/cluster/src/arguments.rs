//! The command line.

use std::str::FromStr;
use std::time::Duration;

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
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut words = Words(words.into_iter().collect());
    if words.flag("--help") || words.flag("-h") {
        return Ok(None);
    }
    let lease = words.number("--lease-ms", SHORTEST_LEASE_MS, LONGEST_LEASE_MS)?.map(Duration::from_millis);
    let arguments = Arguments {
        listen: words.value("--listen")?,
        store: match words.value("--store")? {
            Some(text) => text.parse().map_err(|error| format!("--store: {error}"))?,
            None => StoreAddress::Memory,
        },
        namespace: namespace(words.value("--namespace")?)?,
        seed: words.number("--seed", 0, u64::MAX)?.unwrap_or(DEFAULT_SEED),
        lease: lease.unwrap_or(DEFAULT_LEASE),
        worker_lease: lease.unwrap_or(WORKER_LEASE),
        workers: workers(&mut words)?,
        log: words.flag("--log"),
    };
    if arguments.log && arguments.workers.is_empty() {
        return Err("--log is for workers: it needs --worker NAME".to_owned());
    }
    words.finish()?;
    Ok(Some(arguments))
}

fn namespace(given: Option<String>) -> Result<String, String> {
    let Some(name) = given else { return Ok(DEFAULT_NAMESPACE.to_owned()) };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!("--namespace {name:?}: letters, digits and - _ . : only"));
    }
    Ok(name)
}

fn workers(words: &mut Words) -> Result<Vec<String>, String> {
    let name = words.value("--worker")?;
    let tasks = words.number("--tasks", 1, MOST_TASKS)?;
    match (name, tasks) {
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) => Err("--tasks is for workers: it needs --worker NAME".to_owned()),
        (Some(name), _) if name.is_empty() || name.len() > 100 || name.chars().any(char::is_control) => {
            Err(format!("--worker {name:?}: 1 to 100 bytes, no control characters"))
        }
        (Some(name), None) => Ok(vec![name]),
        (Some(name), Some(tasks)) => Ok((0..tasks).map(|number| format!("{name}.{number}")).collect()),
    }
}

/// The words of a command line that are not taken yet.
#[derive(Debug)]
pub struct Words(pub Vec<String>);

impl Words {
    /// Takes the word `name` if it is there.
    pub fn flag(&mut self, name: &str) -> bool {
        let place = self.0.iter().position(|word| word == name);
        place.map(|place| self.0.remove(place)).is_some()
    }

    /// Takes the option `name` and the word after it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no word after it.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(place) = self.0.iter().position(|word| word == name) else { return Ok(None) };
        if place + 1 == self.0.len() {
            return Err(format!("{name} needs a value"));
        }
        let value = self.0.remove(place + 1);
        self.0.remove(place);
        Ok(Some(value))
    }

    /// Takes the option `name`, a whole number between two others.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no such number.
    pub fn number<T>(&mut self, name: &str, least: T, most: T) -> Result<Option<T>, String>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        let Some(word) = self.value(name)? else { return Ok(None) };
        match word.parse() {
            Ok(number) if number >= least && number <= most => Ok(Some(number)),
            _ => Err(format!("{name} {word}: must be a whole number from {least} to {most}")),
        }
    }

    /// Makes sure that every word was taken.
    ///
    /// # Errors
    ///
    /// Names the first that was not.
    pub fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some(word) => Err(format!("unknown argument {word:?}, or given twice; --help lists the options")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Option<Arguments>, String> {
        parse(line.split_whitespace().map(str::to_owned))
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
            ("--seed 1 --seed 2", "--seed"),
            ("serve", "serve"),
        ] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(culprit), "{line:?} is refused with {refusal:?}");
        }
        assert!(read("--help --wroker").unwrap().is_none());
    }
}
