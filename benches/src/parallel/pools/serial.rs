//! No pool: one thread, one after the other.

use super::{Pool, time_each};
use crate::Failure;

#[derive(Debug)]
pub(in crate::parallel) struct Serial;

impl Pool for Serial {
    fn build(_processors: usize) -> Result<Self, Failure> {
        Ok(Self)
    }

    fn run<B>(&self, count: usize, times: usize, body: B) -> Vec<f64>
    where
        B: Fn(usize) + Send + Sync + 'static,
    {
        time_each(times, || (0..count).for_each(&body))
    }
}
