//! The extent of a measurement: the command line's, and the workload's own where the line is
//! silent.

use std::path::PathBuf;

use crate::cores::Cores;
use crate::harness::{Arguments, Words};
use crate::workloads::About;
use crate::{Failure, runtimes};

/// The worker threads of each runtime unless `--workers` says otherwise.
pub const DEFAULT_WORKERS: usize = 2;
/// The connections of the echo workload unless `--connections` says otherwise.
pub const DEFAULT_CONNECTIONS: usize = 64;
/// The bytes of one echo request unless `--bytes` says otherwise.
pub const DEFAULT_BYTES: usize = 64;
/// The most bytes of an echo request. The clients send on all their connections before they read,
/// so a request and its answer have to fit into the sockets' buffers.
pub(crate) const MOST_BYTES: usize = 16 * 1024;
/// Warm-up is one measured run divided by this, and at least one round.
const WARM_UP_SHARE: u32 = 4;

/// One measurement's extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Worker threads (processors) of the runtime.
    pub workers: usize,
    /// Measured rounds; the workload's own number where `None`.
    pub iterations: Option<u32>,
    /// Rounds before the measured ones; where `None`, a quarter of the usual rounds, and no round
    /// at all when `iterations` is given: then the process runs exactly those, which a count of its
    /// instructions needs.
    pub warm_up: Option<u32>,
    /// Operations in a round: tasks, yields, hand-overs; the workload's own number where `None`.
    pub size: Option<usize>,
    /// Echo only: connections open at once.
    pub connections: usize,
    /// Echo only: bytes of one request and of its answer.
    pub bytes: usize,
    /// The cores of the runtime and those of the echo's clients; where `None`, the system chooses.
    pub apart: Option<Cores>,
    /// The program that `--load` starts for the echo: normally the running one.
    pub load_generator: PathBuf,
}

/// The rounds of one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Rounds that are run and not counted.
    pub warm_up: u32,
    /// Rounds that are counted.
    pub measured: u32,
}

impl Plan {
    /// Makes the usual plan, with `load_generator` as the echo's client.
    pub fn usual(load_generator: PathBuf) -> Self {
        Self {
            workers: DEFAULT_WORKERS,
            iterations: None,
            warm_up: None,
            size: None,
            connections: DEFAULT_CONNECTIONS,
            bytes: DEFAULT_BYTES,
            apart: None,
            load_generator,
        }
    }

    /// Takes the options of a plan but for `--connections`, of which a comparison takes several.
    pub(crate) fn take(arguments: &mut Arguments) -> Result<Self, Failure> {
        let workers = arguments.positive("--workers")?.unwrap_or(DEFAULT_WORKERS);
        Ok(Self {
            workers,
            apart: arguments.flag("--apart").then(|| Cores::deal("--workers", workers)).transpose()?,
            iterations: arguments.positive("--iterations")?,
            warm_up: arguments.number("--warm-up")?,
            size: arguments.positive("--size")?,
            bytes: take_bytes(arguments)?,
            ..Self::usual(std::env::current_exe()?)
        })
    }

    /// Adds the options that [`take`](Self::take) reads.
    pub(crate) fn add_to(&self, words: Words) -> Words {
        words
            .option("--workers", self.workers)
            .option("--iterations", self.iterations.map(|rounds| rounds as usize))
            .option("--warm-up", self.warm_up.map(|rounds| rounds as usize))
            .option("--size", self.size)
            .option("--bytes", self.bytes)
            .flag("--apart", self.apart.is_some())
    }

    /// Returns the cores of the echo's clients; none where the system chooses.
    pub(crate) fn cores_of_clients(&self) -> &[usize] {
        self.apart.as_ref().map_or(&[], Cores::of_clients)
    }

    /// Returns how many rounds to run of the workload `about`.
    pub fn rounds(&self, about: &About) -> Rounds {
        let usual_warm_up = match self.iterations {
            Some(_) => 0,
            None => (about.rounds / WARM_UP_SHARE).max(1),
        };
        Rounds { warm_up: self.warm_up.unwrap_or(usual_warm_up), measured: self.iterations.unwrap_or(about.rounds) }
    }

    /// Returns how many operations a round of the workload `about` has.
    pub fn size(&self, about: &About) -> usize {
        self.size.unwrap_or(about.size)
    }
}

/// Takes the option `--bytes`.
pub(crate) fn take_bytes(arguments: &mut Arguments) -> Result<usize, Failure> {
    match arguments.positive("--bytes")?.unwrap_or(DEFAULT_BYTES) {
        bytes if bytes > MOST_BYTES => Err(format!("--bytes {bytes}: at most {MOST_BYTES}").into()),
        bytes => Ok(bytes),
    }
}

/// Takes the option `--rivals`: runtimes, and Go.
pub(crate) fn take_rivals(arguments: &mut Arguments) -> Result<Vec<String>, Failure> {
    let usual = || ["tokio", "smol", runtimes::GO].map(str::to_owned).to_vec();
    Ok(arguments.list("--rivals", check_rival)?.unwrap_or_else(usual))
}

fn check_rival(name: &str) -> Result<(), Failure> {
    match name {
        runtimes::SUBJECT => Err(format!("--rivals: {name} is no rival of itself").into()),
        runtimes::GO => Ok(()),
        _ => runtimes::find(name).map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(iterations: Option<u32>, warm_up: Option<u32>, usual: u32) -> (u32, u32) {
        let plan = Plan { iterations, warm_up, ..Plan::usual(PathBuf::new()) };
        let about = About { name: "nothing", summary: "does nothing", size: 1, rounds: usual, bare: None };
        let rounds = plan.rounds(&about);
        (rounds.warm_up, rounds.measured)
    }

    #[test]
    fn a_silent_command_line_leaves_the_rounds_to_the_workload() {
        assert_eq!(rounds(None, None, 20), (5, 20));
        assert_eq!(rounds(None, None, 1), (1, 1));
    }

    #[test]
    fn given_iterations_run_alone() {
        assert_eq!(rounds(Some(3), None, 20), (0, 3));
    }

    #[test]
    fn a_given_warm_up_is_kept() {
        assert_eq!(rounds(Some(3), Some(2), 20), (2, 3));
        assert_eq!(rounds(None, Some(0), 20), (0, 20));
    }
}
