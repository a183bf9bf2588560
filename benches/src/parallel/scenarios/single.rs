//! One long computation, a loop of one task: there is nothing to steal, and it should at least cost nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Scenario;
use crate::parallel::pools::Jobs;
use crate::parallel::spin::{Speed, spin};

pub(super) const NAME: &str = "single";

const NANOS: u32 = 2_000_000;

pub(super) struct Single {
    steps: u32,
}

impl Scenario for Single {
    fn prepare(speed: Speed) -> Self {
        Self { steps: speed.steps(NANOS) }
    }

    fn nanos(&self) -> u64 {
        u64::from(NANOS)
    }

    fn serial(&self) -> usize {
        self.compute()
    }

    fn wsrt(&self) -> usize {
        wsrt::parallel::reduce(0..1, || 0, |_| self.compute(), |one, other| one + other)
    }

    fn rayon(&self) -> usize {
        (0..1).into_par_iter().map(|_| self.compute()).sum()
    }

    fn central(self: &Arc<Self>, jobs: &Jobs) -> usize {
        let done = Arc::new(AtomicUsize::new(0));
        let (single, count) = (Arc::clone(self), Arc::clone(&done));
        jobs.spawn(move |_| count.store(single.compute(), Relaxed));
        jobs.wait_all();
        done.load(Relaxed)
    }
}

impl Single {
    fn compute(&self) -> usize {
        spin(self.steps);
        1
    }
}
