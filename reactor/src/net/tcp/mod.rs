//! TCP: the halves of a stream.
//!
//! The types that are used most, such as [`TcpStream`](super::TcpStream), are in the module above.

mod connect;
pub(super) mod keepalive;
pub(super) mod listener;
mod raw;
pub(super) mod socket;
pub(super) mod stream;

pub use self::stream::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
