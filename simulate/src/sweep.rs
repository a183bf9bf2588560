//! Runs all seeds, in several processes at a time, until enough seeds have failed.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::{Refusal, Wishes};
use crate::process::{Program, Seeds};

/// The approximate duration of a batch of seeds that one process runs. Batch sizes are chosen
/// accordingly.
const BATCH: Duration = Duration::from_millis(500);
const MOST_IN_BATCH: u64 = 2_000;
/// The pause between two progress reports.
const NEWS: Duration = Duration::from_secs(5);

/// The progress of a run through all seeds.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// The first seed that has not been started.
    pub(crate) next: u64,
    pub(crate) ran: u64,
    /// The failed seeds, in ascending order once all seeds have run.
    pub(crate) failed: Vec<u64>,
    batch: u64,
    told: Instant,
    refusal: Option<Refusal>,
}

/// Runs the seeds. All seeds below the first one that was not started have completed.
pub(crate) fn all(program: &Program<'_>, wishes: &Wishes) -> Result<Sweep, Refusal> {
    let (start, began) = (wishes.seeds.start, Instant::now());
    let in_batches = program.run(&Seeds::Range(start, start + 1), None)?.report.has_range;
    let sweep = Sweep { next: start, ran: 0, failed: Vec::new(), batch: 1, told: began, refusal: None };
    let sweep = Mutex::new(sweep);
    let work = || {
        // Not in the head of the loop, which would keep the lock.
        let next = || lock(&sweep).take(wishes);
        while let Some((first, end)) = next() {
            let begun = Instant::now();
            let result = if in_batches { run_batch(program, first, end) } else { run_each(program, first..end) };
            let mut sweep = lock(&sweep);
            match result {
                Ok(failed) => sweep.note(end - first, &failed, begun.elapsed(), in_batches),
                Err(refusal) => sweep.refusal = Some(refusal),
            }
            sweep.tell(wishes, began);
        }
    };
    thread::scope(|scope| {
        for _ in 1..wishes.jobs {
            scope.spawn(work);
        }
        work();
    });
    let mut sweep = sweep.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    sweep.failed.sort_unstable();
    match sweep.refusal.take() {
        Some(refusal) => Err(refusal),
        None => Ok(sweep),
    }
}

fn lock(sweep: &Mutex<Sweep>) -> std::sync::MutexGuard<'_, Sweep> {
    sweep.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Sweep {
    /// Returns the next range of seeds to run, or `None` if enough seeds have failed or all have
    /// been started.
    fn take(&mut self, wishes: &Wishes) -> Option<(u64, u64)> {
        let is_over = self.refusal.is_some() || self.failed.len() >= wishes.failures || self.next >= wishes.seeds.end;
        if is_over {
            return None;
        }
        let first = self.next;
        self.next = wishes.seeds.end.min(first.saturating_add(self.batch));
        Some((first, self.next))
    }

    fn note(&mut self, ran: u64, failed: &[u64], took: Duration, in_batches: bool) {
        self.ran += ran;
        self.failed.extend(failed);
        if in_batches && ran == self.batch && failed.is_empty() && took < BATCH / 2 {
            self.batch = (self.batch * 2).min(MOST_IN_BATCH);
        }
    }

    /// Reports the progress on standard error from time to time.
    fn tell(&mut self, wishes: &Wishes, began: Instant) {
        if self.told.elapsed() >= NEWS {
            self.told = Instant::now();
            let (count, rate) =
                (wishes.seeds.end - wishes.seeds.start, self.ran as f64 / began.elapsed().as_secs_f64());
            eprintln!("{} of {count} seeds, {rate:.0} a second; {} have failed", self.ran, self.failed.len());
        }
    }
}

/// Runs a range of seeds in one process, and returns the seeds that failed.
fn run_batch(program: &Program<'_>, first: u64, end: u64) -> Result<Vec<u64>, Refusal> {
    let outcome = program.run(&Seeds::Range(first, end), None)?;
    match outcome.is_well {
        true => Ok(Vec::new()),
        // The test has failed by seeds that it names.
        false if outcome.has_exited && !outcome.report.failed.is_empty() => Ok(outcome.report.failed),
        // It has crashed, or takes too long: one of them is to blame.
        false => run_each(program, first..end),
    }
}

/// Runs each seed in its own process, and returns the seeds that failed.
fn run_each(program: &Program<'_>, seeds: std::ops::Range<u64>) -> Result<Vec<u64>, Refusal> {
    let mut failed = Vec::new();
    for seed in seeds {
        if !program.run(&Seeds::One(seed), None)?.is_well {
            failed.push(seed);
        }
    }
    Ok(failed)
}
