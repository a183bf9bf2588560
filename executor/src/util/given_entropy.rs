//! Entropy that a simulation gives: seeds for the generators that are made on its thread.

use std::cell::Cell;

use crate::util::rng::FastRand;

thread_local! {
    /// The state of the generator of seeds, while one is given.
    static SEEDS: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Returns the next seed, if this thread is given them.
pub(crate) fn draw() -> Option<u64> {
    let state = SEEDS.get()?;
    let seed = FastRand::from_seed(state).next_u64();
    SEEDS.set(Some(state.wrapping_add(1)));
    Some(seed)
}

/// This thread is given its entropy, until this is dropped. Not Send, by its use.
#[must_use = "it lasts until the guard is dropped"]
pub(crate) struct GivenEntropy {
    before: Option<u64>,
}

impl GivenEntropy {
    /// Gives seeds that `state` decides.
    pub(crate) fn begin(state: u64) -> Self {
        Self { before: SEEDS.replace(Some(state)) }
    }

    /// Returns the state from which another may go on.
    pub(crate) fn state(&self) -> u64 {
        SEEDS.get().expect("it is given while the guard is there")
    }
}

impl Drop for GivenEntropy {
    fn drop(&mut self) {
        SEEDS.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_alike_under_one_seed_only() {
        let drawn = |seed| {
            let _given = GivenEntropy::begin(seed);
            [FastRand::from_entropy().next_u64(), FastRand::from_entropy().next_u64()]
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_ne!(drawn(1)[0], drawn(1)[1]);
        assert_eq!(draw(), None, "it has ended");
    }
}
