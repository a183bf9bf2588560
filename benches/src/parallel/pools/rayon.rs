//! rayon: a pool of its own size, called through `install`.

use std::fmt;
use std::marker::PhantomData;

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Pool, time_each};
use crate::Failure;

/// How finely rayon may split a loop.
pub(in crate::parallel) trait Split: 'static {
    /// The most indices that are run without a chance for others to take some; `None` leaves it to rayon.
    const MOST: Option<usize>;
}

/// As rayon would.
#[derive(Debug)]
pub(in crate::parallel) struct Usual;

impl Split for Usual {
    const MOST: Option<usize> = None;
}

/// Down to single indices.
#[derive(Debug)]
pub(in crate::parallel) struct ToOne;

impl Split for ToOne {
    const MOST: Option<usize> = Some(1);
}

pub(in crate::parallel) struct Rayon<S = Usual> {
    pool: ThreadPool,
    split: PhantomData<S>,
}

impl Rayon {
    pub(in crate::parallel) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }
}

impl<S> fmt::Debug for Rayon<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rayon").field("pool", &self.pool).finish()
    }
}

impl<S: Split> Pool for Rayon<S> {
    fn build(processors: usize) -> Result<Self, Failure> {
        Ok(Self { pool: ThreadPoolBuilder::new().num_threads(processors).build()?, split: PhantomData })
    }

    fn run<B>(&self, count: usize, times: usize, body: B) -> Vec<f64>
    where
        B: Fn(usize) + Send + Sync + 'static,
    {
        self.pool.install(|| {
            time_each(times, || {
                let indices = (0..count).into_par_iter();
                match S::MOST {
                    Some(most) => indices.with_max_len(most).for_each(&body),
                    None => indices.for_each(&body),
                }
            })
        })
    }
}
