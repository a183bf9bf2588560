//! The errors this crate makes itself, in one place so that they read alike.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// The error of an operation that would have to wait for a netpoller that was shut down.
pub(crate) fn shut_down_error() -> io::Error {
    io::Error::other("the wsrt runtime this socket belongs to was shut down")
}

/// Adds `action` and `what` to the error, unless it has an OS error number, which would be lost.
/// The kind stays.
pub(crate) fn naming(action: &str, what: impl fmt::Display, original: io::Error) -> io::Error {
    match original.raw_os_error() {
        Some(_) => original,
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
