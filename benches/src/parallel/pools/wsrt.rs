//! wsrt: loops started by a task, on the runtime's processors.

use wsrt::parallel;
use wsrt::runtime::{Builder, Runtime};

use super::{Pool, time_each};
use crate::Failure;

#[derive(Debug)]
pub(in crate::parallel) struct Wsrt(Runtime);

impl Wsrt {
    /// Runs `work` as a task.
    pub(in crate::parallel) fn run_task<R: Send + 'static>(&self, work: impl FnOnce() -> R + Send + 'static) -> R {
        self.0.run(async move { work() })
    }
}

impl Pool for Wsrt {
    fn build(processors: usize) -> Result<Self, Failure> {
        Ok(Self(Builder::new_multi_thread().worker_threads(processors).build()?))
    }

    fn run(&self, count: usize, times: usize, body: impl Fn(usize) + Send + Sync + 'static) -> Vec<f64> {
        self.run_task(move || time_each(times, || parallel::for_each(0..count, &body)))
    }
}
