//! Waits for the next few instructions of another thread, which has announced them and does not
//! wake the waiter.
//!
//! Spinning is enough if the other thread has a core, and yielding if it waits for this core.
//! Neither is enough if the waiter has the higher priority (`SCHED_FIFO`): a yield then returns
//! immediately, and the other thread never runs. A long wait therefore sleeps.

use std::time::Duration;

use crate::util::sync::{sleep, spin_for_a_while, thread};

/// A wait for another thread's next steps: first a few spins, then a few yields, then short sleeps.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    rounds: u32,
}

impl Backoff {
    /// The number of rounds that spin, for some hundred nanoseconds each.
    const SPINS: u32 = 4;
    /// The number of rounds that spin or yield.
    const YIELDS: u32 = Self::SPINS + 16;
    const SLEEP: Duration = Duration::from_micros(50);

    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Waits for one round, after which the caller checks again.
    pub(crate) fn wait(&mut self) {
        let round = self.rounds;
        self.rounds = round.saturating_add(1);
        match round {
            ..Self::SPINS => spin_for_a_while(),
            Self::SPINS..Self::YIELDS => thread::yield_now(),
            Self::YIELDS.. => sleep(Self::SLEEP),
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    /// Yields alone would leave the other without a core forever, if it has the lower priority.
    #[test]
    fn a_long_wait_sleeps() {
        let mut backoff = Backoff::new();
        for _ in 0..Backoff::YIELDS {
            backoff.wait();
        }
        let start = std::time::Instant::now();
        (0..10).for_each(|_| backoff.wait());
        assert!(start.elapsed() >= 10 * Backoff::SLEEP);
    }

    #[test]
    fn rounds_may_go_on_for_ever() {
        let mut backoff = Backoff { rounds: u32::MAX };
        backoff.wait();
        backoff.wait();
        assert_eq!(backoff.rounds, u32::MAX);
    }
}
