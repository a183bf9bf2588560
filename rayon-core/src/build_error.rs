//! The error of building a pool.

use std::error::Error;
use std::fmt;
use std::io;

/// The reason why a pool was not built.
#[derive(Debug)]
pub struct ThreadPoolBuildError(Reason);

#[derive(Debug)]
enum Reason {
    AlreadyGlobal,
    AlreadyInPool,
    Io(io::Error),
}

impl ThreadPoolBuildError {
    pub(crate) fn already_global() -> Self {
        Self(Reason::AlreadyGlobal)
    }

    pub(crate) fn already_in_pool() -> Self {
        Self(Reason::AlreadyInPool)
    }

    pub(crate) fn io(error: io::Error) -> Self {
        Self(Reason::Io(error))
    }
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::AlreadyGlobal => "The global thread pool has already been initialized.".fmt(f),
            Reason::AlreadyInPool => "The current thread is already part of another thread pool.".fmt(f),
            Reason::Io(error) => error.fmt(f),
        }
    }
}

impl Error for ThreadPoolBuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Reason::AlreadyGlobal | Reason::AlreadyInPool => None,
            Reason::Io(error) => Some(error),
        }
    }
}
