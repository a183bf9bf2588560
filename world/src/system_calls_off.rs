//! The twin of `system_calls/` where the C library's functions cannot be taken over: the clocks,
//! names and sockets of the system stay during a simulation.

use std::net::IpAddr;

use wsrt_reactor::lent::RawDescriptor;

use crate::bound_sockets::BoundSockets;
use crate::virtual_time;

/// Nothing is given.
pub(crate) struct GivenNames;

/// Gives nothing.
pub(crate) fn give_names(_: impl Fn(&str) -> Option<IpAddr> + 'static) -> GivenNames {
    GivenNames
}

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

/// Returns the reading of the clock since the start of the computer, which is unknown here.
pub fn uptime() -> u64 {
    virtual_time::read().unwrap_or(0)
}

/// Returns `false`: no program can have the line here.
#[must_use]
pub fn lacks_interposition() -> bool {
    false
}

/// Nothing.
#[doc(hidden)]
pub mod interposed {}

/// Does nothing here.
#[macro_export]
macro_rules! interpose {
    () => {};
}
