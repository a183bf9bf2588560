//! Work of a known length: a chain of steps each of which needs the one before, so that no
//! processor can do two at once.
//!
//! How long a step takes is measured once in a process, and checked. The C++ rivals do the same
//! (`cpp/spin.hpp`, its twin).

use std::hint::black_box;
use std::time::Instant;

use crate::Failure;
use crate::measure::quantile;

/// Steps of one trial: some hundred microseconds, long beside the clock and short beside an
/// interruption.
const TRIAL: u32 = 200_000;
const TRIALS: usize = 31;
/// Nanoseconds that are spun to see whether the calibration holds.
const CHECK: u32 = 100_000;
/// By how much it may be wrong. Serial and parallel runs use the same steps, so that this is no
/// error of the efficiency.
const TOLERANCE: f64 = 0.05;
/// A burst of another program may spoil many an attempt, each of which takes some 15 ms.
const ATTEMPTS: u32 = 200;

/// How fast this process spins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    steps_per_nano: f64,
}

impl Speed {
    /// Measures it, and checks the result.
    pub(super) fn measure() -> Result<Self, Failure> {
        let mut took = 0.0;
        for _ in 0..ATTEMPTS {
            let speed = Self { steps_per_nano: f64::from(TRIAL) / median_nanos(TRIAL) };
            took = median_nanos(speed.steps(CHECK));
            if (took / f64::from(CHECK) - 1.0).abs() < TOLERANCE {
                return Ok(speed);
            }
        }
        Err(format!(
            "no steady speed on this machine: {CHECK} ns of work took {took:.0} ns in the last of {ATTEMPTS} attempts"
        )
        .into())
    }

    /// Returns a speed at which work takes no time, for tests of everything else.
    #[cfg(test)]
    pub(super) fn instant() -> Self {
        Self { steps_per_nano: 0.0 }
    }

    /// Returns how many steps take `nanos` nanoseconds.
    pub(super) fn steps(self, nanos: u32) -> u32 {
        (f64::from(nanos) * self.steps_per_nano).round() as u32
    }
}

/// Takes `steps` steps.
#[inline(never)]
pub(super) fn spin(steps: u32) {
    let mut value = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..steps {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    black_box(value);
}

fn median_nanos(steps: u32) -> f64 {
    let mut nanos: Vec<_> = (0..TRIALS).map(|_| nanos_of(|| spin(steps))).collect();
    nanos.sort_by(f64::total_cmp);
    quantile(&nanos, 0.5)
}

/// Runs `work` and answers how many nanoseconds it took.
pub(super) fn nanos_of(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_time_is_twice_the_steps() {
        let speed = Speed { steps_per_nano: 0.5 };
        assert_eq!((speed.steps(50), speed.steps(100)), (25, 50));
    }
}
