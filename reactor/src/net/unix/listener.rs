//! The listening Unix socket.

use super::stream::UnixStream;
use super::{SocketAddr, address};
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::kinds;
use crate::net::plumbing::socket_plumbing;
use crate::net::stream::uninterrupted;
use crate::net::system::as_descriptor;
use std::io;
use std::os::unix::net;
use std::path::Path;
use std::task::{Context, Poll, ready};

/// Accepts connections at a path, or under a name of Linux' abstract namespace.
///
/// The file at the path stays when the listener is dropped: remove it then, or before binding
/// again.
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
    /// Binds to a path, where a file appears, and listens there. On Linux a path that begins with a
    /// zero byte is an abstract name.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, `AddrInUse` also if a file of an earlier listener is still
    /// there. Returns an error of kind `InvalidInput` if the path cannot be an address, for example
    /// because it is too long.
    #[track_caller]
    pub fn bind<P: AsRef<Path>>(path: P) -> io::Result<UnixListener> {
        let context = context::required("UnixListener::bind");
        let address = address::of_path(path.as_ref(), "bind")?;
        Self::bind_in(&address, &context)
    }

    /// Binds to an address, which may be an abstract name, and listens there.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
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

    /// Waits for a connection and returns it with its peer's address, which for most clients has no
    /// name.
    ///
    /// Any number of tasks may wait. For errors, see
    /// [`TcpListener::accept`](crate::net::TcpListener::accept).
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no connection is lost.
    pub async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (stream, peer) = self.evented().io(Interest::READABLE, uninterrupted(kinds::accept_unix)).await?;
        self.accepted(stream, peer)
    }

    /// Polls for a connection; wakes `cx`'s task when it is worth polling again. Any number of
    /// tasks may poll.
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
        let both = Interest::READABLE | Interest::WRITABLE;
        UnixStream::connected(socket, self.evented().handle(), both).map(|stream| (stream, peer.into()))
    }

    /// Returns the address it is bound to.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr().map(SocketAddr::from)
    }

    /// Takes over the standard library's listener and makes it non-blocking.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be made non-blocking or cannot be polled, or an error if
    /// the runtime was shut down.
    #[track_caller]
    pub fn from_std(socket: net::UnixListener) -> io::Result<UnixListener> {
        let context = context::required("UnixListener::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UnixListener::from_std(socket), context.handle())
    }

    /// Returns the standard library's listener, still non-blocking.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be taken out of the poll; it is closed then.
    pub fn into_std(self) -> io::Result<net::UnixListener> {
        self.io.into_inner().map(net::UnixListener::from)
    }

    /// Takes the error that is pending on the socket, if any.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the pending error cannot be asked for.
    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.options().take_error()
    }
}

impl TryFrom<net::UnixListener> for UnixListener {
    type Error = io::Error;

    /// Converts like [`UnixListener::from_std`].
    #[track_caller]
    fn try_from(socket: net::UnixListener) -> io::Result<UnixListener> {
        Self::from_std(socket)
    }
}

socket_plumbing!(UnixListener, "UnixListener", kinds::UnixListener);
as_descriptor!(UnixListener);
