//! Deterministic entropy: seeds for the random number generators that are created on a simulation's
//! thread.

use crate::sequence_override::{SequenceOverride, Slot};
use wsrt_sync::rng::FastRand;

thread_local! {
    /// The state of the generator of seeds, while a simulation provides it.
    static SEEDS: Slot = const { Slot::new(None) };
}

/// Returns the next seed from the current simulation, or `None` if no simulation provides entropy
/// to this thread.
pub fn draw() -> Option<u64> {
    let state = SEEDS.get()?;
    let seed = FastRand::from_seed(state).next_u64();
    SEEDS.set(Some(state.wrapping_add(1)));
    Some(seed)
}

/// Provides this thread with seeds that are derived from `state`, until the returned guard is
/// dropped.
pub fn override_entropy(state: u64) -> SequenceOverride {
    SequenceOverride::begin(&SEEDS, state)
}
