//! Faults that are committed on purpose, so that the ledger can be seen to find them.

use std::fs::File;
use std::mem;
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::ledger::Kind;
use crate::soak::Soak;

/// A fault, committed about once in a round, the leaks ten times a second, and at least once in a
/// round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plant {
    /// A request that is answered twice.
    Answer,
    /// A task's future that is never dropped.
    Task,
    /// A task that never ends.
    Immortal,
    Descriptor,
    Thread,
    Timer,
    Memory,
}

const NAMES: [(&str, Plant); 7] = [
    ("answer", Plant::Answer),
    ("task", Plant::Task),
    ("immortal", Plant::Immortal),
    ("descriptor", Plant::Descriptor),
    ("thread", Plant::Thread),
    ("timer", Plant::Timer),
    ("memory", Plant::Memory),
];

impl FromStr for Plant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || NAMES.map(|(name, _)| name).join(", ");
        let plant = NAMES.iter().find(|(name, _)| *name == text);
        plant.map(|&(_, plant)| plant).ok_or_else(|| format!("there are {}", names()))
    }
}

/// Commits the fault that the user has asked for, again and again.
pub(crate) async fn run(soak: Arc<Soak>) {
    let Some(plant) = soak.options.plant else { return };
    while soak.turn(Duration::from_millis(100)).await {
        match plant {
            Plant::Answer => {
                let entry = soak.ledger.open(Kind::Request);
                soak.ledger.answer(Kind::Request, entry.number);
                entry.settle_answered();
            }
            Plant::Task => mem::forget(soak.ledger.open(Kind::Task)),
            Plant::Immortal => drop(wsrt::spawn(std::future::pending::<()>())),
            Plant::Descriptor => mem::forget(File::open("/dev/null")),
            Plant::Thread => drop(thread::spawn(|| thread::sleep(Duration::from_secs(1 << 20)))),
            Plant::Timer => leak_timer().await,
            Plant::Memory => mem::forget(vec![1_u8; 1 << 20]),
        }
    }
}

/// Arms timers that never fire and are never dropped.
async fn leak_timer() {
    for _ in 0..1_000 {
        let mut timer = Box::pin(wsrt::time::sleep(Duration::from_secs(1 << 20)));
        let armed = wsrt::time::timeout(Duration::ZERO, timer.as_mut()).await;
        assert!(armed.is_err(), "it is far away");
        mem::forget(timer);
    }
}
