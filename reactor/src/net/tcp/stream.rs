//! The connected socket: how it comes to be, what it is, how it ends.

use super::connect::connect_to_any;
use crate::budget;
use crate::context;
use crate::evented::Evented;
use crate::handle::Handle;
use crate::net::ToSocketAddrs;
use crate::net::lookup::resolve;
use crate::net::stream::stream_socket;
use std::io;
use std::net::SocketAddr;

/// One TCP connection.
///
/// Reads and writes go straight to the system, without a buffer in between: wrap it where many
/// small ones are made. Dropping it closes the connection; data already written is still delivered.
///
/// It implements `tokio::io::AsyncRead` and `AsyncWrite`, and with feature `hyper` hyper's `Read`
/// and `Write`. The common operations are methods of its own as well, so no extension trait is
/// needed.
///
/// # Examples
///
/// ```
/// use wsrt_reactor::net::{TcpListener, TcpStream};
///
/// # wsrt_reactor_testing::run(async {
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let address = listener.local_addr()?;
/// let mut stream = TcpStream::connect(address).await?;
/// stream.set_nodelay(true)?;
/// stream.write_all(b"ping").await?;
/// # let (mut peer, _) = listener.accept().await?;
/// # let mut buf = [0; 4];
/// # peer.read_exact(&mut buf).await?;
/// # peer.write_all(&buf).await?;
/// # drop(peer);
///
/// let mut answer = String::new();
/// stream.read_to_string(&mut answer).await?;
/// assert_eq!(answer, "ping");
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
///
/// Split in two halves, which may go to different tasks:
///
/// ```
/// # use wsrt_reactor::net::{TcpListener, TcpStream};
/// # wsrt_reactor_testing::run(async {
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let stream = TcpStream::connect(listener.local_addr()?).await?;
/// # let (mut peer, _) = listener.accept().await?;
/// let (mut read, mut write) = stream.into_split();
/// write.write_all(b"question").await?;
/// drop(write);
///
/// let mut question = String::new();
/// peer.read_to_string(&mut question).await?;
/// assert_eq!(question, "question");
/// peer.write_all(b"answer").await?;
/// drop(peer);
///
/// let mut answer = Vec::new();
/// read.read_to_end(&mut answer).await?;
/// assert_eq!(answer, b"answer");
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct TcpStream {
    io: Evented<mio::net::TcpStream>,
}

impl TcpStream {
    /// Connects to the first of the addresses that answers.
    ///
    /// Several are tried after RFC 8305 ("happy eyeballs"): IPv6 and IPv4 in turns, the next one as
    /// soon as an earlier one fails or has not answered for 250 ms, those under way going on
    /// meanwhile. Each takes as long as the system lets it (a minute or two when nobody answers):
    /// put a timeout around it where that is too long.
    ///
    /// It differs from tokio's, which waits for each address to fail before it tries the next.
    ///
    /// # Panics
    ///
    /// Outside a runtime.
    ///
    /// # Errors
    ///
    /// When every address fails: the system's error for the one that was tried last, as it is,
    /// which does not name the address. Otherwise the lookup's.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is ready, the attempts are given up and their sockets closed.
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<TcpStream> {
        let context = context::required("TcpStream::connect");
        budget::consume().await;
        let addresses = resolve(addr.target()?, "TcpStream::connect").await?;
        connect_to_any(addresses, &context).await
    }

    /// A stream that the system has begun to connect.
    pub(super) fn connecting(address: SocketAddr, handle: &Handle) -> io::Result<TcpStream> {
        Self::registered(mio::net::TcpStream::connect(address)?, handle)
    }

    /// Whether the system has ever told of urgent data. Not for users: for what moves bytes in
    /// another way than by reading, and so does not step over the mark of it.
    #[doc(hidden)]
    #[must_use]
    pub fn has_seen_urgent(&self) -> bool {
        self.io.has_seen_urgent()
    }
}

wraps!(TcpStream, "TcpStream", mio::net::TcpStream, std::net::TcpStream);
stream_socket!(mio::net::TcpStream, short read drains: true, short write drains: true);
