//! Entropy that a simulation gives: seeds for the generators that are made on its thread.

use crate::util::given::{Given, Slot};
use crate::util::rng::FastRand;

thread_local! {
    /// The state of the generator of seeds, while one is given.
    static SEEDS: Slot = const { Slot::new(None) };
}

/// Returns the next seed, if this thread is given them.
pub(crate) fn draw() -> Option<u64> {
    let state = SEEDS.get()?;
    let seed = FastRand::from_seed(state).next_u64();
    SEEDS.set(Some(state.wrapping_add(1)));
    Some(seed)
}

/// Gives this thread seeds that `state` decides.
pub(crate) fn give_entropy(state: u64) -> Given {
    Given::begin(&SEEDS, state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_alike_under_one_seed_only() {
        let drawn = |seed| {
            let _given = give_entropy(seed);
            [FastRand::from_entropy().next_u64(), FastRand::from_entropy().next_u64()]
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_ne!(drawn(1)[0], drawn(1)[1]);
        assert_eq!(draw(), None, "it has ended");
    }
}
