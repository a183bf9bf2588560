//! `Listener`: the source of a server's connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

#[cfg(unix)]
use wsrt::net::unix::UCred;
use wsrt::net::{TcpListener, TcpStream};
#[cfg(unix)]
use wsrt::net::{UnixListener, UnixStream};

/// Accepts the connections of [`serve`](fn@super::serve).
///
/// [`TcpListener`] and `UnixListener` implement it. Implement it for other sources, or to inspect
/// each connection first: to count them, to refuse some, to set socket options. Keep `accept`
/// short, since connections are accepted one at a time: a dialogue with the client, such as a TLS
/// handshake, belongs into [`Serve::with_handshake`](super::Serve::with_handshake).
///
/// # Examples
///
/// ```
/// use std::io;
/// use std::net::SocketAddr;
/// use wsrt_hyper::Listener;
/// use wsrt::net::{TcpListener, TcpStream};
///
/// struct Loopback(TcpListener);
///
/// impl Listener for Loopback {
///     type Io = TcpStream;
///     type Addr = SocketAddr;
///
///     async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
///         loop {
///             let (stream, peer) = self.0.accept().await?;
///             if peer.ip().is_loopback() {
///                 return Ok((stream, peer));
///             }
///         }
///     }
/// }
/// ```
pub trait Listener: Send + 'static {
    /// The type of a connection. Without a handshake it has to implement hyper's `Read` and
    /// `Write`.
    type Io: Send + 'static;

    /// The address of the peer, which requests carry as their [`ConnectInfo`].
    type Addr: Clone + Send + Sync + 'static;

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// Returns an error when no connection could be accepted. The server never ends because of it:
    /// it accepts again, at once after an error of one connection (`ConnectionAborted`,
    /// `ConnectionRefused`, `ConnectionReset`), else after a pause.
    ///
    /// # Cancel safety
    ///
    /// It need not be cancel safe: the server drops the future once, when it shuts down.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Io, Self::Addr)>> + Send;

    /// Limits how many bytes the system keeps for a connection that it has not sent yet. The server
    /// calls this before it accepts, with the limit of
    /// [`with_unsent_limit`](super::Serve::with_unsent_limit).
    ///
    /// Does nothing unless a listener says otherwise: one that hands on the connections of another
    /// hands this call on as well.
    fn limit_unsent(&mut self, bytes: u32) {
        let _ = bytes;
    }
}

impl Listener for TcpListener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        // Answers leave as soon as they are written. An error does not prevent serving the
        // connection.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }

    fn limit_unsent(&mut self, bytes: u32) {
        // Its connections inherit it. An error leaves them what the system keeps by itself.
        let _ = self.set_unsent_limit(bytes);
    }
}

#[cfg(unix)]
impl Listener for UnixListener {
    type Io = UnixStream;
    type Addr = UCred;

    async fn accept(&mut self) -> io::Result<(UnixStream, UCred)> {
        let (stream, _) = UnixListener::accept(self).await?;
        let peer = stream.peer_cred()?;
        Ok((stream, peer))
    }
}

/// Holds the address of the client that sent a request: an extension of every request that
/// [`serve`](fn@super::serve) passes to the service.
///
/// For a TCP listener that is the client's [`SocketAddr`]; for a Unix listener its credentials, a
/// `net::unix::UCred`, since clients have no address there; for other listeners their
/// [`Listener::Addr`].
///
/// A handler of axum takes it as `ConnectInfo(peer): ConnectInfo<SocketAddr>` with feature `axum`,
/// and else as `Extension(ConnectInfo(peer)): Extension<ConnectInfo<SocketAddr>>`. Handlers and
/// middleware that ask for axum's own type of this name find it with
/// [`serve_make_service`](fn@super::serve_make_service).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectInfo<A>(pub A);
