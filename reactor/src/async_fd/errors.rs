//! What can go wrong beside the system's own errors.

use std::error::Error;
use std::fmt;
use std::io;

/// Says that an operation inside a guard answered `WouldBlock`: readiness was cleared, and is to be
/// waited for anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TryIoError(pub(super) ());

impl fmt::Display for TryIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the operation would have to wait")
    }
}

impl Error for TryIoError {}

impl From<TryIoError> for io::Error {
    fn from(_: TryIoError) -> io::Error {
        io::ErrorKind::WouldBlock.into()
    }
}

/// Says that a descriptor could not be registered, and gives its owner back.
pub struct AsyncFdTryNewError<T> {
    pub(super) inner: T,
    pub(super) cause: io::Error,
}

impl<T> AsyncFdTryNewError<T> {
    /// Returns what was to be registered, and why it could not be.
    pub fn into_parts(self) -> (T, io::Error) {
        (self.inner, self.cause)
    }
}

impl<T> fmt::Debug for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncFdTryNewError").field("cause", &self.cause).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for AsyncFdTryNewError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the descriptor cannot be polled: {}", self.cause)
    }
}

// No `source`: the text above already contains the cause's.
impl<T> Error for AsyncFdTryNewError<T> {}

impl<T> From<AsyncFdTryNewError<T>> for io::Error {
    /// The system's error as it is.
    fn from(error: AsyncFdTryNewError<T>) -> io::Error {
        error.cause
    }
}
