//! The errors this crate makes itself, in one place so that they read alike.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;

use wsrt_sync::drop_in;

/// The error of an operation that would have to wait for a netpoller that was shut down.
pub(crate) fn shut_down_error() -> io::Error {
    rt_shutdown_err("the wsrt runtime this socket belongs to was shut down")
}

/// Creates the error of an operation whose runtime has shut down, with `words` as the message.
#[must_use]
pub fn rt_shutdown_err(words: &'static str) -> io::Error {
    io::Error::other(RuntimeEnded(words))
}

/// Returns whether `error` reports that the runtime of a socket or of a call has shut down.
#[must_use]
pub fn is_rt_shutdown_err(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<RuntimeEnded>())
}

#[derive(Debug)]
struct RuntimeEnded(&'static str);

impl fmt::Display for RuntimeEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if drop_in::IS_ON { drop_in::SHUT_DOWN.trim_end() } else { self.0 })
    }
}

impl Error for RuntimeEnded {}

/// Adds `action` and `what` to the error, unless it has an OS error number, which would be lost, or
/// says that the runtime has ended. The kind stays.
pub(crate) fn naming(action: &str, what: impl fmt::Display, original: io::Error) -> io::Error {
    match original.raw_os_error() {
        Some(_) => original,
        None if is_rt_shutdown_err(&original) => original,
        None => io::Error::new(original.kind(), format!("cannot {action} {what}: {original}")),
    }
}

/// Returns the success of `attempt` with the first address that it succeeds with; otherwise the
/// error of the last.
pub(crate) fn first_that_works<T>(
    addresses: Vec<SocketAddr>,
    mut attempt: impl FnMut(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut outcome = Err(no_address());
    for address in addresses {
        outcome = attempt(address);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// The error of an operation that was given an empty list of addresses.
pub(crate) fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the list of socket addresses is empty")
}
