//! Unix sockets, the halves of their streams, their peers' credentials, and pipes.
//!
//! The types that are used most, such as [`UnixStream`](super::UnixStream), are in the module
//! above.

mod address;
mod credentials;
pub(super) mod datagram;
mod halves;
pub(super) mod listener;
pub mod pipe;
mod sending;
pub(super) mod stream;
mod stream_options;
mod stream_readiness;

pub use self::credentials::UCred;
pub use self::halves::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
/// Names the address of a Unix socket: a path, a name in Linux's abstract namespace, or none. The
/// type is the standard library's.
pub use std::os::unix::net::SocketAddr;
