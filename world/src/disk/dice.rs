//! Random decisions of the disks: how long calls take, which calls fail, and what a crash leaves.

use crate::disk::Cost;
use wsrt_sync::rng::FastRand;

/// Nanoseconds.
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;

pub(super) struct DiskDice(FastRand);

impl DiskDice {
    pub(super) fn new(seed: u64) -> Self {
        Self(FastRand::from_seed(FastRand::from_seed(seed.rotate_left(8)).next_u64()))
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.0.below((to - from) as usize) as u64
    }

    /// Returns `true` with the given probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        const PARTS: usize = 1 << 30;
        probability > 0.0 && (self.below(PARTS) as f64) < probability * PARTS as f64
    }

    /// Draws how long a call takes, in nanoseconds. Transferring a gigabyte takes a second.
    pub(super) fn time(&mut self, cost: Cost) -> u64 {
        match cost {
            Cost::Name => self.between(2 * MICRO, 30 * MICRO),
            // One in four is not in memory.
            Cost::Read(bytes) if self.below(4) == 0 => self.between(60 * MICRO, 200 * MICRO) + bytes as u64,
            Cost::Read(bytes) | Cost::Write(bytes) => self.between(MICRO, 10 * MICRO) + bytes as u64,
            Cost::Sync if self.below(64) == 0 => self.between(MILLI, 100 * MILLI),
            Cost::Sync => self.between(200 * MICRO, 3 * MILLI),
        }
    }
}
