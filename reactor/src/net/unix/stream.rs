//! The connected Unix socket.

use super::{SocketAddr, UCred, address, credentials};
use crate::budget;
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::stream::{outcome_of_connect, stream_socket};
use socket2::SockRef;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

/// One connection within this machine.
///
/// It reads and writes as [`TcpStream`](crate::net::TcpStream) does, and implements the same
/// traits.
///
/// # Examples
///
/// ```
/// use wsrt_reactor::net::UnixStream;
///
/// # wsrt_reactor_testing::run(async {
/// let (mut near, mut far) = UnixStream::pair()?;
/// near.write_all(b"ping").await?;
/// near.shutdown().await?;
/// let mut heard = String::new();
/// far.read_to_string(&mut heard).await?;
/// assert_eq!(heard, "ping");
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct UnixStream {
    pub(in crate::net) io: Evented<mio::net::UnixStream>,
}

impl UnixStream {
    /// Connects to whoever listens at a path. On Linux a path that begins with a zero byte is an
    /// abstract name.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// The system's, as it is. Linux answers `WouldBlock` when as many connections wait to be
    /// accepted as the listener allows, and tells nobody when there is room again: try again later.
    /// Of kind `InvalidInput` when the path cannot be an address, as when it is too long.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the attempt is given up and its socket closed.
    pub async fn connect<P: AsRef<Path>>(path: P) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::connect");
        let address = address::of_path(path.as_ref(), "connect to")?;
        Self::connect_in(&address, &context).await
    }

    /// Connects to an address, which may be an abstract name.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// As [`connect`](UnixStream::connect).
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the attempt is given up and its socket closed.
    pub async fn connect_addr(address: &SocketAddr) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::connect_addr");
        Self::connect_in(address, &context).await
    }

    async fn connect_in(address: &SocketAddr, context: &context::ReactorContext) -> io::Result<UnixStream> {
        budget::consume().await;
        let stream = Self::registered(mio::net::UnixStream::connect_addr(address)?, context.handle())?;
        let outcome = |socket: &mio::net::UnixStream| outcome_of_connect(SockRef::from(socket));
        stream.evented().io(Interest::WRITABLE, outcome).await?;
        Ok(stream)
    }

    /// Makes two connected streams, without any address.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// The system's, when descriptors have run out for example; or that the runtime was shut down.
    #[track_caller]
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let context = context::required("UnixStream::pair");
        let (one, other) = mio::net::UnixStream::pair()?;
        Ok((Self::registered(one, context.handle())?, Self::registered(other, context.handle())?))
    }

    /// Returns as whom the peer was running when it connected or listened.
    ///
    /// # Errors
    ///
    /// The system's; `Unsupported` where wsrt does not know how to ask.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt_reactor::net::UnixStream;
    ///
    /// # wsrt_reactor_testing::run(async {
    /// let (near, _far) = UnixStream::pair()?;
    /// let peer = near.peer_cred()?;
    /// assert!(peer.pid().is_none_or(|pid| pid as u32 == std::process::id()));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn peer_cred(&self) -> io::Result<UCred> {
        credentials::of_peer(self.as_fd())
    }

    /// Whether the system has ever told of urgent data. Not for users: for what moves bytes in
    /// another way than by reading, and so does not step over the mark of it.
    #[doc(hidden)]
    #[must_use]
    pub fn has_seen_urgent(&self) -> bool {
        self.io.has_seen_urgent()
    }
}

wraps!(UnixStream, "UnixStream", mio::net::UnixStream, std::os::unix::net::UnixStream);
// One more system call for each read that empties the socket: a ping-pong takes a fifth longer than
// it would if short reads proved anything. What would be lost otherwise is in
// tests/unix_streams.rs.
stream_socket!(mio::net::UnixStream, short read drains: false, short write drains: true);
