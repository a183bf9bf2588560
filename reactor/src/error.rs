//! The errors this crate makes itself, in one place so that they read alike.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// What an operation is told that would have to wait for a netpoller that is no more.
pub(crate) fn shut_down_error() -> io::Error {
    io::Error::other("the wsrt runtime this socket belongs to was shut down")
}

/// An error with what it is about, unless it has a number of the system's, which that would cost.
/// The kind stays.
pub(crate) fn naming(action: &str, what: impl fmt::Display, original: io::Error) -> io::Error {
    match original.raw_os_error() {
        Some(_) => original,
        None => io::Error::new(original.kind(), format!("cannot {action} {what}: {original}")),
    }
}

/// What `attempt` makes of the first address it succeeds with; if there is none, the error of the
/// last.
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

/// What an operation is told that was given a list of addresses with none in it.
pub(crate) fn no_address() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the list of socket addresses is empty")
}
