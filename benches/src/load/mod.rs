//! The clients of the echo server: plain blocking sockets on plain threads, in a process of their
//! own.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::Failure;
use crate::driver::{self, Driver};
use crate::harness::{Arguments, Job, Words};
use crate::plan::{DEFAULT_CONNECTIONS, take_bytes};

mod generator;

const DONE: &str = "done";

/// The extent of the clients' work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadPlan {
    /// Where the server listens.
    pub(crate) address: SocketAddr,
    /// Connections open at once.
    pub(crate) connections: usize,
    /// Bytes of a request.
    pub(crate) bytes: usize,
    /// Requests on each connection before the measured ones.
    pub(crate) warm_up: u64,
    /// Measured requests on each connection.
    pub(crate) requests: u64,
    /// The cores that the clients stay on; any if empty.
    pub(crate) cores: Vec<usize>,
}

impl LoadPlan {
    /// Returns how many bytes a server echoes for this plan, warm-up included.
    pub(crate) fn bytes_in_all(&self) -> u64 {
        (self.warm_up + self.requests) * self.connections as u64 * self.bytes as u64
    }

    /// Writes the command line that [`take`](Self::take) reads.
    fn words(&self) -> Words {
        Words::begin("--load", &[&self.address.to_string()])
            .option("--connections", self.connections)
            .option("--bytes", self.bytes)
            .option("--warm-up", self.warm_up as usize)
            .option("--requests", self.requests as usize)
            .numbers("--cores", &self.cores)
    }

    fn take(address: String, arguments: &mut Arguments) -> Result<Self, Failure> {
        Ok(Self {
            address: address.parse().map_err(|error| format!("--load {address}: {error}"))?,
            connections: arguments.positive("--connections")?.unwrap_or(DEFAULT_CONNECTIONS),
            bytes: take_bytes(arguments)?,
            warm_up: arguments.number("--warm-up")?.unwrap_or(0),
            requests: arguments.positive("--requests")?.ok_or("--load needs --requests")?,
            cores: arguments.numbers("--cores")?.unwrap_or_default(),
        })
    }
}

/// Reads the options of the load process.
pub(crate) fn role(address: String, arguments: &mut Arguments) -> Result<Job, Failure> {
    let plan = LoadPlan::take(address, arguments)?;
    Ok(Box::new(move || generator::serve(&plan)))
}

/// The requests that were answered, and how long that took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Measured requests, each answered with the right bytes.
    pub(crate) requests: u64,
    /// Wall-clock time from the first of them to the last answer.
    pub(crate) elapsed: Duration,
}

impl driver::Outcome for Outcome {
    fn line(&self) -> String {
        format!("{DONE} {} {}", self.requests, self.elapsed.as_nanos())
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(DONE)?.split_whitespace();
        let requests = words.next()?.parse().ok()?;
        let elapsed = Duration::from_nanos(words.next()?.parse().ok()?);
        words.next().is_none().then_some(Self { requests, elapsed })
    }
}

/// Starts `program` as the load process and waits until it is ready.
pub(crate) fn start(program: &Path, plan: &LoadPlan) -> Result<Driver, Failure> {
    Driver::start("the load process", Command::new(program).args(plan.words().into_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::Outcome as _;

    #[test]
    fn an_outcome_survives_its_line() {
        let outcome = Outcome { requests: 20_000, elapsed: Duration::from_nanos(123_456_789) };
        assert_eq!(Outcome::parse(&outcome.line()), Some(outcome));
    }

    #[test]
    fn other_lines_are_no_outcome() {
        for line in ["", "ready", "done", "done 1", "done 1 x", "done 1 2 3"] {
            assert_eq!(Outcome::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_load_process_understands_the_words_of_the_server() {
        let plan = LoadPlan {
            address: ([127, 0, 0, 1], 4242).into(),
            connections: 3,
            bytes: 5,
            warm_up: 0,
            requests: 7,
            cores: vec![2, 3],
        };
        assert_eq!(plan.words().read(LoadPlan::take), plan);
    }
}
