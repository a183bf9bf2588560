//! Pseudo-random numbers: the same in each run, and for each runtime.

use std::time::Duration;

/// Marsaglia's xorshift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts at a place of its own for each `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        // Never zero, where the generator would stay.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns 53 bits.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    /// Returns a number from 0 up to, not including, 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 53) as f64
    }

    /// Returns a time between two arrivals of a Poisson process, which is `mean` on average.
    pub(crate) fn pause(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(-(1.0 - self.share()).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_at_their_rate() {
        let mut random = Random::new(1);
        let all: Duration = (0..10_000).map(|_| random.pause(Duration::from_millis(1))).sum();
        assert!((9.7..10.3).contains(&all.as_secs_f64()), "{all:?}");
    }
}
