//! The errors of `AsyncFd` beside the OS errors.

use std::error::Error;
use std::fmt;
use std::io;

/// Reports that an operation inside a guard returned `WouldBlock`: its readiness was cleared, and
/// the caller should wait again.
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

/// Reports that a descriptor could not be registered, and returns its owner.
pub struct AsyncFdTryNewError<T> {
    pub(super) inner: T,
    pub(super) cause: io::Error,
}

impl<T> AsyncFdTryNewError<T> {
    /// Returns the inner value that was not registered, and the error.
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
    /// The OS error, unchanged.
    fn from(error: AsyncFdTryNewError<T>) -> io::Error {
        error.cause
    }
}
