//! Where connections come from.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

#[cfg(unix)]
use crate::net::unix::UCred;
use crate::net::{TcpListener, TcpStream};
#[cfg(unix)]
use crate::net::{UnixListener, UnixStream};

/// What [`serve`](fn@super::serve) takes connections from.
///
/// A [`TcpListener`] is one, and so is a `UnixListener`. Implement it for other sources, or to look
/// at each connection first: to count them, to refuse some, to set socket options. Keep `accept`
/// quick, since one at a time is accepted: what takes a conversation with the client, TLS for one,
/// goes into [`Serve::with_handshake`](super::Serve::with_handshake).
///
/// # Examples
///
/// ```
/// use std::io;
/// use std::net::SocketAddr;
/// use wsrt::hyper::Listener;
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
    /// One connection. Without a handshake it has to implement hyper's `Read` and `Write`.
    type Io: Send + 'static;

    /// Who is at the other end: what requests carry as their [`ConnectInfo`].
    type Addr: Clone + Send + Sync + 'static;

    /// Waits for a connection.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong. The server never ends because of it: it accepts again, at once after an
    /// error of one connection (`ConnectionAborted`, `ConnectionRefused`, `ConnectionReset`), else
    /// after a pause.
    ///
    /// # Cancel safety
    ///
    /// The server drops the future once, when it is told to end.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Io, Self::Addr)>> + Send;
}

impl Listener for TcpListener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        // Answers are to leave as soon as they are written. Not worth giving the connection up for.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
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

/// Who sent a request: an extension of every request that [`serve`](fn@super::serve) hands to the
/// service.
///
/// For a TCP listener that is the client's [`SocketAddr`]; for a Unix listener its credentials, a
/// `net::unix::UCred`, since clients have no address there; for others what their
/// [`Listener::Addr`] is. A handler of axum's takes it as
/// `Extension(ConnectInfo(peer)): Extension<ConnectInfo<SocketAddr>>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectInfo<A>(pub A);
