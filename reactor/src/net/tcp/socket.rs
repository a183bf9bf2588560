//! A TCP socket that is neither listening nor connected, for setting options first.

use super::listener::TcpListener;
use super::stream::TcpStream;
use crate::budget;
use crate::context;
use crate::handle::Handle;
use crate::interest::Interest;
use crate::net::kinds::{self, UnconnectedTcp};
use crate::net::options::{buffer_methods, connection_methods, device_methods, packet_methods};
use crate::net::system::as_descriptor;
use socket2::{Domain, SockRef, Socket};
use std::io;
use std::net::{self, SocketAddr};

/// A TCP socket that is not yet connected or listening, so that its options can be set first.
///
/// Most programs use [`TcpListener::bind`] or [`TcpStream::connect`] directly. Use a `TcpSocket`
/// for options that must be set earlier: buffer sizes that affect the TCP window, several listeners
/// on one port, the backlog, or the local address of an outgoing connection.
///
/// Creating a `TcpSocket` and setting its options requires no runtime, but
/// [`listen`](TcpSocket::listen) and [`connect`](TcpSocket::connect) must be called inside one.
/// Errors are unchanged OS errors with their error number; the message does not name the address.
///
/// # Examples
///
/// On Unix, several listeners can share one port, for example one per processor, and the OS
/// distributes the connections among them:
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{TcpSocket, TcpStream};
///
/// # #[cfg(unix)] {
/// # wsrt_reactor_testing::run(async {
/// let mut address = "127.0.0.1:0".parse().unwrap();
/// let mut listeners = Vec::new();
/// for _processor in 0..2 {
///     let socket = TcpSocket::new_v4()?;
///     socket.set_reuseport(true)?;
///     socket.bind(address)?;
///     let listener = socket.listen(1024)?;
///     address = listener.local_addr()?;
///     listeners.push(listener);
/// }
///
/// TcpStream::connect(address).await?;
/// # std::io::Result::Ok(()) }).unwrap();
/// # }
/// ```
///
/// Connecting from a specific local address:
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{TcpListener, TcpSocket};
///
/// # wsrt_reactor_testing::run(async {
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let server = listener.local_addr()?;
/// let socket = TcpSocket::new_v4()?;
/// socket.bind("127.0.0.1:0".parse().unwrap())?;
/// socket.set_nodelay(true)?;
/// let stream = socket.connect(server).await?;
/// assert!(stream.nodelay()?);
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct TcpSocket {
    socket: UnconnectedTcp,
}

impl TcpSocket {
    /// Creates a TCP socket for IPv4.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors.
    #[doc = example!("tcp_socket", "tcp_socket_new")]
    pub fn new_v4() -> io::Result<TcpSocket> {
        Self::new(Domain::IPV4)
    }

    /// Creates a TCP socket for IPv6.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors.
    pub fn new_v6() -> io::Result<TcpSocket> {
        Self::new(Domain::IPV6)
    }

    pub(super) fn for_address(address: SocketAddr) -> io::Result<TcpSocket> {
        Self::new(Domain::for_address(address))
    }

    fn new(domain: Domain) -> io::Result<TcpSocket> {
        UnconnectedTcp::tcp(domain).map(|socket| TcpSocket { socket })
    }

    /// Creates a `TcpSocket` from the socket inside a standard library stream that is not
    /// connected, for example one created with the `socket2` crate, and sets the socket to
    /// non-blocking mode.
    ///
    /// For a connected stream, use [`TcpStream::from_std`] instead.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be made non-blocking.
    pub fn from_std(socket: net::TcpStream) -> io::Result<TcpSocket> {
        socket.set_nonblocking(true)?;
        Ok(Self::from_socket(socket.into()))
    }

    /// Creates a `TcpSocket` from the socket inside a standard library stream that is not
    /// connected, without changing the socket's options.
    ///
    /// The socket must already be in non-blocking mode: with a blocking socket, `connect` blocks
    /// the calling thread. Use [`from_std`](TcpSocket::from_std) to set non-blocking mode as well.
    #[must_use]
    pub fn from_std_stream(std_stream: net::TcpStream) -> TcpSocket {
        Self::from_socket(std_stream.into())
    }

    /// Returns whether `SO_REUSEADDR` is set: whether this socket may be bound to a local address
    /// on which connections of an earlier socket still linger.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("tcp_socket", "reuseaddr")]
    pub fn reuseaddr(&self) -> io::Result<bool> {
        self.socket().reuse_address()
    }

    /// Sets `SO_REUSEADDR`, which allows this socket to be bound to a local address on which
    /// connections of an earlier socket still linger. On Windows the option lets two sockets share
    /// one address, and is best left unset.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("tcp_socket", "reuseaddr")]
    pub fn set_reuseaddr(&self, reuseaddr: bool) -> io::Result<()> {
        self.socket().set_reuse_address(reuseaddr)
    }

    /// Binds this socket to a local address. Port 0 makes the OS choose a free port.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the address is in use, does not belong to this machine,
    /// or is of the other address family.
    #[doc = example!("tcp_socket", "tcp_socket_bind")]
    pub fn bind(&self, addr: SocketAddr) -> io::Result<()> {
        self.socket.bind(addr)
    }

    /// Returns the local address that this socket is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("tcp_socket", "tcp_socket_bind")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Connects this socket to `addr` and returns the connected stream.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    #[doc = example!("tcp_socket", "tcp_socket_connect")]
    pub async fn connect(self, addr: SocketAddr) -> io::Result<TcpStream> {
        let context = context::required("TcpSocket::connect");
        budget::consume().await;
        let stream = TcpStream::registered(self.socket.connect(addr)?, context.handle())?;
        stream.evented().io(Interest::WRITABLE, kinds::outcome_of_connect).await?;
        Ok(stream)
    }

    /// Starts listening for connections, and returns the listener. At most `backlog` connections
    /// wait in the queue to be accepted; the OS may lower this number, on Linux to
    /// `net.core.somaxconn`.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime has been shut down.
    #[doc = example!("tcp_socket", "tcp_socket_listen")]
    #[track_caller]
    pub fn listen(self, backlog: u32) -> io::Result<TcpListener> {
        self.listen_in(backlog, context::required("TcpSocket::listen").handle())
    }

    pub(super) fn listen_in(self, backlog: u32, handle: &Handle) -> io::Result<TcpListener> {
        TcpListener::registered(self.socket.listen(backlog)?, handle)
    }

    pub(crate) fn options(&self) -> SockRef<'_> {
        SockRef::from(self.socket())
    }

    pub(in crate::net) fn socket(&self) -> &Socket {
        self.socket.system()
    }

    pub(in crate::net) fn from_socket(socket: Socket) -> TcpSocket {
        TcpSocket { socket: UnconnectedTcp::of_system(socket) }
    }

    pub(in crate::net) fn into_socket(self) -> Socket {
        self.socket.into_system()
    }
}

#[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos"))))]
impl TcpSocket {
    /// Returns whether `SO_REUSEPORT` is set: whether other sockets may listen on the same address.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("tcp_socket", "reuseport")]
    pub fn reuseport(&self) -> io::Result<bool> {
        self.options().reuse_port()
    }

    /// Sets `SO_REUSEPORT`, which allows several sockets of the same user to listen on the same
    /// address, provided that each of them sets the option. Linux distributes incoming connections
    /// among these sockets.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("tcp_socket", "reuseport")]
    pub fn set_reuseport(&self, reuseport: bool) -> io::Result<()> {
        self.options().set_reuse_port(reuseport)
    }
}

connection_methods!(TcpSocket, "tcp_socket");
buffer_methods!(TcpSocket, "tcp_socket", " Ask for a TCP window larger than 64 KiB before the connection is made.");
packet_methods!(TcpSocket, "tcp_socket", " TCP keeps the lower two for itself.");
device_methods!(TcpSocket);
as_descriptor!(TcpSocket);
