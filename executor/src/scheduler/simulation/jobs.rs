//! Blocking jobs in a simulation: each runs in one go on the thread that drives it, at a moment
//! that is drawn.

use crate::task::Runnable;

/// A job that waits for its moment.
struct Job {
    at: u64,
    runnable: Runnable,
    /// True if it runs even if the runtime ends before.
    is_promised: bool,
}

/// The jobs that wait, in the order in which they came.
#[derive(Default)]
pub(super) struct Jobs {
    waiting: Vec<Job>,
    is_closed: bool,
    /// How long the next job takes, beside its thread's start.
    delay: u64,
}

impl Jobs {
    /// When the first of them runs.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.waiting.iter().map(|job| job.at).min()
    }

    /// Takes that one.
    pub(super) fn take_next(&mut self) -> Option<Runnable> {
        let at = self.next_at()?;
        let index = self.waiting.iter().position(|job| job.at == at)?;
        Some(self.waiting.remove(index).runnable)
    }

    /// Delays the next job by so much: it is a call on a disk.
    pub(super) fn delay_next(&mut self, nanos: u64) {
        self.delay = nanos;
    }

    /// Adds a job that runs `start` after `now`, beside the delay of its call. Gives the job back
    /// if the runtime has ended.
    pub(super) fn add(
        &mut self,
        runnable: Runnable,
        is_promised: bool,
        now: u64,
        start: impl FnOnce() -> u64,
    ) -> Result<(), Runnable> {
        if self.is_closed {
            return Err(runnable);
        }
        let at = now + start() + std::mem::take(&mut self.delay);
        self.waiting.push(Job { at, runnable, is_promised });
        Ok(())
    }

    /// Takes no more jobs. Returns the promised ones, and the others.
    pub(super) fn close(&mut self) -> (Vec<Runnable>, Vec<Runnable>) {
        self.is_closed = true;
        let (promised, others): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(|job| job.is_promised);
        let runnables = |jobs: Vec<Job>| jobs.into_iter().map(|job| job.runnable).collect();
        (runnables(promised), runnables(others))
    }
}
