//! Where the jobs are: a deque for each worker, the jobs in flight, and the results.
//!
//! Every method is one step: it happens as a whole or not at all, and a job is in one place before
//! it and in one after it. Two stores keep that promise, one in [memory](MemoryStore) and one in
//! [Redis](RedisStore), and the same tests hold both to it.
//!
//! ```text
//!            submit                    take                     complete
//!   client ─────────▶ owner's deque ─────────▶ in flight, leased ─────────▶ result
//!                      │      ▲  ▲                    │
//!               steal  ▼      │  └────────────────────┘
//!                    thief's deque       expire
//! ```

mod clock;
mod error;
mod limits;
mod memory;
mod names;
mod redis;

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

pub use error::StoreError;
pub use limits::Limits;
pub use memory::MemoryStore;
pub use names::short_name;
pub use redis::{RedisStore, StoreAddress};

/// The outcome of a store's methods.
pub type Outcome<T> = Result<T, StoreError>;

/// A job that is now in its thief's deque, at the front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stolen {
    /// The worker that it was taken from.
    pub victim: String,
    /// Which job.
    pub job: String,
    /// How many the victim has left.
    pub left: u64,
}

/// A job that is now in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which job.
    pub job: String,
    /// How many times it has been taken, this time included. A worker whose lease ran out has an
    /// older number than the worker that took the job over, so that the two differ even if both
    /// have one name.
    pub attempt: u64,
    /// The job's payload: JSON.
    pub payload: String,
}

/// A job that is now in flight, and where it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextJob {
    /// The job.
    pub taken: Taken,
    /// The worker that it was stolen from, if it was.
    pub victim: Option<String>,
}

/// A job that is now queued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// Its name.
    pub job: String,
    /// How many jobs are in the deque now.
    pub queued: u64,
}

/// One worker, seen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerState {
    /// Its name.
    pub name: String,
    /// How many jobs wait in its deque.
    pub queued: u64,
    /// How many jobs it is working at.
    pub in_flight: u64,
    /// Whether a program has [joined](Store::join) under this name.
    pub has_joined: bool,
}

/// Where a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this worker's deque.
    Queued(String),
    /// This worker is at it.
    InFlight(String),
    /// This worker has done it, with this result.
    Done(String, String),
}

/// All jobs there are, seen at one moment, wherever a store keeps any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Worker and job, from the front of each deque to its end.
    pub queued: Vec<(String, String)>,
    /// The workers that thieves would try: those with something in their deques.
    pub busy: Vec<String>,
    /// Worker and job.
    pub in_flight: Vec<(String, String)>,
    /// The jobs that have no result yet, by the record of their payloads.
    pub unfinished: Vec<String>,
    /// Job and result.
    pub done: Vec<(String, String)>,
}

/// The deques, the jobs in flight and the results.
///
/// The errors of each method, besides those it names: [`StoreError::Unavailable`] if nothing has
/// happened, [`StoreError::OutcomeUnknown`] if that is unknown, and [`StoreError::Failed`].
pub trait Store: Debug + Send + Sync + 'static {
    /// Begins anew: with these workers, besides those that have joined, and with jobs dealt out to
    /// them in turn.
    ///
    /// Results stay, the newest of them, and the numbers of the jobs go on.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnfinishedJobs`] if there are jobs without a result, other than those of the
    /// starting state.
    fn init(&self, workers: &[String], jobs: u64) -> impl Future<Output = Outcome<()>> + Send;

    /// Lets the starting state hold for these workers, as far as they are new, and says whether
    /// there is such a state: there is none after [`init`](Self::init) and [`join`](Self::join).
    ///
    /// Each of `busy` then has job0, job1 and job2 in its deque, and `idle` has none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Full`] if there would be more workers than the [`Limits`] allow without an
    /// `init`: then there is none more than before.
    fn assume_starting_state(&self, idle: &str, busy: &[String]) -> impl Future<Output = Outcome<bool>> + Send;

    /// Adds a worker that is a program. It is seen when it takes or renews something;
    /// [`expire`](Self::expire) forgets that was not seen for long.
    fn join(&self, worker: &str) -> impl Future<Output = Outcome<()>> + Send;

    /// Puts a job at the front of the worker's deque. Without a name it gets one.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownWorker`], [`StoreError::DuplicateJob`] if there is a job or a result of
    /// that name, and [`StoreError::Full`].
    fn submit(&self, worker: &str, job: Option<&str>, payload: &str)
    -> impl Future<Output = Outcome<Submitted>> + Send;

    /// Takes the job at the front of the worker's own deque, for as long as `lease`.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownWorker`].
    fn take(&self, worker: &str, lease: Duration) -> impl Future<Output = Outcome<Option<Taken>>> + Send;

    /// Takes the job at the end of the deque of the first of `victims` that has one, to the front
    /// of the thief's.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownWorker`], if the thief or any of the victims is.
    fn steal(&self, thief: &str, victims: &[String]) -> impl Future<Output = Outcome<Option<Stolen>>> + Send;

    /// Takes the job at the front of the worker's own deque, or, if there is none and it tries its
    /// luck, that at the end of another's: the steal and the taking in one, so that no other thief
    /// comes between.
    ///
    /// Of the n workers that have jobs queued, in the order in which they came, the victim is the
    /// one with the number `luck` mod n.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownWorker`].
    fn next_job(
        &self,
        worker: &str,
        lease: Duration,
        luck: Option<u32>,
    ) -> impl Future<Output = Outcome<Option<NextJob>>> + Send;

    /// Begins the lease of a job in flight again.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotHeld`] if it is no longer this worker's, or no longer this attempt.
    fn renew(&self, worker: &str, job: &str, attempt: u64, lease: Duration)
    -> impl Future<Output = Outcome<()>> + Send;

    /// Records the result of a job that this worker has in flight, or has in its deque if no
    /// attempt is named.
    ///
    /// With an attempt, it may be called again when the outcome of the first call is unknown.
    /// Returns whether it was recorded now.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownJob`], [`StoreError::NotHeld`] if another worker has it,
    /// [`StoreError::AlreadyCompleted`].
    fn complete(
        &self,
        worker: &str,
        job: &str,
        attempt: Option<u64>,
        result: &str,
    ) -> impl Future<Output = Outcome<bool>> + Send;

    /// Puts the jobs with expired leases at the end of the deques they were taken from, where a
    /// thief takes them first.
    ///
    /// Returns how many those were. Forgets the workers that have joined, have no jobs, and were
    /// not seen for `forget_after`. A lease that began at a moment still to come, before the
    /// store's clock was set back, begins again.
    fn expire(&self, forget_after: Duration) -> impl Future<Output = Outcome<u64>> + Send;

    /// All workers, in the order in which they came.
    fn workers(&self) -> impl Future<Output = Outcome<Vec<WorkerState>>> + Send;

    /// Where the job is.
    ///
    /// # Errors
    ///
    /// [`StoreError::UnknownJob`].
    fn find(&self, job: &str) -> impl Future<Output = Outcome<Place>> + Send;

    /// All jobs, at one moment. For tests and small clusters: the store does nothing else
    /// meanwhile.
    fn census(&self) -> impl Future<Output = Outcome<Census>> + Send;
}

/// How many jobs each worker holds in the starting state.
pub(crate) const STARTING_JOBS: u64 = 3;

/// How long after it was last seen a worker is usually forgotten.
pub const FORGET_AFTER: Duration = Duration::from_secs(60);
