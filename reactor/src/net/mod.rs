//! Sockets, and how their addresses are found.
//!
//! A socket is made inside a runtime and belongs to it; operations on it may run on any thread.
//! Nothing here blocks the thread that polls: addresses written out in numbers are taken as they
//! are, host names are looked up elsewhere.

// First, since the modules below use its macro.
#[macro_use]
mod example;

mod addrs;
mod at_once;
mod buffers;
mod datagram;
#[cfg(not(feature = "sim"))]
mod kinds;
#[cfg(feature = "sim")]
#[path = "lent_kinds/mod.rs"]
mod kinds;
mod lookup;
mod options;
mod plumbing;
mod reply;
mod stream;
mod system;
pub mod tcp;
mod udp;
#[cfg(unix)]
pub mod unix;
mod waits;

pub use self::addrs::ToSocketAddrs;
pub use self::lookup::lookup_host;
#[doc(hidden)]
pub use self::stream::doors;
pub use self::tcp::keepalive::TcpKeepalive;
pub use self::tcp::listener::TcpListener;
pub use self::tcp::socket::TcpSocket;
pub use self::tcp::stream::TcpStream;
#[doc(no_inline)]
pub use self::tcp::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, ReuniteError, WriteHalf};
pub use self::udp::UdpSocket;
#[cfg(unix)]
pub use self::unix::{datagram::UnixDatagram, listener::UnixListener, socket::UnixSocket, stream::UnixStream};
