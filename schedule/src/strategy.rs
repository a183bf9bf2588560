//! How the next thread is chosen.

use crate::random::Random;

/// The way in which one schedule chooses.
#[derive(Debug)]
pub(crate) enum Strategy {
    /// At one step in so many any thread may be next; between them the running thread goes on.
    Random { one_in: u64 },
    /// The thread of the highest priority runs. At a few steps, chosen beforehand, the running
    /// thread gets the lowest. So PCT finds a fault that needs `d` steps in a certain order with a
    /// probability of 1/(n·k^(d-1)) at least, for `n` threads and `k` steps. Here `k` is a guess,
    /// and threads that give way get the lowest too: `docs/PROOF.md` says what that changes.
    Priorities { changes: Vec<u64> },
}

impl Strategy {
    /// One half of the seeds each.
    pub(crate) fn of(seed: u64, random: &mut Random) -> Self {
        if seed % 2 == 0 {
            return Self::Random { one_in: 1 << random.below(8) };
        }
        let (depth, span) = (1 + random.below(6), 1 << (6 + random.below(9)));
        Self::Priorities { changes: (0..depth).map(|_| random.below(span)).collect() }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Random { one_in } => format!("random, one step in {one_in}"),
            Self::Priorities { changes } => format!("priorities, {} changes", changes.len()),
        }
    }
}
