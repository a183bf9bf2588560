//! Numbers without a pattern, the same in each run.

/// A generator of pseudo-random numbers: xorshift, by Marsaglia.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that begins with `seed`, which is not 0.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// The next number below `limit`, which is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
