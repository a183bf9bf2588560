//! The pools that run the loops: each is built, and called, as its users would.

use std::iter;

use super::spin::nanos_of;
use crate::Failure;

mod central;
mod rayon;
mod wsrt;

pub(super) use central::{Central, Jobs};
pub(super) use rayon::Rayon;
pub(super) use wsrt::Wsrt;

/// Something that runs parallel loops.
pub(super) trait Pool: Sized {
    /// Starts it with the given number of threads that run loops.
    fn build(processors: usize) -> Result<Self, Failure>;

    /// Runs `body` for each number below `count`, all that `times` times, one after the other, from
    /// where the pool's users would. Returns how many nanoseconds each time took, from the call to
    /// its return.
    fn run(&self, count: usize, times: usize, body: impl Fn(usize) + Send + Sync + 'static) -> Vec<f64>;
}

/// Runs `work` `times` times and returns the nanoseconds that each run took.
pub(super) fn time_each(times: usize, mut work: impl FnMut()) -> Vec<f64> {
    iter::repeat_with(|| nanos_of(&mut work)).take(times).collect()
}

/// No pool: one thread, one index after the other.
#[derive(Debug)]
pub(super) struct Serial;

impl Pool for Serial {
    fn build(_processors: usize) -> Result<Self, Failure> {
        Ok(Self)
    }

    fn run(&self, count: usize, times: usize, body: impl Fn(usize) + Send + Sync + 'static) -> Vec<f64> {
        time_each(times, || (0..count).for_each(&body))
    }
}
