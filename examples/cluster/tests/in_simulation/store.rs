//! The disk of the Redis, where each script is a step: the store in memory, and after each step a
//! look whether every job has one place, and every result stays.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use wsrt::sim::Sim;
use wsrt_cluster::store::{Census, MemoryStore, Outcome, Place, Store, StoreError, Taken};

/// It outlives crashes, whole. Its leases go by the calendar of its host, as a Redis's do.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    store: Arc<MemoryStore>,
    seen: Arc<Mutex<Seen>>,
}

/// The jobs and results after the steps so far.
#[derive(Debug, Default)]
struct Seen {
    jobs: Vec<String>,
    results: BTreeMap<String, String>,
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

fn number(word: &str) -> u64 {
    word.parse().expect("the store sends numbers")
}

fn lease(word: &str) -> Duration {
    Duration::from_millis(number(word))
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { store: Arc::new(MemoryStore::by_calendar()), seen: Arc::default() }
    }

    /// Runs a script by its name, as one step.
    pub(crate) async fn run(&self, script: &str, arguments: &[&str]) -> Vec<String> {
        let answer = match self.step(script, arguments).await {
            Ok(answer) => answer,
            Err(StoreError::UnknownWorker(worker)) => words(["unknown_worker", &worker]),
            Err(StoreError::UnknownJob(_)) => words(["unknown_job"]),
            Err(StoreError::DuplicateJob(job)) => words(["duplicate", &job]),
            Err(StoreError::AlreadyCompleted(_)) => words(["completed"]),
            Err(StoreError::NotHeld { .. }) => words(["not_held"]),
            Err(other) => panic!("the store in memory does not fail: {other}"),
        };
        let census = self.store.census().await.expect("it does not fail");
        if let Err(why) = self.seen.lock().expect("no panic while it is locked").look_at(&census) {
            Sim::current().invariant(&format!("after {script} {arguments:?}: {why}"), || false);
        }
        answer
    }

    async fn step(&self, script: &str, arguments: &[&str]) -> Outcome<Vec<String>> {
        let store = &self.store;
        match (script, arguments) {
            ("join", [worker]) => store.join(worker).await.map(|()| words(["ok"])),
            ("submit", [worker, job, payload]) => {
                let submitted = store.submit(worker, Some(job), payload).await?;
                Ok(words(["ok", &submitted.job, &submitted.queued.to_string()]))
            }
            ("next_job", [worker, time, luck]) => {
                let luck = number(luck) as u32;
                let next = store.next_job(worker, lease(time), Some(luck)).await?;
                Ok(next.map_or_else(|| words(["none"]), |next| taken(next.taken, next.victim)))
            }
            ("renew", [worker, job, attempt, time]) => {
                store.renew(worker, job, number(attempt), lease(time)).await.map(|()| words(["ok"]))
            }
            ("complete", [worker, job, attempt, result]) => {
                let is_new = store.complete(worker, job, Some(number(attempt)), result).await?;
                Ok(words([if is_new { "ok" } else { "again" }]))
            }
            ("expire", [forget_after]) => {
                let count = store.expire(lease(forget_after)).await?;
                Ok(words(["ok", &count.to_string()]))
            }
            ("find", [job]) => Ok(match store.find(job).await? {
                Place::Queued(worker) => words(["queued", &worker]),
                Place::InFlight(worker) => words(["in_flight", &worker]),
                Place::Done(worker, result) => words(["done", &format!("1\n{worker}\n{result}")]),
            }),
            other => panic!("the cluster calls no such script here: {other:?}"),
        }
    }

    /// Panics unless so many jobs have results, and no job is anywhere else.
    pub(crate) fn assert_all_done(&self, jobs: usize) {
        let seen = self.seen.lock().expect("no panic while it is locked");
        assert_eq!((seen.jobs.len(), seen.results.len()), (jobs, jobs));
    }
}

fn taken(taken: Taken, victim: Option<String>) -> Vec<String> {
    let mut answer = words(["ok", &taken.job, &taken.attempt.to_string(), &taken.payload]);
    answer.extend(victim);
    answer
}

impl Seen {
    /// Looks whether each job has one place, none has gone, and no result is another than before.
    fn look_at(&mut self, census: &Census) -> Result<(), String> {
        let Census { queued, busy, in_flight, unfinished, done } = census;
        let open = queued.iter().chain(in_flight).map(|(_, job)| job);
        let mut jobs: Vec<_> = open.clone().chain(done.iter().map(|(job, _)| job)).cloned().collect();
        jobs.sort_unstable();
        let (mut open, mut unfinished): (Vec<_>, Vec<_>) = (open.collect(), unfinished.iter().collect());
        open.sort_unstable();
        unfinished.sort_unstable();
        if open != unfinished || jobs.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("a job without one place: {census:?}"));
        }
        if !self.jobs.iter().all(|job| jobs.binary_search(job).is_ok()) {
            return Err(format!("a job has gone: {census:?}"));
        }
        if queued.iter().any(|(worker, _)| !busy.contains(worker)) {
            return Err(format!("a deque that no thief sees: {census:?}"));
        }
        for (job, result) in done {
            if self.results.insert(job.clone(), result.clone()).is_some_and(|before| before != *result) {
                return Err(format!("another result of {job}: {census:?}"));
            }
        }
        let is_as_before = self.results.len() == done.len();
        self.jobs = jobs;
        if is_as_before { Ok(()) } else { Err(format!("a result has gone: {census:?}")) }
    }
}
