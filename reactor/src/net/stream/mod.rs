//! Byte streams: what connections and pipes of every kind do in the same way, written once.
//!
//! | file | what it is |
//! |---|---|
//! | `ends.rs` | what a kind of descriptor has to tell: its system calls, and what a short one proves |
//! | `sockets.rs` | how connections begin and end |
//! | `transfer.rs`, `bulk.rs` | moving bytes through anything that tells that |
//! | `methods.rs` | the inherent methods |
//! | `tokio_traits.rs` and its twins | the three families of I/O traits |
//! | `halves.rs` | the two directions as values of their own |
//!
//! Which public types get all this is listed in `net/kinds.rs`.

pub(super) mod bulk;
mod ends;
#[cfg(feature = "futures-io")]
mod futures_traits;
pub(super) mod halves;
#[cfg(feature = "hyper")]
mod hyper_traits;
mod methods;
mod sockets;
mod tokio_traits;
mod transfer;

pub(super) use self::ends::{Peek, Receive, Transmit, stream_socket};
pub(super) use self::sockets::{end_of_socket, outcome_of_connect};
