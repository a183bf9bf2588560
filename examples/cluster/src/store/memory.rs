//! The store in memory: one process, one lock, gone when the process is.
//!
//! The containers are those that the Redis store has, one for one, so that a rule is the same rule
//! in both.

mod state;
#[cfg(test)]
mod work;

use std::time::Duration;

use parking_lot::Mutex;

use super::clock::Clock;
use super::error::{ASSUMED_WORKERS, JOBS};
use super::names::{is_starting_name, starting_name};
use super::{
    Census, Limits, NextJob, Outcome, Place, STARTING_JOBS, Stolen, Store, StoreError, Submitted, Taken, WorkerState,
};
use state::{Job, Recorded, State};

/// A [`Store`] in this process's memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    clock: Clock,
    state: Mutex<State>,
}

impl MemoryStore {
    /// Makes one that is in the starting state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes one whose leases go by the computer's calendar, as Redis's do.
    #[must_use]
    pub fn by_calendar() -> Self {
        Self { clock: Clock::Calendar, ..Self::default() }
    }

    /// Makes one that holds this much.
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { state: Mutex::new(State { limits, ..State::default() }), ..Self::default() }
    }
}

impl Store for MemoryStore {
    async fn init(&self, workers: &[String], jobs: u64) -> Outcome<()> {
        let mut state = self.state.lock();
        let initialised = state.initialised;
        let unfinished = state.jobs.keys().filter(|job| initialised || !is_starting_name(job)).count();
        if unfinished > 0 {
            return Err(StoreError::UnfinishedJobs(unfinished as u64));
        }
        state.leave_starting_state();
        state.keep_workers(|worker| worker.seen.is_some());
        for worker in workers {
            state.add_worker(worker);
        }
        for worker in workers.iter().cycle().take(jobs as usize) {
            let job = state.new_name();
            state.append(worker, job)?;
        }
        Ok(())
    }

    async fn assume_starting_state(&self, idle: &str, busy: &[String]) -> Outcome<bool> {
        let mut state = self.state.lock();
        if state.initialised {
            return Ok(false);
        }
        let new = [idle].into_iter().chain(busy.iter().map(String::as_str));
        let new = new.filter(|worker| !state.workers.contains_key(*worker)).count();
        if (state.names.len() + new) as u64 > state.limits.assumed_workers {
            return Err(StoreError::Full(ASSUMED_WORKERS, state.limits.assumed_workers));
        }
        for worker in busy {
            if state.add_worker(worker) {
                for number in 0..STARTING_JOBS {
                    state.append(worker, starting_name(worker, number))?;
                }
            }
        }
        state.add_worker(idle);
        Ok(true)
    }

    async fn join(&self, worker: &str) -> Outcome<()> {
        let mut state = self.state.lock();
        state.leave_starting_state();
        state.add_worker(worker);
        state.worker(worker)?.seen = Some(self.clock.now());
        Ok(())
    }

    async fn submit(&self, worker: &str, job: Option<&str>, payload: &str) -> Outcome<Submitted> {
        let mut state = self.state.lock();
        state.worker(worker)?;
        if state.jobs.len() as u64 >= state.limits.jobs {
            return Err(StoreError::Full(JOBS, state.limits.jobs));
        }
        let job = match job {
            Some(job) if state.is_known(job) => return Err(StoreError::DuplicateJob(job.to_owned())),
            Some(job) => job.to_owned(),
            None => state.new_name(),
        };
        state.jobs.insert(job.clone(), Job { payload: payload.to_owned(), attempts: 0 });
        let queued = state.push_front(worker, job.clone())?;
        Ok(Submitted { job, queued })
    }

    async fn take(&self, worker: &str, lease: Duration) -> Outcome<Option<Taken>> {
        self.state.lock().take(worker, lease, self.clock.now())
    }

    async fn steal(&self, thief: &str, victims: &[String]) -> Outcome<Option<Stolen>> {
        let mut state = self.state.lock();
        for worker in [thief].into_iter().chain(victims.iter().map(String::as_str)) {
            state.worker(worker)?;
        }
        for victim in victims {
            if let Some(stolen) = state.steal(thief, victim)? {
                return Ok(Some(stolen));
            }
        }
        Ok(None)
    }

    async fn next_job(&self, worker: &str, lease: Duration, luck: Option<u32>) -> Outcome<Option<NextJob>> {
        let mut state = self.state.lock();
        let now = self.clock.now();
        if let Some(taken) = state.take(worker, lease, now)? {
            return Ok(Some(NextJob { taken, victim: None }));
        }
        let Some(victim) = luck.and_then(|luck| state.victim(luck)) else { return Ok(None) };
        state.steal(worker, &victim)?;
        Ok(state.take(worker, lease, now)?.map(|taken| NextJob { taken, victim: Some(victim) }))
    }

    async fn renew(&self, worker: &str, job: &str, attempt: u64, lease: Duration) -> Outcome<()> {
        let mut state = self.state.lock();
        if !state.is_held(worker, job, Some(attempt)) {
            return Err(StoreError::NotHeld { job: job.to_owned(), worker: worker.to_owned() });
        }
        let now = self.clock.now();
        if let Some(flight) = state.flight.get_mut(job) {
            (flight.began, flight.lease) = (now, lease);
        }
        let holder = state.worker(worker)?;
        holder.seen = holder.seen.map(|_| now);
        Ok(())
    }

    async fn complete(&self, worker: &str, job: &str, attempt: Option<u64>, result: &str) -> Outcome<bool> {
        let mut state = self.state.lock();
        state.worker(worker)?;
        let meanings = state.meanings(job);
        for meaning in &meanings {
            if state.hand_over(worker, meaning, attempt) {
                let attempt = state.jobs.remove(meaning).map_or(0, |job| job.attempts);
                let recorded = Recorded { worker: worker.to_owned(), attempt, result: result.to_owned() };
                state.record(meaning.clone(), recorded);
                return Ok(true);
            }
        }
        state.why_not(worker, job, attempt, &meanings)
    }

    async fn expire(&self, forget_after: Duration) -> Outcome<u64> {
        let mut state = self.state.lock();
        let now = self.clock.now();
        state.forget_times_to_come(now);
        let over = state.flight.iter().filter(|(_, flight)| flight.deadline() <= now);
        let mut over: Vec<_> = over.map(|(job, flight)| (flight.deadline(), job.clone())).collect();
        over.sort_unstable();
        for (_, job) in &over {
            let holder = state.land(job).unwrap_or_default();
            state.push_back(&holder, job.clone())?;
        }
        state.keep_workers(|worker| {
            let is_gone = worker.seen.is_some_and(|seen| now.saturating_sub(seen) >= forget_after);
            !is_gone || worker.in_flight > 0 || !worker.deque.is_empty()
        });
        Ok(over.len() as u64)
    }

    async fn workers(&self) -> Outcome<Vec<WorkerState>> {
        let state = self.state.lock();
        let seen = |name: &String| {
            let worker = &state.workers[name];
            WorkerState {
                name: name.clone(),
                queued: worker.deque.len() as u64,
                in_flight: worker.in_flight,
                has_joined: worker.seen.is_some(),
            }
        };
        Ok(state.names.iter().map(seen).collect())
    }

    async fn find(&self, job: &str) -> Outcome<Place> {
        let state = self.state.lock();
        let place = state.meanings(job).iter().find_map(|meaning| state.place(meaning));
        place.ok_or_else(|| StoreError::UnknownJob(job.to_owned()))
    }

    async fn census(&self) -> Outcome<Census> {
        let state = self.state.lock();
        let queue = |name: &String| {
            let name = name.clone();
            state.workers[&name].deque.iter().map(move |job| (name.clone(), job.clone())).collect::<Vec<_>>()
        };
        Ok(Census {
            queued: state.names.iter().flat_map(queue).collect(),
            busy: state.busy().cloned().collect(),
            in_flight: state.flight.iter().map(|(job, flight)| (flight.holder.clone(), job.clone())).collect(),
            unfinished: state.jobs.keys().cloned().collect(),
            done: state.results.iter().map(|(job, recorded)| (job.clone(), recorded.result.clone())).collect(),
        })
    }
}
