//! The refusals and the failures of a store.

use std::error::Error;
use std::fmt;

/// Why a step was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The worker is not in the cluster.
    UnknownWorker(String),
    /// There is no such job, and there was none.
    UnknownJob(String),
    /// There is or was such a job.
    DuplicateJob(String),
    /// The job has its result.
    AlreadyCompleted(String),
    /// The job is not with this worker, or not by this attempt.
    NotHeld {
        /// Which job.
        job: String,
        /// The worker that does not have it.
        worker: String,
    },
    /// The store holds as many of these as it may: what, and how many.
    Full(&'static str, u64),
    /// So many jobs have no result yet.
    UnfinishedJobs(u64),
    /// The store cannot be reached; nothing has happened.
    Unavailable(String),
    /// The store did not answer; whether anything has happened is not known.
    OutcomeUnknown(String),
    /// The store answered something else than it should have.
    Failed(String),
}

impl StoreError {
    /// Whether the same call may succeed later, with no one changing anything but the store's being
    /// there.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::OutcomeUnknown(_))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownWorker(worker) => write!(f, "there is no worker {worker} in the cluster"),
            Self::UnknownJob(job) => write!(f, "there is no job {job}"),
            Self::DuplicateJob(job) => write!(f, "there is a job {job} already"),
            Self::AlreadyCompleted(job) => write!(f, "the result of {job} is recorded already"),
            Self::NotHeld { job, worker } => {
                write!(f, "{job} is not with {worker}, or no longer: its lease may have run out")
            }
            Self::Full(what, most) => write!(f, "the cluster may have {most} {what}, and not more"),
            Self::UnfinishedJobs(count) => {
                write!(f, "{count} jobs have no result yet; a new beginning would lose them")
            }
            Self::Unavailable(why) => write!(f, "the store cannot be reached, nothing has happened: {why}"),
            Self::OutcomeUnknown(why) => {
                write!(f, "the store has not answered, it may or may not have happened: {why}")
            }
            Self::Failed(why) => write!(f, "the store failed: {why}"),
        }
    }
}

/// Names the jobs that a full store holds.
pub(super) const JOBS: &str = "jobs without a result";
/// Names the workers that a full starting state has.
pub(super) const ASSUMED_WORKERS: &str = "workers without an init";

impl Error for StoreError {}
