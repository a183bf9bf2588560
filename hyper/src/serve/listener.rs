//! `Listener`: the source of a server's connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

#[cfg(unix)]
use wsrt::net::unix::UCred;
use wsrt::net::{TcpListener, TcpStream};
#[cfg(unix)]
use wsrt::net::{UnixListener, UnixStream};

/// A source of connections for [`serve`](fn@super::serve).
///
/// [`TcpListener`] and `UnixListener` implement this trait. Implement it for other sources, or to
/// inspect each connection first: to count or refuse connections, or to set socket options. Keep
/// `accept` short, because connections are accepted one at a time; a dialogue with the client, such
/// as a TLS handshake, belongs in [`Serve::with_handshake`](super::Serve::with_handshake).
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
    /// The type of a connection. Unless the server has a handshake, this type must implement
    /// hyper's `Read` and `Write`.
    type Io: Send + 'static;

    /// The type of the peer's address, which each request carries as its [`ConnectInfo`].
    type Addr: Clone + Send + Sync + 'static;

    /// Waits for the next connection, and returns it together with the peer's address.
    ///
    /// # Errors
    ///
    /// Returns an error if no connection could be accepted. An error never ends the server, which
    /// calls `accept` again: at once after an error that concerns a single connection
    /// (`ConnectionAborted`, `ConnectionRefused` or `ConnectionReset`), and after a pause
    /// otherwise.
    ///
    /// # Cancel safety
    ///
    /// The future need not be cancel safe: the server drops it only once, when it shuts down.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Io, Self::Addr)>> + Send;

    /// Limits how many unsent bytes the OS buffers for each accepted connection. The server calls
    /// this method before it starts to accept, with the limit set by
    /// [`with_unsent_limit`](super::Serve::with_unsent_limit).
    ///
    /// The default implementation does nothing. A listener that wraps another listener should
    /// forward this call.
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

/// The address of the client that sent a request: an extension of every request that
/// [`serve`](fn@super::serve) passes to the service.
///
/// For a TCP listener, the address is the client's [`SocketAddr`]. For a Unix listener, whose
/// clients have no address, it is the client's credentials, a `net::unix::UCred`. For any other
/// listener it is the [`Listener::Addr`].
///
/// With the feature `axum`, an axum handler can take the address as `ConnectInfo(peer):
/// ConnectInfo<SocketAddr>`; without the feature, as `Extension(ConnectInfo(peer)):
/// Extension<ConnectInfo<SocketAddr>>`. Handlers and middleware that ask for axum's own
/// `ConnectInfo` find it if the server was created by
/// [`serve_make_service`](fn@super::serve_make_service).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectInfo<A>(pub A);
