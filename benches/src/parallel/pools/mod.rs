//! The pools that run the loops: each is built, and called, as its users would.

use std::iter;

use super::spin::nanos_of;
use crate::Failure;

mod central;
mod rayon;
mod serial;
mod wsrt;

pub(super) use central::{Central, Jobs};
pub(super) use rayon::{Rayon, ToOne};
pub(super) use serial::Serial;
pub(super) use wsrt::Wsrt;

/// Something that runs parallel loops.
pub(super) trait Pool: Sized {
    /// Starts it with so many threads that run loops.
    fn build(processors: usize) -> Result<Self, Failure>;

    /// Runs `body` for each number below `count`, all that `times` times, one after the other, from where the pool's users
    /// would. Answers how many nanoseconds each time took, from the call to its return.
    fn run<B>(&self, count: usize, times: usize, body: B) -> Vec<f64>
    where
        B: Fn(usize) + Send + Sync + 'static;
}

/// Does it so many times and answers how many nanoseconds each took.
pub(super) fn time_each(times: usize, mut work: impl FnMut()) -> Vec<f64> {
    iter::repeat_with(|| nanos_of(&mut work)).take(times).collect()
}
