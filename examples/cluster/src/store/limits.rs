//! `Limits`: how much a store holds, so that no client makes it grow without end.

/// The most that a store holds. More jobs and workers are refused with [`StoreError::Full`], and
/// for a result that is one too many the oldest is forgotten.
///
/// [`StoreError::Full`]: super::StoreError::Full
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The workers of the starting state, whose jobs a message looks through.
    pub assumed_workers: u64,
    /// The jobs without a result.
    pub jobs: u64,
    /// The results.
    pub results: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { assumed_workers: 100, jobs: 100_000, results: 100_000 }
    }
}
