//! Sockets that a program binds by the system's calls, in the words in which a simulation keeps
//! them in the system's place.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use wsrt_reactor::lent::{RawDescriptor, Socket};

/// The use that a socket is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Streams,
    Datagrams,
}

/// Keeps the sockets that a thread binds.
pub(crate) trait BoundSockets {
    /// Binds one.
    fn bind(&self, descriptor: RawDescriptor, at: SocketAddr, sort: Sort) -> io::Result<()>;

    /// Makes a socket listen for streams, of which `backlog` may wait. Returns `None` if the socket
    /// was not bound here.
    fn listen(&self, descriptor: RawDescriptor, backlog: usize) -> Option<io::Result<()>>;

    /// Returns the socket that stands for one that was bound here.
    fn behind(&self, descriptor: RawDescriptor) -> Option<Arc<dyn Socket>>;
}
