//! The twin of `system_calls.rs` where the C library's functions are not taken over: the clocks,
//! names and sockets of the system stay during a simulation.

#[path = "system_calls/names_off.rs"]
mod names;
#[path = "system_calls/sockets_off.rs"]
mod sockets;

pub(crate) use self::names::{GivenNames, give_names};
pub(crate) use self::sockets::{GivenSockets, give_sockets, number};

use crate::virtual_time;

/// The reading of the clock since the start of the computer: nothing shows it here.
pub fn uptime() -> u64 {
    virtual_time::read().unwrap_or(0)
}
