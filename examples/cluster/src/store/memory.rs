//! The store in memory: one process, one lock, gone when the process is.
//!
//! The containers are those that the Redis store has, one for one, so that a rule is the same rule
//! in both.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use parking_lot::Mutex;

use super::clock::Clock;
use super::error::{ASSUMED_WORKERS, JOBS};
use super::names::{is_starting_name, starting_name};
use super::{
    Census, Limits, NextJob, Outcome, Place, STARTING_JOBS, Stolen, Store, StoreError, Submitted, Taken, WorkerState,
};

#[cfg(test)]
mod work;

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

#[derive(Debug, Default)]
struct State {
    limits: Limits,
    /// Whether the starting state is over.
    initialised: bool,
    /// The workers in the order in which they came.
    names: Vec<String>,
    workers: HashMap<String, Worker>,
    /// The payloads of the unfinished jobs.
    jobs: HashMap<String, Job>,
    /// The worker in whose deque each queued job is.
    places: HashMap<String, String>,
    flight: HashMap<String, Flight>,
    results: HashMap<String, Recorded>,
    /// The jobs of the results, the oldest first.
    recorded: VecDeque<String>,
    next_job: u64,
}

#[derive(Debug, Default)]
struct Worker {
    /// The front is the owner's end, the back the thieves'.
    deque: VecDeque<String>,
    in_flight: u64,
    /// When it was last seen at work, if it is a program that has joined.
    seen: Option<Duration>,
}

#[derive(Debug)]
struct Job {
    payload: String,
    attempts: u64,
}

#[derive(Debug)]
struct Flight {
    holder: String,
    /// When its lease began, or was renewed.
    began: Duration,
    lease: Duration,
}

impl Flight {
    fn deadline(&self) -> Duration {
        self.began.saturating_add(self.lease)
    }
}

#[derive(Debug)]
struct Recorded {
    worker: String,
    attempt: u64,
    result: String,
}

impl State {
    fn worker(&mut self, name: &str) -> Outcome<&mut Worker> {
        self.workers.get_mut(name).ok_or_else(|| StoreError::UnknownWorker(name.to_owned()))
    }

    /// Adds the worker if it is new, and says whether it is.
    fn add_worker(&mut self, name: &str) -> bool {
        if self.workers.contains_key(name) {
            return false;
        }
        self.names.push(name.to_owned());
        self.workers.insert(name.to_owned(), Worker::default());
        true
    }

    fn keep_workers(&mut self, mut keep: impl FnMut(&Worker) -> bool) {
        self.workers.retain(|_, worker| keep(worker));
        self.names.retain(|name| self.workers.contains_key(name));
    }

    fn append(&mut self, worker: &str, job: String) -> Outcome<()> {
        self.jobs.insert(job.clone(), Job { payload: "null".to_owned(), attempts: 0 });
        self.push_back(worker, job)
    }

    fn push_back(&mut self, worker: &str, job: String) -> Outcome<()> {
        self.worker(worker)?.deque.push_back(job.clone());
        self.places.insert(job, worker.to_owned());
        Ok(())
    }

    /// Returns how many jobs are in the deque now.
    fn push_front(&mut self, worker: &str, job: String) -> Outcome<u64> {
        let deque = &mut self.worker(worker)?.deque;
        deque.push_front(job.clone());
        let queued = deque.len() as u64;
        self.places.insert(job, worker.to_owned());
        Ok(queued)
    }

    /// Records a result, and forgets the oldest if there are too many.
    fn record(&mut self, job: String, recorded: Recorded) {
        self.results.insert(job.clone(), recorded);
        self.recorded.push_back(job);
        if self.recorded.len() as u64 > self.limits.results {
            let oldest = self.recorded.pop_front();
            oldest.and_then(|job| self.results.remove(&job));
        }
    }

    fn new_name(&mut self) -> String {
        loop {
            let name = format!("job{}", self.next_job);
            self.next_job += 1;
            if !self.is_known(&name) {
                return name;
            }
        }
    }

    fn is_known(&self, job: &str) -> bool {
        self.jobs.contains_key(job) || self.results.contains_key(job)
    }

    /// The jobs of the starting state belong to no worker, and end with it.
    fn leave_starting_state(&mut self) {
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
    fn land(&mut self, job: &str) -> Option<String> {
        let flight = self.flight.remove(job)?;
        if let Some(worker) = self.workers.get_mut(&flight.holder) {
            worker.in_flight -= 1;
        }
        Some(flight.holder)
    }

    /// The names inside the store that the client's name for a job may stand for: in the starting
    /// state one for each worker, of which there are few then.
    fn meanings(&self, job: &str) -> Vec<String> {
        let mut meanings = vec![job.to_owned()];
        if !self.initialised {
            meanings.extend(self.names.iter().map(|worker| format!("{worker}/{job}")));
        }
        meanings
    }

    fn is_held(&self, worker: &str, job: &str, attempt: Option<u64>) -> bool {
        self.flight.get(job).is_some_and(|flight| flight.holder == worker)
            && attempt.is_none_or(|attempt| self.jobs.get(job).is_some_and(|job| job.attempts == attempt))
    }

    /// Takes the job from where this worker has it.
    fn hand_over(&mut self, worker: &str, job: &str, attempt: Option<u64>) -> bool {
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

    fn why_not(&self, worker: &str, job: &str, attempt: Option<u64>, meanings: &[String]) -> Outcome<bool> {
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

    fn take(&mut self, worker: &str, lease: Duration, now: Duration) -> Outcome<Option<Taken>> {
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

    fn steal(&mut self, thief: &str, victim: &str) -> Outcome<Option<Stolen>> {
        let deque = &mut self.worker(victim)?.deque;
        let Some(job) = deque.pop_back() else { return Ok(None) };
        let left = deque.len() as u64;
        self.push_front(thief, job.clone())?;
        Ok(Some(Stolen { victim: victim.to_owned(), job, left }))
    }

    fn busy(&self) -> impl Iterator<Item = &String> {
        self.names.iter().filter(|name| !self.workers[*name].deque.is_empty())
    }

    /// A lease with its beginning still to come began before the clock was set back: one from while
    /// it was an hour ahead would last for an hour more. It counts from now.
    fn forget_times_to_come(&mut self, now: Duration) {
        let leases = self.flight.values_mut().map(|flight| &mut flight.began);
        for moment in leases.chain(self.workers.values_mut().filter_map(|worker| worker.seen.as_mut())) {
            *moment = now.min(*moment);
        }
    }

    fn victim(&self, luck: u32) -> Option<String> {
        let count = self.busy().count();
        self.busy().nth(luck as usize % count.max(1)).cloned()
    }

    fn place(&self, job: &str) -> Option<Place> {
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
    work::STEPS.set(work::STEPS.get() + 1);
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
