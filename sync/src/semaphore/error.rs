//! The errors of semaphores.

use crate::batch_semaphore::AcquireRefused;
use std::error::Error;
use std::fmt;

/// The error returned when a permit is requested from a semaphore that has been closed.
#[derive(Debug)]
pub struct AcquireError(());

/// The reasons why [`Semaphore::try_acquire`](super::Semaphore::try_acquire) can fail.
#[derive(Debug, PartialEq, Eq)]
pub enum TryAcquireError {
    /// The semaphore has been closed.
    Closed,
    /// Fewer permits are available than were requested.
    NoPermits,
}

impl From<AcquireRefused> for AcquireError {
    fn from(refused: AcquireRefused) -> Self {
        debug_assert_eq!(refused, AcquireRefused::Closed, "an acquire waits for what is not free");
        Self(())
    }
}

impl From<AcquireRefused> for TryAcquireError {
    fn from(refused: AcquireRefused) -> Self {
        match refused {
            AcquireRefused::Closed => Self::Closed,
            AcquireRefused::TooFew => Self::NoPermits,
        }
    }
}

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("semaphore closed")
    }
}

impl Error for AcquireError {}

impl fmt::Display for TryAcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "semaphore closed",
            Self::NoPermits => "no permits available",
        })
    }
}

impl Error for TryAcquireError {}
