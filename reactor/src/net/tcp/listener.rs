//! The TCP socket that listens for connections.

use super::socket::TcpSocket;
use super::stream::TcpStream;
use crate::context;
use crate::error;
use crate::evented::Evented;
use crate::handle::Handle;
use crate::interest::Interest;
use crate::net::ToSocketAddrs;
use crate::net::accept_cost::spend_for_connection;
use crate::net::kinds;
use crate::net::lookup::resolve;
use crate::net::plumbing::socket_plumbing;
use crate::net::stream::uninterrupted;
use crate::net::system::as_descriptor;
use std::io;
use std::net::{self, SocketAddr};
use std::task::{Context, Poll, ready};

/// The number of connections that the OS completes and keeps until they are accepted. The OS may
/// lower the number (on Linux to `net.core.somaxconn`). A thousand is enough for a burst of clients
/// during one slow poll.
const BACKLOG: u32 = 1024;

/// A TCP socket that listens for connections.
///
/// Create a listener with [`bind`](TcpListener::bind), then call [`accept`](TcpListener::accept) in
/// a loop. To set socket options before the listener is bound, create the listener from a
/// [`TcpSocket`]. Dropping the listener closes the socket.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{TcpListener, TcpStream};
///
/// # wsrt_reactor_testing::run(async {
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let mut client = TcpStream::connect(listener.local_addr()?).await?;
/// let (mut served, peer) = listener.accept().await?;
/// assert_eq!(peer, client.local_addr()?);
///
/// client.write_all(b"hello").await?;
/// let mut greeting = [0; 5];
/// served.read_exact(&mut greeting).await?;
/// assert_eq!(&greeting, b"hello");
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub struct TcpListener {
    io: Evented<kinds::TcpListener>,
}

impl TcpListener {
    /// Creates a listener bound to the first address in `addr` that can be bound.
    ///
    /// Port 0 makes the OS choose a free port; [`local_addr`](TcpListener::local_addr) returns the
    /// chosen one. On Unix, `SO_REUSEADDR` is set, so that a restarted server can bind the same
    /// port at once. At most 1024 connections wait in the queue to be accepted.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the lookup's error if `addr` cannot be resolved. If no address can be bound, returns
    /// the unchanged OS error for the last address tried.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no socket stays bound.
    #[doc = example!("tcp", "listener_bind")]
    pub async fn bind<A: ToSocketAddrs>(addr: A) -> io::Result<TcpListener> {
        let context = context::required("TcpListener::bind");
        let addresses = resolve(addr.target()?, "TcpListener::bind").await?;
        error::first_that_works(addresses, |address| listen(address, context.handle()))
    }

    /// Waits for an incoming connection, accepts it, and returns the stream together with the
    /// peer's address.
    ///
    /// Any number of tasks may wait concurrently. A connection counts as four operations of a
    /// poll's budget of 128, so a loop leaves its turn to other tasks after 32 connections.
    ///
    /// An OS error either concerns a single connection or is temporary, and the listener remains
    /// usable: call `accept` again. While the process has no free file descriptors (`EMFILE` or
    /// `ENFILE`), the connection stays in the queue and every call fails at once, so pause before
    /// calling again.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no connection is lost.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::io;
    /// use std::time::Duration;
    /// # use wsrt_reactor as wsrt;
    /// use wsrt::net::{TcpListener, TcpStream};
    ///
    /// async fn serve(listener: TcpListener, pause: impl AsyncFn(Duration), handle: impl
    /// Fn(TcpStream)) {
    ///     loop {
    ///         match listener.accept().await {
    ///             Ok((stream, _)) => handle(stream),
    ///             // The client gave up while it was queued: nothing is wrong here.
    ///             Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
    ///             // Out of file descriptors, most likely: let some connections end.
    ///             Err(error) => {
    ///                 eprintln!("accept: {error}");
    ///                 pause(Duration::from_millis(100)).await;
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.evented().io(Interest::READABLE, uninterrupted(kinds::TcpListener::accept)).await?;
        self.accepted(stream, peer)
    }

    /// Polls for an incoming connection. If no connection is queued, returns `Poll::Pending` and
    /// registers the current task to be woken when one may have arrived. Any number of tasks may
    /// poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`accept`](TcpListener::accept).
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let (stream, peer) =
            ready!(self.evented().poll_io(Interest::READABLE, cx, uninterrupted(kinds::TcpListener::accept)))?;
        Poll::Ready(self.accepted(stream, peer))
    }

    fn accepted(&self, socket: kinds::TcpStream, peer: SocketAddr) -> io::Result<(TcpStream, SocketAddr)> {
        spend_for_connection();
        let both = Interest::READABLE | Interest::WRITABLE;
        TcpStream::connected(socket, self.evented().handle(), both).map(|stream| (stream, peer))
    }

    /// Returns the local address that this socket is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("tcp", "listener_bind")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr()
    }

    /// Creates a listener from a standard library listener, and sets it to non-blocking mode.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be made non-blocking or cannot be registered with
    /// the netpoller, or an error if the runtime has been shut down.
    #[doc = example!("tcp", "listener_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::TcpListener) -> io::Result<TcpListener> {
        let context = context::required("TcpListener::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::TcpListener::from_std(socket), context.handle())
    }

    /// Deregisters the listener from the netpoller and returns it as a standard library listener,
    /// which remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    #[doc = example!("tcp", "listener_from_std")]
    pub fn into_std(self) -> io::Result<net::TcpListener> {
        self.io.into_inner().map(net::TcpListener::from)
    }

    /// Returns the pending error of the socket (`SO_ERROR`) and clears it, or returns `None` if
    /// there is no pending error.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be retrieved.
    #[doc = example!("tcp_listener", "take_error")]
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }

    /// Returns the time to live of the IPv4 packets that this socket sends, in hops (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("tcp_listener", "ttl")]
    pub fn ttl(&self) -> io::Result<u32> {
        self.options().ttl_v4()
    }

    /// Sets the time to live of the IPv4 packets that this socket sends, in hops (`IP_TTL`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("tcp_listener", "ttl")]
    pub fn set_ttl(&self, ttl: u32) -> io::Result<()> {
        self.options().set_ttl_v4(ttl)
    }

    /// Limits how many unsent bytes the OS buffers for each accepted connection
    /// (`TCP_NOTSENT_LOWAT`). The limit applies to connections established after this call; a write
    /// to such a connection waits while the limit is reached. Without a limit, Linux buffers up to
    /// several megabytes per connection.
    ///
    /// The limit is approximate: the OS may exceed it by part of a buffer.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set. On systems other than Linux and Android,
    /// the error is `Unsupported`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wsrt_reactor as wsrt;
    /// use wsrt::net::TcpListener;
    ///
    /// # wsrt_reactor_testing::run(async {
    /// let listener = TcpListener::bind("127.0.0.1:0").await?;
    /// # #[cfg(any(target_os = "linux", target_os = "android"))]
    /// listener.set_unsent_limit(128 << 10)?;
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn set_unsent_limit(&self, bytes: u32) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        return self.options().set_tcp_notsent_lowat(bytes);
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        return Err(io::Error::new(io::ErrorKind::Unsupported, format!("no limit of {bytes} bytes on this system")));
    }
}

impl TryFrom<net::TcpListener> for TcpListener {
    type Error = io::Error;

    /// Creates a listener from a standard library listener, as [`TcpListener::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::TcpListener) -> io::Result<TcpListener> {
        Self::from_std(socket)
    }
}

socket_plumbing!(TcpListener, "TcpListener", kinds::TcpListener);
as_descriptor!(TcpListener);

fn listen(address: SocketAddr, handle: &Handle) -> io::Result<TcpListener> {
    let socket = TcpSocket::for_address(address)?;
    if cfg!(unix) {
        // On Windows the option would let two servers share the port.
        socket.set_reuseaddr(true)?;
    }
    socket.bind(address)?;
    socket.listen_in(BACKLOG, handle)
}
