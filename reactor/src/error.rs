//! The errors this crate makes itself, in one place so that they read alike.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// What an operation is told that would have to wait for a netpoller that is no more.
pub(crate) fn shut_down_error() -> io::Error {
    io::Error::other("the wsrt runtime this socket belongs to was shut down")
}

/// An error of the system with the address it is about. The kind stays that of the original; the text carries its
/// number.
pub(crate) fn naming(action: &'static str, address: SocketAddr, original: io::Error) -> io::Error {
    io::Error::new(original.kind(), AboutAddress { action, address, original })
}

#[derive(Debug)]
struct AboutAddress {
    action: &'static str,
    address: SocketAddr,
    original: io::Error,
}

impl fmt::Display for AboutAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.action, self.address, self.original)
    }
}

// No `source`: the text above already contains the original's, and a report of the whole chain would say it twice.
impl std::error::Error for AboutAddress {}
