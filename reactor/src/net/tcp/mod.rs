//! TCP: the halves of a stream.
//!
//! The types that are used most, such as [`TcpStream`](super::TcpStream), are in the module above.

mod connect;
mod halves;
pub(super) mod keepalive;
pub(super) mod listener;
pub(super) mod socket;
pub(super) mod stream;

pub use self::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
