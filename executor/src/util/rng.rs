//! A small random number generator for choosing victims: fast, seeded once, not for secrets.

#[cfg(feature = "sim")]
use crate::util::given_entropy;
use crate::util::sync::seed;

/// A Wyrand generator: one multiplication a number, and any seed will do.
#[derive(Debug)]
pub(crate) struct FastRand {
    state: u64,
}

impl FastRand {
    /// Returns a generator with a seed of its own.
    pub(crate) fn from_entropy() -> Self {
        #[cfg(feature = "sim")]
        if let Some(seed) = given_entropy::draw() {
            return Self::from_seed(seed);
        }
        Self::from_seed(seed())
    }

    pub(crate) const fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product as u64) ^ ((product >> 64) as u64)
    }

    /// Returns a number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let scaled = u128::from(self.next_u64()) * bound as u128;
        (scaled >> 64) as usize
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_bound_is_drawn_about_equally_often() {
        let mut rng = FastRand::from_seed(7);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[rng.below(7)] += 1;
        }
        assert!(counts.iter().all(|&count| (9_500..10_500).contains(&count)), "{counts:?}");
    }

    #[test]
    fn two_generators_from_entropy_differ() {
        assert_ne!(FastRand::from_entropy().next_u64(), FastRand::from_entropy().next_u64());
    }
}
