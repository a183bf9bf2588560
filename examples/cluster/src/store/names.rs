//! The names of jobs. In the starting state every worker has a job0, so that inside the store those
//! are w1/job0, w2/job0.
//!
//! All other names have no slash, which distinguishes the two.

/// The name by which clients know the job.
#[must_use]
pub fn short_name(job: &str) -> &str {
    job.rsplit('/').next().unwrap_or(job)
}

/// The name of a worker's job in the starting state.
pub(super) fn starting_name(worker: &str, number: u64) -> String {
    format!("{worker}/job{number}")
}

/// Whether the job belongs to the starting state.
pub(super) fn is_starting_name(job: &str) -> bool {
    job.contains('/')
}
