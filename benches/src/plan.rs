//! How much of a workload to run: what the command line says, and what the workload says where it is silent.

use std::path::PathBuf;

use crate::cores::Cores;
use crate::workloads::About;

/// The worker threads of each runtime unless `--workers` says otherwise.
pub const DEFAULT_WORKERS: usize = 2;
/// The connections of the echo workload unless `--connections` says otherwise.
pub const DEFAULT_CONNECTIONS: usize = 64;
/// The bytes of one echo request unless `--bytes` says otherwise.
pub const DEFAULT_BYTES: usize = 64;
/// Warm-up is one measured run divided by this, and at least one round.
const WARM_UP_SHARE: u32 = 4;

/// One measurement's extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Worker threads (processors) of the runtime.
    pub workers: usize,
    /// Measured rounds; the workload's own number where `None`.
    pub iterations: Option<u32>,
    /// Rounds before the measured ones; where `None`, a quarter of the usual rounds, and no round at all when `iterations`
    /// is given: then the process runs exactly those, as a count of its instructions asks for.
    pub warm_up: Option<u32>,
    /// Operations in a round: tasks, yields, hand-overs; the workload's own number where `None`.
    pub size: Option<usize>,
    /// Echo only: connections open at once.
    pub connections: usize,
    /// Echo only: bytes of one request and of its answer.
    pub bytes: usize,
    /// The cores of the runtime and those of the echo's clients; where `None`, all go where the system puts them.
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

    /// Answers how many rounds to run of the workload `about`.
    pub fn rounds(&self, about: &About) -> Rounds {
        let usual_warm_up = match self.iterations {
            Some(_) => 0,
            None => (about.rounds / WARM_UP_SHARE).max(1),
        };
        Rounds { warm_up: self.warm_up.unwrap_or(usual_warm_up), measured: self.iterations.unwrap_or(about.rounds) }
    }

    /// Answers how many operations a round of the workload `about` has.
    pub fn size(&self, about: &About) -> usize {
        self.size.unwrap_or(about.size)
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
