//! The trouble of a run: one fault between two hosts, of a kind that the seed decides. Calm is
//! before it, and again when there was time to get over it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use wsrt::sim::{self, Record, Sim};

/// A kind of fault.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum TroubleKind {
    Nothing,
    Crash,
    Partition,
    OneWay,
    /// Of streams. Datagrams do not feel it.
    Reset,
}

impl TroubleKind {
    pub(crate) const ALL: [Self; 5] = [Self::Nothing, Self::Crash, Self::Partition, Self::OneWay, Self::Reset];

    pub(crate) fn of(seed: u64) -> Self {
        Self::ALL[(seed % Self::ALL.len() as u64) as usize]
    }
}

#[derive(Clone, Copy, Debug)]
enum TroubleState {
    Ahead,
    Here,
    Over(Instant),
}

/// One fault, and what it explains.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    kind: TroubleKind,
    state: Arc<Mutex<TroubleState>>,
    aftermath: Duration,
}

impl Trouble {
    /// One of this kind, which may still be felt for `aftermath` when it is over.
    pub(crate) fn new(kind: TroubleKind, aftermath: Duration) -> Self {
        Self { kind, state: Arc::new(Mutex::new(TroubleState::Ahead)), aftermath }
    }

    fn state(&self) -> MutexGuard<'_, TroubleState> {
        self.state.lock().expect("no panic while it is locked")
    }

    /// Whether it has not begun.
    pub(crate) fn is_ahead(&self) -> bool {
        matches!(*self.state(), TroubleState::Ahead)
    }

    /// Whether it can no longer be felt.
    pub(crate) fn is_forgotten(&self) -> bool {
        matches!(*self.state(), TroubleState::Over(end) if end + self.aftermath <= Instant::now())
    }

    /// Whether something that began at `began`, and has failed now, may have failed by it.
    pub(crate) fn explains(&self, began: Instant) -> bool {
        self.kind != TroubleKind::Nothing
            && match *self.state() {
                TroubleState::Ahead => false,
                TroubleState::Here => true,
                TroubleState::Over(end) => began < end + self.aftermath,
            }
    }

    /// Comes over two hosts, the first of which may crash, and ends.
    pub(crate) async fn come(&self, sim: &Sim, server: &str, client: &str, lasts: Duration) {
        *self.state() = TroubleState::Here;
        match self.kind {
            TroubleKind::Nothing => {}
            TroubleKind::Crash => sim.crash(server),
            TroubleKind::Partition => sim.partition(server, client),
            TroubleKind::OneWay => sim.partition_one_way(server, client),
            TroubleKind::Reset => sim.reset_streams(server, client),
        }
        sleep(lasts).await;
        match self.kind {
            TroubleKind::Crash => sim.restart(server),
            _ => sim.heal_all(),
        }
        *self.state() = TroubleState::Over(Instant::now());
    }
}

/// Runs each of so many seeds twice, and one beside it that is another.
pub(crate) fn each_seed_is_one_run(seeds: u64, run: fn(u64) -> Record) {
    sim::seeds(0..seeds, |seed| {
        let first = run(seed);
        assert_eq!(first, run(seed));
        assert_ne!(first.hash(), run(seed + seeds).hash(), "another seed is another run");
        assert!(first.steps() > 1_000, "{first:?}");
    });
}
