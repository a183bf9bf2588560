//! The error that a timeout returns.

use std::error::Error;
use std::fmt;
use std::io;

use wsrt_sync::drop_in::ELAPSED;

/// The error returned when a [`timeout`](super::timeout()) elapses before its future completes.
///
/// The error converts into an [`io::Error`] of kind [`TimedOut`](io::ErrorKind::TimedOut), so `?`
/// works in functions that return I/O errors.
///
/// # Examples
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use wsrt::time::timeout;
///
/// async fn answer() -> io::Result<u32> {
///     let forever = std::future::pending::<u32>();
///     Ok(timeout(Duration::from_millis(1), forever).await?)
/// }
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// let error = runtime.block_on(answer()).unwrap_err();
/// assert_eq!(error.kind(), io::ErrorKind::TimedOut);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed(());

impl Elapsed {
    pub(super) const fn new() -> Self {
        Self(())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ELAPSED)
    }
}

impl Error for Elapsed {}

impl From<Elapsed> for io::Error {
    fn from(elapsed: Elapsed) -> Self {
        Self::new(io::ErrorKind::TimedOut, elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elapsed_timeout_is_an_io_error_that_carries_it() {
        let error = io::Error::from(Elapsed::new());
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(error.to_string(), "the timeout elapsed before the operation was done");
        assert!(error.get_ref().is_some_and(|inner| inner.is::<Elapsed>()));
    }
}
