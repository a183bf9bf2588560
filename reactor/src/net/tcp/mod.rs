//! The read and write halves of TCP streams, and the error of putting halves back together.
//!
//! The most common types, such as [`TcpStream`](super::TcpStream), are exported from the parent
//! module.

mod connect;
pub(super) mod keepalive;
pub(super) mod listener;
mod raw;
pub(super) mod socket;
pub(super) mod stream;

pub use self::stream::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
