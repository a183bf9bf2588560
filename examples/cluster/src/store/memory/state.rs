//! The containers of the store in memory, and the small steps on them.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::store::names::is_starting_name;
use crate::store::{Limits, Outcome, Place, Stolen, StoreError, Taken};

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) limits: Limits,
    /// Whether the starting state is over.
    pub(super) initialised: bool,
    /// The workers in the order in which they came.
    pub(super) names: Vec<String>,
    pub(super) workers: HashMap<String, Worker>,
    /// The payloads of the unfinished jobs.
    pub(super) jobs: HashMap<String, Job>,
    /// The worker in whose deque each queued job is.
    pub(super) places: HashMap<String, String>,
    pub(super) flight: HashMap<String, Flight>,
    pub(super) results: HashMap<String, Recorded>,
    /// The jobs of the results, the oldest first.
    pub(super) recorded: VecDeque<String>,
    pub(super) next_job: u64,
}

#[derive(Debug, Default)]
pub(super) struct Worker {
    /// The front is the owner's end, the back the thieves'.
    pub(super) deque: VecDeque<String>,
    pub(super) in_flight: u64,
    /// When it was last seen at work, if it is a program that has joined.
    pub(super) seen: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) payload: String,
    pub(super) attempts: u64,
}

#[derive(Debug)]
pub(super) struct Flight {
    pub(super) holder: String,
    /// When its lease began, or was renewed.
    pub(super) began: Duration,
    pub(super) lease: Duration,
}

impl Flight {
    pub(super) fn deadline(&self) -> Duration {
        self.began.saturating_add(self.lease)
    }
}

#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) worker: String,
    pub(super) attempt: u64,
    pub(super) result: String,
}

impl State {
    pub(super) fn worker(&mut self, name: &str) -> Outcome<&mut Worker> {
        self.workers.get_mut(name).ok_or_else(|| StoreError::UnknownWorker(name.to_owned()))
    }

    /// Adds the worker if it is new, and says whether it is.
    pub(super) fn add_worker(&mut self, name: &str) -> bool {
        if self.workers.contains_key(name) {
            return false;
        }
        self.names.push(name.to_owned());
        self.workers.insert(name.to_owned(), Worker::default());
        true
    }

    pub(super) fn keep_workers(&mut self, mut keep: impl FnMut(&Worker) -> bool) {
        self.workers.retain(|_, worker| keep(worker));
        self.names.retain(|name| self.workers.contains_key(name));
    }

    pub(super) fn append(&mut self, worker: &str, job: String) -> Outcome<()> {
        self.jobs.insert(job.clone(), Job { payload: "null".to_owned(), attempts: 0 });
        self.push_back(worker, job)
    }

    pub(super) fn push_back(&mut self, worker: &str, job: String) -> Outcome<()> {
        self.worker(worker)?.deque.push_back(job.clone());
        self.places.insert(job, worker.to_owned());
        Ok(())
    }

    /// Returns how many jobs are in the deque now.
    pub(super) fn push_front(&mut self, worker: &str, job: String) -> Outcome<u64> {
        let deque = &mut self.worker(worker)?.deque;
        deque.push_front(job.clone());
        let queued = deque.len() as u64;
        self.places.insert(job, worker.to_owned());
        Ok(queued)
    }

    /// Records a result, and forgets the oldest if there are too many.
    pub(super) fn record(&mut self, job: String, recorded: Recorded) {
        self.results.insert(job.clone(), recorded);
        self.recorded.push_back(job);
        if self.recorded.len() as u64 > self.limits.results {
            let oldest = self.recorded.pop_front();
            oldest.and_then(|job| self.results.remove(&job));
        }
    }

    pub(super) fn new_name(&mut self) -> String {
        loop {
            let name = format!("job{}", self.next_job);
            self.next_job += 1;
            if !self.is_known(&name) {
                return name;
            }
        }
    }

    pub(super) fn is_known(&self, job: &str) -> bool {
        self.jobs.contains_key(job) || self.results.contains_key(job)
    }

    /// The jobs of the starting state belong to no worker, and end with it.
    pub(super) fn leave_starting_state(&mut self) {
        if std::mem::replace(&mut self.initialised, true) {
            return;
        }
        self.jobs.retain(|job, _| !is_starting_name(job));
        self.results.retain(|job, _| !is_starting_name(job));
        self.recorded.retain(|job| !is_starting_name(job));
        self.places.retain(|job, _| !is_starting_name(job));
        let of_nobody: Vec<_> = self.flight.keys().filter(|job| is_starting_name(job)).cloned().collect();
        for job in of_nobody {
            self.land(&job);
        }
        for worker in self.workers.values_mut() {
            worker.deque.retain(|job| {
                count_step();
                !is_starting_name(job)
            });
        }
    }

    /// Ends a job's flight, and returns the worker that had it.
    pub(super) fn land(&mut self, job: &str) -> Option<String> {
        let flight = self.flight.remove(job)?;
        if let Some(worker) = self.workers.get_mut(&flight.holder) {
            worker.in_flight -= 1;
        }
        Some(flight.holder)
    }

    /// The names inside the store that the client's name for a job may stand for: in the starting
    /// state one for each worker, of which there are few then.
    pub(super) fn meanings(&self, job: &str) -> Vec<String> {
        let mut meanings = vec![job.to_owned()];
        if !self.initialised {
            meanings.extend(self.names.iter().map(|worker| format!("{worker}/{job}")));
        }
        meanings
    }

    pub(super) fn is_held(&self, worker: &str, job: &str, attempt: Option<u64>) -> bool {
        self.flight.get(job).is_some_and(|flight| flight.holder == worker)
            && attempt.is_none_or(|attempt| self.jobs.get(job).is_some_and(|job| job.attempts == attempt))
    }

    /// Takes the job from where this worker has it.
    pub(super) fn hand_over(&mut self, worker: &str, job: &str, attempt: Option<u64>) -> bool {
        if self.is_held(worker, job, attempt) {
            return self.land(job).is_some();
        }
        if attempt.is_some() || self.places.get(job).is_none_or(|place| place != worker) {
            return false;
        }
        let Some(worker) = self.workers.get_mut(worker) else { return false };
        let is_it = |queued: &String| {
            count_step();
            queued == job
        };
        let place = worker.deque.iter().position(is_it);
        self.places.remove(job);
        place.and_then(|place| worker.deque.remove(place)).is_some()
    }

    pub(super) fn why_not(&self, worker: &str, job: &str, attempt: Option<u64>, meanings: &[String]) -> Outcome<bool> {
        if let Some(recorded) = meanings.iter().find_map(|meaning| self.results.get(meaning)) {
            if recorded.worker == worker && attempt == Some(recorded.attempt) {
                return Ok(false);
            }
            return Err(StoreError::AlreadyCompleted(job.to_owned()));
        }
        if meanings.iter().any(|meaning| self.jobs.contains_key(meaning)) {
            return Err(StoreError::NotHeld { job: job.to_owned(), worker: worker.to_owned() });
        }
        Err(StoreError::UnknownJob(job.to_owned()))
    }

    pub(super) fn take(&mut self, worker: &str, lease: Duration, now: Duration) -> Outcome<Option<Taken>> {
        let taker = self.worker(worker)?;
        taker.seen = taker.seen.map(|_| now);
        let Some(job) = taker.deque.pop_front() else { return Ok(None) };
        taker.in_flight += 1;
        self.places.remove(&job);
        self.flight.insert(job.clone(), Flight { holder: worker.to_owned(), began: now, lease });
        let record = self.jobs.get_mut(&job).ok_or_else(|| StoreError::Failed(format!("{job} has no record")))?;
        record.attempts += 1;
        Ok(Some(Taken { attempt: record.attempts, payload: record.payload.clone(), job }))
    }

    pub(super) fn steal(&mut self, thief: &str, victim: &str) -> Outcome<Option<Stolen>> {
        let deque = &mut self.worker(victim)?.deque;
        let Some(job) = deque.pop_back() else { return Ok(None) };
        let left = deque.len() as u64;
        self.push_front(thief, job.clone())?;
        Ok(Some(Stolen { victim: victim.to_owned(), job, left }))
    }

    pub(super) fn busy(&self) -> impl Iterator<Item = &String> {
        self.names.iter().filter(|name| !self.workers[*name].deque.is_empty())
    }

    /// A lease with its beginning still to come began before the clock was set back: one from while
    /// it was an hour ahead would last for an hour more. It counts from now.
    pub(super) fn forget_times_to_come(&mut self, now: Duration) {
        let leases = self.flight.values_mut().map(|flight| &mut flight.began);
        for moment in leases.chain(self.workers.values_mut().filter_map(|worker| worker.seen.as_mut())) {
            *moment = now.min(*moment);
        }
    }

    pub(super) fn victim(&self, luck: u32) -> Option<String> {
        let count = self.busy().count();
        self.busy().nth(luck as usize % count.max(1)).cloned()
    }

    pub(super) fn place(&self, job: &str) -> Option<Place> {
        count_step();
        if let Some(recorded) = self.results.get(job) {
            return Some(Place::Done(recorded.worker.clone(), recorded.result.clone()));
        }
        if let Some(flight) = self.flight.get(job) {
            return Some(Place::InFlight(flight.holder.clone()));
        }
        self.places.get(job).map(|worker| Place::Queued(worker.clone()))
    }
}

/// Counts a step of a walk, for the tests of how long walks are.
fn count_step() {
    #[cfg(test)]
    super::work::STEPS.set(super::work::STEPS.get() + 1);
}
