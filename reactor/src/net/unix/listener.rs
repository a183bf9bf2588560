//! The Unix socket that listens for connections.

use super::stream::UnixStream;
use super::{SocketAddr, address};
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::accept_cost::spend_for_connection;
use crate::net::kinds;
use crate::net::plumbing::socket_plumbing;
use crate::net::stream::uninterrupted;
use crate::net::system::as_descriptor;
use std::io;
use std::os::unix::net;
use std::path::Path;
use std::task::{Context, Poll, ready};

/// A Unix socket that listens for connections at a path, or under a name in Linux's abstract
/// namespace.
///
/// Dropping the listener closes the socket but leaves the socket file at the path. Remove the file
/// after dropping the listener, or before binding to the same path again.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{UnixListener, UnixStream};
///
/// # let folder = std::env::temp_dir().join(format!("wsrt-doc-listener-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("socket");
/// # let outcome = wsrt_reactor_testing::run(async {
/// let listener = UnixListener::bind(&path)?;
/// let mut client = UnixStream::connect(&path).await?;
/// let (mut served, _address) = listener.accept().await?;
///
/// client.write_all(b"hello").await?;
/// let mut greeting = [0; 5];
/// served.read_exact(&mut greeting).await?;
/// assert_eq!(&greeting, b"hello");
/// # std::io::Result::Ok(()) });
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # outcome.unwrap();
/// ```
pub struct UnixListener {
    io: Evented<kinds::UnixListener>,
}

impl UnixListener {
    /// Creates a listener bound to `path`, where a socket file is created. On Linux, a path that
    /// begins with a zero byte is a name in the abstract namespace, and no file is created.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error. The error is `AddrInUse` also if the socket file of an
    /// earlier listener still exists. Returns `InvalidInput` if `path` cannot be an address, for
    /// example because it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixListener> {
        let context = context::required("UnixListener::bind");
        let address = address::of_path(path.as_ref(), "bind")?;
        Self::bind_in(&address, &context)
    }

    /// Creates a listener bound to `address`, which may be a name in Linux's abstract namespace.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`bind`](UnixListener::bind).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(target_os = "linux")] {
    /// # use wsrt_reactor as wsrt;
    /// use wsrt::net::unix::SocketAddr;
    /// use wsrt::net::{UnixListener, UnixStream};
    ///
    /// # wsrt_reactor_testing::run(async {
    /// # let name = format!("wsrt-doc-abstract-{}", std::process::id());
    /// let address = SocketAddr::from_abstract_name(&name)?;
    /// let listener = UnixListener::bind_addr(&address)?;
    /// UnixStream::connect_addr(&address).await?;
    /// # std::io::Result::Ok(()) }).unwrap();
    /// # }
    /// ```
    #[track_caller]
    pub fn bind_addr(address: &SocketAddr) -> io::Result<UnixListener> {
        Self::bind_in(address, &context::required("UnixListener::bind_addr"))
    }

    fn bind_in(address: &SocketAddr, context: &context::ReactorContext) -> io::Result<UnixListener> {
        Self::registered(kinds::UnixListener::bind_addr(address.as_std())?, context.handle())
    }

    /// Waits for an incoming connection, accepts it, and returns the stream together with the
    /// peer's address. Most clients are not bound to an address, so the peer's address is usually
    /// unnamed.
    ///
    /// Any number of tasks may wait concurrently. An error does not end the listener; see
    /// [`TcpListener::accept`](crate::net::TcpListener::accept) for how to continue after one, and
    /// for what a connection takes from the budget of a poll.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or an error if the runtime has been shut down.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, no connection is lost.
    pub async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, peer) = self.evented().io(Interest::READABLE, uninterrupted(kinds::accept_unix)).await?;
        self.accepted(stream, peer)
    }

    /// Polls for an incoming connection. If no connection is queued, returns `Poll::Pending` and
    /// registers the current task to be woken when one may have arrived. Any number of tasks may
    /// poll concurrently.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`accept`](UnixListener::accept).
    pub fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<(UnixStream, SocketAddr)>> {
        let accept = self.evented().poll_io(Interest::READABLE, cx, uninterrupted(kinds::accept_unix));
        let (stream, peer) = ready!(accept)?;
        Poll::Ready(self.accepted(stream, peer))
    }

    fn accepted(&self, socket: kinds::UnixStream, peer: net::SocketAddr) -> io::Result<(UnixStream, SocketAddr)> {
        spend_for_connection();
        let both = Interest::READABLE | Interest::WRITABLE;
        UnixStream::connected(socket, self.evented().handle(), both).map(|stream| (stream, peer.into()))
    }

    /// Returns the local address that this listener is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr().map(SocketAddr::from)
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
    #[track_caller]
    pub fn from_std(socket: net::UnixListener) -> io::Result<UnixListener> {
        let context = context::required("UnixListener::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UnixListener::from_std(socket), context.handle())
    }

    /// Deregisters the listener from the netpoller and returns it as a standard library listener,
    /// which remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    pub fn into_std(self) -> io::Result<net::UnixListener> {
        self.io.into_inner().map(net::UnixListener::from)
    }

    /// Returns the pending error of the socket (`SO_ERROR`) and clears it, or returns `None` if
    /// there is no pending error.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be retrieved.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }
}

impl TryFrom<net::UnixListener> for UnixListener {
    type Error = io::Error;

    /// Creates a listener from a standard library listener, as [`UnixListener::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::UnixListener) -> io::Result<UnixListener> {
        Self::from_std(socket)
    }
}

socket_plumbing!(UnixListener, "UnixListener", kinds::UnixListener);
as_descriptor!(UnixListener);
