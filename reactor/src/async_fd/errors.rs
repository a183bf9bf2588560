//! The error types of `AsyncFd`, in addition to OS errors.

use std::error::Error;
use std::fmt;
use std::io;

/// The error returned by a guard's `try_io` if the operation returned `WouldBlock`. The guard has
/// cleared the readiness, so the caller should wait again.
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

/// The error returned if a file descriptor cannot be registered. Contains the OS error and the
/// value that owns the descriptor.
pub struct AsyncFdTryNewError<T> {
    pub(super) inner: T,
    pub(super) cause: io::Error,
}

impl<T> AsyncFdTryNewError<T> {
    /// Returns the inner value, whose registration failed, and the error.
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
