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

/// A Unix socket that is not connected yet: it can be bound first, or listen with a given backlog.
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
    /// Creates a socket that sends and receives datagrams.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors.
    pub fn new_datagram() -> io::Result<UnixSocket> {
        Self::new(Type::DGRAM)
    }

    /// Creates a socket that listens or connects.
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

    /// Binds it to a path, where a file appears. On Linux, a path that begins with a zero byte is a
    /// name in the abstract namespace.
    ///
    /// # Errors
    ///
    /// Returns the unchanged OS error, or an error of kind `InvalidInput` if the path cannot be an
    /// address, for example because it is too long.
    pub fn bind(&self, path: impl AsRef<Path>) -> io::Result<()> {
        self.bind_addr(&address::of_path(path.as_ref(), "bind")?)
    }

    /// Binds it to an address, which may be a name in Linux's abstract namespace.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`bind`](UnixSocket::bind).
    pub fn bind_addr(&self, address: &SocketAddr) -> io::Result<()> {
        self.socket.bind(address)
    }

    /// Listens at the address that it is bound to. At most `backlog` connections wait to be
    /// accepted; the OS has its own limit, too.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if it is a datagram socket, the OS error, or an error if the runtime has
    /// been shut down.
    #[track_caller]
    pub fn listen(self, backlog: u32) -> io::Result<UnixListener> {
        let context = context::required("UnixSocket::listen");
        self.check_is(Type::STREAM, "listen")?;
        UnixListener::registered(self.socket.listen(backlog)?, context.handle())
    }

    /// Connects it to the listener at a path.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if it is a datagram socket, and otherwise the errors of
    /// [`UnixStream::connect`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, the connection attempt is abandoned and the
    /// socket is closed.
    pub async fn connect(self, path: impl AsRef<Path>) -> io::Result<UnixStream> {
        let address = address::of_path(path.as_ref(), "connect to")?;
        self.connect_addr(&address).await
    }

    /// Connects it to the listener at an address, which may be a name in Linux's abstract
    /// namespace.
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

    /// Turns it into a datagram socket that can send and receive.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns an error if it is a stream socket, the OS error, or an error if the runtime has been
    /// shut down.
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
    /// Takes over a descriptor, which has to be a non-blocking Unix socket that neither listens nor
    /// is connected.
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
