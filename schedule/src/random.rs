//! The random numbers of a schedule, all of which come from its seed.

use std::hash::{BuildHasher, RandomState};

use crate::steps;

/// A splitmix generator: any seed will do, neighbours included.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// Returns a seed for a random number generator: the schedule's, or the system's outside one.
#[must_use]
pub fn seed() -> u64 {
    steps::with_state(|state, _| state.random.next()).unwrap_or_else(|| RandomState::new().hash_one(0))
}
