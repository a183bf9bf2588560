//! Entropy that a simulation gives: seeds for the generators that are made on its thread.

use crate::given::{Given, Slot};
use wsrt_sync::rng::FastRand;

thread_local! {
    /// The state of the generator of seeds, while one is given.
    static SEEDS: Slot = const { Slot::new(None) };
}

/// Returns the next seed, if this thread has seeds that a simulation gives.
pub fn draw() -> Option<u64> {
    let state = SEEDS.get()?;
    let seed = FastRand::from_seed(state).next_u64();
    SEEDS.set(Some(state.wrapping_add(1)));
    Some(seed)
}

/// Gives this thread seeds that `state` decides.
pub fn give_entropy(state: u64) -> Given {
    Given::begin(&SEEDS, state)
}
