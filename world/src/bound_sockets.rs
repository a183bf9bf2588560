//! The interface through which a simulation takes over sockets that a program binds with plain
//! system calls.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use wsrt_reactor::simulated_net::{RawDescriptor, SimulatedSocket};

/// The protocol that a bound socket is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Streams,
    Datagrams,
}

/// Takes over the sockets that a thread binds with system calls.
pub(crate) trait BoundSockets {
    /// Binds the socket `descriptor` to the address `at` inside the simulation.
    fn bind(&self, descriptor: RawDescriptor, at: SocketAddr, sort: Sort) -> io::Result<()>;

    /// Makes a bound socket listen for streams, with a queue of `backlog` connections. Returns
    /// `None` if the socket was not bound through this trait.
    fn listen(&self, descriptor: RawDescriptor, backlog: usize) -> Option<io::Result<()>>;

    /// Returns the simulated socket that stands in for `descriptor`, or `None` if the descriptor
    /// was not bound through this trait.
    fn behind(&self, descriptor: RawDescriptor) -> Option<Arc<dyn SimulatedSocket>>;
}
