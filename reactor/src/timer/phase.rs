//! The phase word of a timer: `generation | stage`.
//!
//! ```text
//!   bits 0-1   stage: idle, armed, fired, cancelled
//!   bits 2-63  generation: how often it was armed
//! ```
//!
//! Written under the entry's lock only, so the transitions are plain values and a store publishes
//! them.

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Release};

const STAGE_MASK: u64 = 0b11;
const ONE_GENERATION: u64 = 0b100;

/// Where an arming stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Idle = 0,
    Armed = 1,
    Fired = 2,
    Cancelled = 3,
}

/// The word's value at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseValue(u64);

impl PhaseValue {
    pub(crate) fn stage(self) -> Stage {
        match self.0 & STAGE_MASK {
            0 => Stage::Idle,
            1 => Stage::Armed,
            2 => Stage::Fired,
            _ => Stage::Cancelled,
        }
    }

    pub(crate) fn generation(self) -> u64 {
        self.0 / ONE_GENERATION
    }

    pub(crate) fn is_armed_as(self, generation: u64) -> bool {
        self.stage() == Stage::Armed && self.generation() == generation
    }

    #[must_use]
    pub(crate) fn armed_anew(self) -> Self {
        self.with((self.0 & !STAGE_MASK).wrapping_add(ONE_GENERATION), Stage::Armed)
    }

    #[must_use]
    pub(crate) fn fired(self) -> Self {
        self.with(self.0 & !STAGE_MASK, Stage::Fired)
    }

    #[must_use]
    pub(crate) fn cancelled(self) -> Self {
        self.with(self.0 & !STAGE_MASK, Stage::Cancelled)
    }

    fn with(self, generation_bits: u64, stage: Stage) -> Self {
        Self(generation_bits | stage as u64)
    }
}

#[derive(Debug)]
pub(crate) struct Phase(AtomicU64);

impl Phase {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(Stage::Idle as u64))
    }

    pub(crate) fn read(&self) -> PhaseValue {
        // Acquire: pairs with the Release in `publish`: who sees "fired" sees what the firing
        // thread did before.
        PhaseValue(self.0.load(Acquire))
    }

    /// Only with the entry's lock held.
    pub(crate) fn publish(&self, value: PhaseValue) {
        // Release: pairs with the Acquire in `read`.
        self.0.store(value.0, Release);
    }
}
