//! The dice: how long things take in a simulation, drawn from its seed.
//!
//! Most turns are short and a few are very long, as on a computer whose system takes a core away
//! now and then. The long ones let everything else happen in the middle of what seems instant.

use crate::util::rng::FastRand;

/// Nanoseconds.
const MICRO: u64 = 1_000;
const MILLI: u64 = 1_000_000;

#[derive(Debug)]
pub(super) struct Dice(FastRand);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = FastRand::from_seed(seed);
        // Seeds that lie side by side are far apart after that.
        let first = rng.next_u64();
        Self(FastRand::from_seed(first ^ seed.rotate_left(17)))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound as usize) as u64
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// How long a turn of a machine holds its thread, in nanoseconds.
    pub(super) fn turn(&mut self) -> u64 {
        match self.below(8_192) {
            0 => self.below(4 * MILLI),
            1..=64 => self.below(100 * MICRO),
            _ => 100 + self.below(2 * MICRO),
        }
    }

    /// How long a thread that was woken takes to run.
    pub(super) fn wake(&mut self) -> u64 {
        if self.one_in(64) { self.below(300 * MICRO) } else { MICRO + self.below(20 * MICRO) }
    }

    /// How long a thread that was started takes to run.
    pub(super) fn start(&mut self) -> u64 {
        if self.one_in(32) { self.below(2 * MILLI) } else { 5 * MICRO + self.below(50 * MICRO) }
    }

    /// Decides between turns that begin at the same time.
    pub(super) fn tie(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub(super) fn is_victim_held_up(&mut self) -> bool {
        self.one_in(4)
    }
}
