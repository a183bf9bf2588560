//! rayon: a pool of its own size, called through `install`.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Pool, time_each};
use crate::Failure;

/// Splits loops down to single indices if `TO_ONE`, and else in rayon's own way.
#[derive(Debug)]
pub(in crate::parallel) struct Rayon<const TO_ONE: bool = false>(ThreadPool);

impl Rayon {
    pub(in crate::parallel) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.install(work)
    }
}

impl<const TO_ONE: bool> Pool for Rayon<TO_ONE> {
    fn build(processors: usize) -> Result<Self, Failure> {
        Ok(Self(ThreadPoolBuilder::new().num_threads(processors).build()?))
    }

    fn run(&self, count: usize, times: usize, body: impl Fn(usize) + Send + Sync + 'static) -> Vec<f64> {
        self.0.install(|| {
            time_each(times, || {
                let indices = (0..count).into_par_iter();
                if TO_ONE { indices.with_max_len(1).for_each(&body) } else { indices.for_each(&body) }
            })
        })
    }
}
