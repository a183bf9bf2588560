//! Where sockets keep to what code written for tokio relies on: in a program that has wsrt in
//! tokio's place, by the package `tokio` of this repository.

use crate::interest::Interest;
use wsrt_sync::drop_in::IS_ON;

/// True if a write that was only tried, and came back short, proves the socket full. Code written
/// for tokio fills a socket until `WouldBlock`, and takes it for writable until then: that costs
/// one write more each time that the send buffer is found full, and nothing where it never is.
pub(crate) const SHORT_TRY_DRAINS: bool = !IS_ON;

/// The directions in which a fresh socket is tried before the OS has reported anything. In tokio's
/// place there are none: code written for tokio expects that a connection, and the first datagram,
/// take a turn of the netpoller, and counts turns.
pub(crate) const UNTRIED: Interest = if IS_ON { Interest::NONE } else { Interest::READABLE.add(Interest::WRITABLE) };

/// True if futures that wait until a socket is ready, and transfer nothing, share the task's
/// budget, and flushes, which transfer nothing either. Code written for tokio asks them in between,
/// any number of times in one poll.
pub(crate) const LOOKS_COOPERATE: bool = !IS_ON;
