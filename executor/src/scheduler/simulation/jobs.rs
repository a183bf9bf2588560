//! Blocking jobs in a simulation: each runs in one go on the thread that drives it, at a moment
//! that is drawn.

use super::Simulation;
use crate::scheduler::Scheduler;
use crate::task::Runnable;

/// A job that waits for its moment.
struct Job {
    at: u64,
    runnable: Runnable,
    /// Whether it runs even if the runtime ends before.
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

    /// Has the next job be due later by so much: it is a call on a disk.
    pub(super) fn delay_next(&mut self, nanos: u64) {
        self.delay = nanos;
    }

    fn add(&mut self, job: Job) {
        self.waiting.push(job);
    }
}

impl Simulation {
    /// Queues a job, as if a thread were started or woken for it. Gives it back if the runtime has
    /// ended.
    pub(crate) fn queue_job(
        &self,
        scheduler: &Scheduler,
        runnable: Runnable,
        is_promised: bool,
    ) -> Result<(), Runnable> {
        self.note_caller();
        let now = scheduler.clock.timer_now();
        let mut state = self.state.lock();
        if state.jobs.is_closed {
            return Err(runnable);
        }
        let delay = std::mem::take(&mut state.jobs.delay);
        let at = now + state.dice.start() + delay;
        state.jobs.add(Job { at, runnable, is_promised });
        Ok(())
    }

    /// Takes no more jobs. Runs the promised ones, and returns the others, to be cancelled.
    pub(crate) fn close_jobs(&self) -> Vec<Runnable> {
        let mut state = self.state.lock();
        state.jobs.is_closed = true;
        let waiting = std::mem::take(&mut state.jobs.waiting);
        drop(state);
        let (promised, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|job| job.is_promised);
        promised.into_iter().for_each(|job| job.runnable.run_counted());
        others.into_iter().map(|job| job.runnable).collect()
    }
}
