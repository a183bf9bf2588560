//! A small random number generator that is fast and seeded once, and not meant for cryptography.
//! The runtime uses it to choose steal victims, and a simulation uses it for every decision that
//! depends on its seed.

/// A Wyrand generator, which needs one multiplication per number and accepts every seed.
#[derive(Debug)]
pub struct FastRand {
    state: u64,
}

impl FastRand {
    /// Creates a generator that starts from `seed`.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next random number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product as u64) ^ ((product >> 64) as u64)
    }

    /// Returns a random number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let scaled = u128::from(self.next_u64()) * bound as u128;
        (scaled >> 64) as usize
    }
}

#[cfg(all(test, not(wsrt_loom)))]
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
}
