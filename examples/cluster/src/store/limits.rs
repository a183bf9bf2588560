//! `Limits`: how much a store holds, so that no client makes it grow without end.

/// The most that a store holds. What is beyond is refused with [`StoreError::Full`], but for
/// results: the oldest is forgotten.
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
