//! The store in Redis: many processes on many hosts, and nothing between them but this.
//!
//! Each step is one Lua script, which Redis runs without anything else in between, and writes to
//! its log as one piece. So a process that is killed leaves each step done or not done.

mod address;
mod link;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use redis::{ConnectionInfo, Script, ScriptInvocation};

pub use address::StoreAddress;
use link::Link;
use scripts::Scripts;

use super::error::{ASSUMED_WORKERS, JOBS};
use super::{Census, Limits, NextJob, Outcome, Place, Stolen, Store, StoreError, Submitted, Taken, WorkerState};

/// A [`Store`] in a Redis, version 6.2 or newer.
#[derive(Debug)]
pub struct RedisStore {
    link: Link,
    scripts: Arc<Scripts>,
    limits: Limits,
    /// The beginning of all keys. The braces keep them together on one node of a Redis cluster.
    prefix: String,
}

impl RedisStore {
    /// Connects to the Redis, or begins to try. Clusters with different `namespace`s do not see
    /// each other.
    ///
    /// Whether Redis is there shows in [`trouble`](Self::trouble), and in the first call.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime.
    pub async fn open(info: ConnectionInfo, namespace: &str) -> Self {
        let prefix = format!("{{{namespace}}}:");
        let limits = Limits::default();
        Self { link: Link::open(info).await, scripts: Arc::new(Scripts::new(limits)), limits, prefix }
    }

    /// Has the store hold this much, as far as this process is concerned: all processes should have
    /// the same limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { scripts: Arc::new(Scripts::new(limits)), limits, ..self }
    }

    /// Why Redis cannot be reached at present, if it cannot.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.link.trouble()
    }

    /// Deletes the cluster with all its jobs and results. For measurements.
    ///
    /// # Errors
    ///
    /// Those of [`Store`] that all methods have.
    pub async fn clear(&self) -> Outcome<()> {
        self.run(&self.call(&self.scripts.clear), "", "").await.map(drop)
    }

    fn call<'a>(&self, script: &'a Script) -> ScriptInvocation<'a> {
        script.key(self.prefix.as_str())
    }

    /// Runs a script, and sorts out the refusals that several have in common.
    async fn run(&self, call: &ScriptInvocation<'_>, worker: &str, job: &str) -> Outcome<Answer> {
        let mut words = self.link.run(call).await?.into_iter();
        let verdict = words.next().ok_or_else(|| StoreError::Failed("an empty answer".to_owned()))?;
        match verdict.as_str() {
            "unknown_worker" => Err(StoreError::UnknownWorker(words.next().unwrap_or_default())),
            "unknown_job" => Err(StoreError::UnknownJob(job.to_owned())),
            "duplicate" => Err(StoreError::DuplicateJob(job.to_owned())),
            "full_of_jobs" => Err(StoreError::Full(JOBS, self.limits.jobs)),
            "full_of_workers" => Err(StoreError::Full(ASSUMED_WORKERS, self.limits.assumed_workers)),
            "completed" => Err(StoreError::AlreadyCompleted(job.to_owned())),
            "not_held" => Err(StoreError::NotHeld { job: job.to_owned(), worker: worker.to_owned() }),
            _ => Ok(Answer { verdict, words }),
        }
    }
}

/// The answer of a script: a verdict, and words.
#[derive(Debug)]
struct Answer {
    verdict: String,
    words: std::vec::IntoIter<String>,
}

impl Answer {
    fn is(&self, verdict: &str) -> bool {
        self.verdict == verdict
    }

    fn word(&mut self) -> Outcome<String> {
        self.words.next().ok_or_else(|| StoreError::Failed(format!("a short answer after {:?}", self.verdict)))
    }

    fn number(&mut self) -> Outcome<u64> {
        let word = self.word()?;
        word.parse().map_err(|_| StoreError::Failed(format!("{word:?} is no number")))
    }

    fn has_more(&self) -> bool {
        !self.words.as_slice().is_empty()
    }
}

/// The worker and the result out of the record of a finished job.
fn recorded(record: &str) -> (String, String) {
    let mut lines = record.splitn(3, '\n').skip(1);
    let mut next = || lines.next().unwrap_or_default().to_owned();
    (next(), next())
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Store for RedisStore {
    async fn init(&self, workers: &[String], jobs: u64) -> Outcome<()> {
        let mut call = self.call(&self.scripts.init);
        let mut answer = self.run(call.arg(jobs).arg(workers), "", "").await?;
        if answer.is("unfinished") { Err(StoreError::UnfinishedJobs(answer.number()?)) } else { Ok(()) }
    }

    async fn assume_starting_state(&self, idle: &str, busy: &[String]) -> Outcome<bool> {
        let mut call = self.call(&self.scripts.assume_starting_state);
        Ok(self.run(call.arg(idle).arg(busy), "", "").await?.is("ok"))
    }

    async fn join(&self, worker: &str) -> Outcome<()> {
        let mut call = self.call(&self.scripts.join);
        self.run(call.arg(worker), worker, "").await.map(drop)
    }

    async fn submit(&self, worker: &str, job: Option<&str>, payload: &str) -> Outcome<Submitted> {
        let job = job.unwrap_or_default();
        let mut call = self.call(&self.scripts.submit);
        let mut answer = self.run(call.arg(worker).arg(job).arg(payload), worker, job).await?;
        Ok(Submitted { job: answer.word()?, queued: answer.number()? })
    }

    async fn take(&self, worker: &str, lease: Duration) -> Outcome<Option<Taken>> {
        let mut call = self.call(&self.scripts.take);
        let mut answer = self.run(call.arg(worker).arg(milliseconds(lease)), worker, "").await?;
        if answer.is("none") {
            return Ok(None);
        }
        Ok(Some(Taken { job: answer.word()?, attempt: answer.number()?, payload: answer.word()? }))
    }

    async fn steal(&self, thief: &str, victims: &[String]) -> Outcome<Option<Stolen>> {
        let mut call = self.call(&self.scripts.steal);
        let mut answer = self.run(call.arg(thief).arg(victims), thief, "").await?;
        if answer.is("none") {
            return Ok(None);
        }
        Ok(Some(Stolen { victim: answer.word()?, job: answer.word()?, left: answer.number()? }))
    }

    async fn next_job(&self, worker: &str, lease: Duration, luck: Option<u32>) -> Outcome<Option<NextJob>> {
        let luck = luck.map(|luck| luck.to_string()).unwrap_or_default();
        let mut call = self.call(&self.scripts.next_job);
        let mut answer = self.run(call.arg(worker).arg(milliseconds(lease)).arg(luck), worker, "").await?;
        if answer.is("none") {
            return Ok(None);
        }
        let taken = Taken { job: answer.word()?, attempt: answer.number()?, payload: answer.word()? };
        Ok(Some(NextJob { taken, victim: answer.words.next() }))
    }

    async fn renew(&self, worker: &str, job: &str, attempt: u64, lease: Duration) -> Outcome<()> {
        let mut call = self.call(&self.scripts.renew);
        let call = call.arg(worker).arg(job).arg(attempt).arg(milliseconds(lease));
        self.run(call, worker, job).await.map(drop)
    }

    async fn complete(&self, worker: &str, job: &str, attempt: Option<u64>, result: &str) -> Outcome<bool> {
        let mut call = self.call(&self.scripts.complete);
        let attempt = attempt.map(|attempt| attempt.to_string()).unwrap_or_default();
        let call = call.arg(worker).arg(job).arg(attempt).arg(result);
        Ok(self.run(call, worker, job).await?.is("ok"))
    }

    async fn expire(&self, forget_after: Duration) -> Outcome<u64> {
        let mut call = self.call(&self.scripts.expire);
        self.run(call.arg(milliseconds(forget_after)), "", "").await?.number()
    }

    async fn workers(&self) -> Outcome<Vec<WorkerState>> {
        let mut answer = self.run(&self.call(&self.scripts.workers), "", "").await?;
        let mut workers = Vec::new();
        while answer.has_more() {
            workers.push(WorkerState {
                name: answer.word()?,
                queued: answer.number()?,
                in_flight: answer.number()?,
                has_joined: answer.number()? == 1,
            });
        }
        Ok(workers)
    }

    async fn find(&self, job: &str) -> Outcome<Place> {
        let mut call = self.call(&self.scripts.find);
        let mut answer = self.run(call.arg(job), "", job).await?;
        let word = answer.word()?;
        Ok(match answer.verdict.as_str() {
            "queued" => Place::Queued(word),
            "in_flight" => Place::InFlight(word),
            _ => {
                let (worker, result) = recorded(&word);
                Place::Done(worker, result)
            }
        })
    }

    async fn census(&self) -> Outcome<Census> {
        let mut answer = self.run(&self.call(&self.scripts.census), "", "").await?;
        let mut census = Census::default();
        while answer.has_more() {
            let (place, with, job) = (answer.word()?, answer.word()?, answer.word()?);
            match place.as_str() {
                "queued" => census.queued.push((with, job)),
                "in_flight" => census.in_flight.push((with, job)),
                "busy" => census.busy.push(with),
                "unfinished" => census.unfinished.push(job),
                _ => census.done.push((job, recorded(&with).1)),
            }
        }
        Ok(census)
    }
}
