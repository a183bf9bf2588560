//! A Unix socket that is neither listening nor connected yet.

use super::datagram::UnixDatagram;
use super::listener::UnixListener;
use super::stream::UnixStream;
use super::{SocketAddr, address};
use crate::context;
use crate::net::kinds::UnconnectedUnix;
use crate::net::system::as_descriptor;
use socket2::{Socket, Type};
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};
use std::path::Path;

/// A Unix socket that is neither connected nor listening yet.
///
/// Use a `UnixSocket` to bind to an address before connecting, or to listen with a specific
/// backlog. Otherwise, [`UnixStream::connect`], [`UnixListener::bind`] and [`UnixDatagram::bind`]
/// are shorter.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{UnixSocket, UnixStream};
///
/// # let folder = std::env::temp_dir().join(format!("wsrt-doc-unix-socket-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let path = folder.join("socket");
/// # let outcome = wsrt_reactor_testing::run(async {
/// let socket = UnixSocket::new_stream()?;
/// socket.bind(&path)?;
/// let listener = socket.listen(16)?;
/// UnixStream::connect(&path).await?;
/// listener.accept().await?;
/// # std::io::Result::Ok(()) });
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # outcome.unwrap();
/// ```
#[derive(Debug)]
pub struct UnixSocket {
    socket: UnconnectedUnix,
}

impl UnixSocket {
    /// Creates a Unix socket for datagrams. Convert it with [`datagram`](UnixSocket::datagram) to
    /// send and receive.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors.
    pub fn new_datagram() -> io::Result<UnixSocket> {
        Self::new(Type::DGRAM)
    }

    /// Creates a Unix stream socket, which can [`listen`](UnixSocket::listen) or
    /// [`connect`](UnixSocket::connect).
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors.
    pub fn new_stream() -> io::Result<UnixSocket> {
        Self::new(Type::STREAM)
    }

    fn new(kind: Type) -> io::Result<UnixSocket> {
        UnconnectedUnix::of_kind(kind).map(|socket| UnixSocket { socket })
    }

    /// Binds this socket to `path`, where a socket file is created. On Linux, a path that begins
    /// with a zero byte is a name in the abstract namespace, and no file is created.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or `InvalidInput` if `path` cannot be an address, for
    /// example because it is too long.
    pub fn bind(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.bind_addr(&address::of_path(path.as_ref(), "bind")?)
    }

    /// Binds this socket to `address`, which may be a name in Linux's abstract namespace.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`bind`](UnixSocket::bind).
    pub fn bind_addr(&self, address: &SocketAddr) -> io::Result<()> {
        self.socket.bind(address)
    }

    /// Starts listening for connections at the address that this socket is bound to, and returns
    /// the listener. At most `backlog` connections wait in the queue to be accepted; the OS may
    /// lower this number.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if this is a datagram socket, the OS error, or an error if the runtime has
    /// been shut down.
    #[track_caller]
    pub fn listen(self, backlog: u32) -> io::Result<UnixListener> {
        let context = context::required("UnixSocket::listen");
        self.check_is(Type::STREAM, "listen")?;
        UnixListener::registered(self.socket.listen(backlog)?, context.handle())
    }

    /// Connects this socket to the Unix listener bound to `path`, and returns the connected stream.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if this is a datagram socket, or the errors of [`UnixStream::connect`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    pub async fn connect(self, path: impl AsRef<Path>) -> io::Result<UnixStream> {
        let address = address::of_path(path.as_ref(), "connect to")?;
        self.connect_addr(&address).await
    }

    /// Connects this socket to the Unix listener bound to `address`, which may be a name in Linux's
    /// abstract namespace, and returns the connected stream.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`connect`](UnixSocket::connect).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    pub async fn connect_addr(self, address: &SocketAddr) -> io::Result<UnixStream> {
        let context = context::required("UnixSocket::connect");
        self.check_is(Type::STREAM, "connect")?;
        UnixStream::connect_socket(self.socket, address, &context).await
    }

    /// Converts this socket into a [`UnixDatagram`], which can send and receive.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if this is a stream socket, the OS error, or an error if the runtime has
    /// been shut down.
    #[track_caller]
    pub fn datagram(self) -> io::Result<UnixDatagram> {
        let context = context::required("UnixSocket::datagram");
        self.check_is(Type::DGRAM, "datagram")?;
        UnixDatagram::registered(self.socket.datagram()?, context.handle())
    }

    fn check_is(&self, kind: Type, operation: &'static str) -> io::Result<()> {
        let other = if kind == Type::STREAM { "datagram" } else { "stream" };
        match self.socket().r#type()? == kind {
            true => Ok(()),
            false => Err(io::Error::other(format!("{operation} cannot be called on a {other} socket"))),
        }
    }

    pub(in crate::net) fn socket(&self) -> &Socket {
        self.socket.system()
    }
}

as_descriptor!(UnixSocket);

impl FromRawFd for UnixSocket {
    /// Creates a `UnixSocket` that owns `descriptor`, which must be a non-blocking Unix socket that
    /// is neither listening nor connected.
    unsafe fn from_raw_fd(descriptor: RawFd) -> UnixSocket {
        // SAFETY: by this function's contract the descriptor is open and the caller's to give away.
        UnixSocket { socket: UnconnectedUnix::of_system(unsafe { Socket::from_raw_fd(descriptor) }) }
    }
}

impl IntoRawFd for UnixSocket {
    fn into_raw_fd(self) -> RawFd {
        self.socket.into_system().into_raw_fd()
    }
}
