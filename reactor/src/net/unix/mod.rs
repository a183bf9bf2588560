//! Unix sockets, the halves of Unix streams, peer credentials, and pipes.
//!
//! The most common types, such as [`UnixStream`](super::UnixStream), are exported from the parent
//! module.

mod accept;
pub(super) mod address;
mod connect;
mod credentials;
pub(super) mod datagram;
pub(super) mod listener;
pub mod pipe;
mod sending;
pub(super) mod socket;
mod socket_addr;
pub(super) mod stream;

pub(crate) use self::accept::accept;

pub use self::credentials::UCred;
pub use self::socket_addr::SocketAddr;
pub use self::stream::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
