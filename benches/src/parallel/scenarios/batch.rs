//! A batch of `TASKS` tasks that all cost `NANOS`; a single one is a long computation, with nothing
//! to steal.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::Scenario;
use crate::parallel::pools::Jobs;
use crate::parallel::spin::{Speed, spin};

pub(super) const UNIFORM: &str = "uniform";
pub(super) const SINGLE: &str = "single";

pub(super) type Uniform = Batch<2_048, 1_000>;
pub(super) type Single = Batch<1, 2_000_000>;

pub(super) struct Batch<const TASKS: usize, const NANOS: u32> {
    steps: u32,
}

impl<const TASKS: usize, const NANOS: u32> Scenario for Batch<TASKS, NANOS> {
    fn prepare(speed: Speed) -> Self {
        Self { steps: speed.steps(NANOS) }
    }

    fn nanos(&self) -> u64 {
        TASKS as u64 * u64::from(NANOS)
    }

    fn serial(&self) -> usize {
        (0..TASKS).map(|_| self.task()).sum()
    }

    fn wsrt(&self) -> usize {
        wsrt::parallel::reduce(0..TASKS, || 0, |_| self.task(), |one, other| one + other)
    }

    fn rayon(&self) -> usize {
        (0..TASKS).into_par_iter().map(|_| self.task()).sum()
    }

    fn central(self: &Arc<Self>, jobs: &Jobs) -> usize {
        let done = Arc::new(AtomicUsize::new(0));
        for _ in 0..TASKS {
            let (batch, done) = (Arc::clone(self), Arc::clone(&done));
            jobs.spawn(move |_| {
                done.fetch_add(batch.task(), Relaxed);
            });
        }
        jobs.wait_all();
        done.load(Relaxed)
    }
}

impl<const TASKS: usize, const NANOS: u32> Batch<TASKS, NANOS> {
    fn task(&self) -> usize {
        spin(self.steps);
        1
    }
}
