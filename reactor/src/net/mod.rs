//! TCP, UDP and Unix sockets, pipes, and the lookup of host names.
//!
//! A socket must be created inside a runtime and belongs to that runtime, but operations on the
//! socket may run on any thread. Nothing in this module blocks the calling thread: numeric
//! addresses are used as they are, and host names are resolved on the runtime's blocking threads.

// First, since the modules below use its macro.
#[macro_use]
mod example;

mod accept_cost;
mod addrs;
mod at_once;
mod buffers;
mod datagram;
#[cfg(feature = "sim")]
mod kinds;
#[cfg(not(feature = "sim"))]
#[path = "kinds_off.rs"]
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
