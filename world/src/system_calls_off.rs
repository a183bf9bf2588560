//! The counterpart of `system_calls/` for platforms on which the C library's functions cannot be
//! replaced. The system's clocks, names and sockets stay in use during a simulation.

use std::net::IpAddr;

use wsrt_reactor::simulated_net::RawDescriptor;

use crate::bound_sockets::BoundSockets;
use crate::virtual_time;

/// A guard that provides nothing on this platform.
pub(crate) struct NamesOverride;

/// Does nothing on this platform.
pub(crate) fn override_names(_: impl Fn(&str) -> Option<IpAddr> + 'static) -> NamesOverride {
    NamesOverride
}

/// A guard that provides nothing on this platform.
pub(crate) struct SocketsOverride;

/// Does nothing on this platform.
pub(crate) fn override_sockets(_: impl BoundSockets + 'static) -> SocketsOverride {
    SocketsOverride
}

/// Returns the number of an open socket, which is unknown on this platform.
pub(crate) fn number(_: RawDescriptor) -> Option<u64> {
    None
}

/// Returns the reading of the system's monotonic clock, which is unknown on this platform.
pub fn uptime() -> u64 {
    virtual_time::read().unwrap_or(0)
}

/// Returns `false`, because `interpose!()` is not supported on this platform.
#[must_use]
pub fn lacks_interposition() -> bool {
    false
}

/// An empty module on this platform.
#[doc(hidden)]
pub mod interposed {}

/// Does nothing on this platform, because the C library's functions cannot be replaced.
#[macro_export]
macro_rules! interpose {
    () => {};
}
