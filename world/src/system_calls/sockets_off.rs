//! The twin of `sockets.rs` where the C library's calls are not taken over: the sockets that a
//! program binds by them are the system's.

use wsrt_reactor::lent::RawDescriptor;

use crate::bound_sockets::BoundSockets;

/// Nothing is given.
pub(crate) struct GivenSockets;

/// Gives nothing.
pub(crate) fn give_sockets(_: impl BoundSockets + 'static) -> GivenSockets {
    GivenSockets
}

/// The number of an open socket.
pub(crate) fn number(_: RawDescriptor) -> Option<u64> {
    None
}
