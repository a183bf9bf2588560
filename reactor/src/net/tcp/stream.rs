//! The connected TCP socket: how it is created, split and shut down.

use super::connect::connect_to_any;
use crate::budget;
use crate::context;
use crate::evented::Evented;
use crate::handle::Handle;
use crate::net::ToSocketAddrs;
use crate::net::kinds;
use crate::net::lookup::resolve;
use crate::net::options::{buffer_methods, connection_methods, packet_methods};
use crate::net::plumbing::{born_connected, socket_plumbing};
use crate::net::stream::halves::halves;
use crate::net::stream::methods::{
    stream_peek_methods, stream_read_methods, stream_shutdown_method, stream_write_methods,
};
use crate::net::stream::{StreamSocket, end_of_socket, reads, writes};
use crate::net::system::as_descriptor;
use crate::net::waits::{operation_methods, wait_methods};
use std::io;
use std::net::{self, Shutdown, SocketAddr};

/// A TCP connection between a local and a remote socket.
///
/// A stream is created by [`connect`](TcpStream::connect) or by accepting a connection from a
/// [`TcpListener`](crate::net::TcpListener). Reads and writes go directly to the OS without
/// buffering, so wrap the stream in a buffered reader or writer if it moves many small pieces.
/// Dropping the stream closes the connection; data that has already been written is still
/// delivered.
///
/// `TcpStream` implements the I/O traits of tokio (feature `tokio-io`, enabled by default), hyper,
/// and futures-io (features `hyper` and `futures-io`). The common operations are also available as
/// inherent methods, so no extension trait needs to be imported.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::{TcpListener, TcpStream};
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
/// Splitting the stream into two halves, which can be moved to different tasks:
///
/// ```
/// # use wsrt_reactor as wsrt;
/// # use wsrt::net::{TcpListener, TcpStream};
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
///
/// Waiting with [`readable`](Self::readable) and reading with [`try_read`](Self::try_read), which
/// take a shared reference and hold no buffer during the wait:
///
/// ```
/// # use wsrt_reactor as wsrt;
/// # use wsrt::net::{TcpListener, TcpStream};
/// use std::io::{self, ErrorKind};
///
/// async fn read_some(stream: &TcpStream) -> io::Result<Vec<u8>> {
///     loop {
///         stream.readable().await?;
///         let mut buf = vec![0; 4096];
///         match stream.try_read(&mut buf) {
///             Err(error) if error.kind() == ErrorKind::WouldBlock => {}
///             outcome => return outcome.map(|count| buf[..count].to_vec()),
///         }
///     }
/// }
/// # wsrt_reactor_testing::run(async {
/// # let listener = TcpListener::bind("127.0.0.1:0").await?;
/// # let mut client = TcpStream::connect(listener.local_addr()?).await?;
/// # let (stream, _) = listener.accept().await?;
/// # client.write_all(b"some").await?;
/// assert_eq!(read_some(&stream).await?, b"some");
/// # io::Result::Ok(()) }).unwrap();
/// ```
pub struct TcpStream {
    io: Evented<kinds::TcpStream>,
}

impl TcpStream {
    /// Opens a TCP connection to the first address in `addr` that answers.
    ///
    /// If there are several addresses, they are tried as RFC 8305 ("happy eyeballs") recommends:
    /// IPv6 and IPv4 addresses alternate, and the next attempt starts as soon as an earlier one
    /// fails or has not answered within 250 ms, while earlier attempts continue. An attempt has no
    /// time limit besides the OS's own, which is often a minute or two; wrap the call in a timeout
    /// to limit it.
    ///
    /// In contrast, tokio waits for each address to fail before it tries the next one.
    ///
    /// # Panics
    ///
    /// Panics if polled outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the lookup's error if `addr` cannot be resolved. If every address fails, returns the
    /// unchanged OS error for the last address tried. The error does not name the address.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped before completion, all connection attempts are abandoned and their
    /// sockets are closed.
    #[doc = example!("tcp", "tcp_connect")]
    pub async fn connect<A: ToSocketAddrs>(addr: A) -> io::Result<TcpStream> {
        let context = context::required("TcpStream::connect");
        budget::consume().await;
        let addresses = resolve(addr.target()?, "TcpStream::connect").await?;
        connect_to_any(addresses, &context).await
    }

    /// Starts to connect. The stream becomes writable once the OS has connected it.
    pub(super) fn connecting(address: SocketAddr, handle: &Handle) -> io::Result<TcpStream> {
        Self::registered(kinds::TcpStream::connect(address)?, handle)
    }

    /// Creates a stream from a connected standard library stream, and sets it to non-blocking mode.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be made non-blocking or cannot be registered with
    /// the netpoller, or an error if the runtime has been shut down.
    #[doc = example!("tcp", "tcp_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::TcpStream) -> io::Result<TcpStream> {
        let context = context::required("TcpStream::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::TcpStream::from_std(socket), context.handle())
    }

    /// Deregisters the socket from the netpoller and returns it as a standard library socket, which
    /// remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    #[doc = example!("tcp", "tcp_from_std")]
    pub fn into_std(self) -> io::Result<net::TcpStream> {
        self.io.into_inner().map(net::TcpStream::from)
    }

    /// Returns the address of the remote peer.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("tcp_reader", "reader_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.evented().get_ref().peer_addr()
    }

    /// Returns the local address of this socket.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("tcp_reader", "reader_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.evented().get_ref().local_addr()
    }

    /// Splits the stream into a borrowed read half and a borrowed write half, which can be used
    /// concurrently within one task.
    ///
    /// Dropping the halves does not close the stream: both directions stay open.
    // The exclusive borrow keeps it to one reader and one writer.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        split(self)
    }

    /// Splits the stream into an owned read half and an owned write half, which can be moved to
    /// different tasks.
    ///
    /// Dropping the write half shuts down the writing direction, so that the peer reads the end of
    /// the stream. Call [`OwnedWriteHalf::forget`] to drop the write half without doing so.
    #[must_use]
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        split_owned(self)
    }

    /// Shuts down the reading direction, the writing direction, or both, without waiting.
    ///
    /// Unlike [`shutdown`](Self::shutdown), this method can shut down either direction. On some
    /// systems it returns an error if the peer has already closed that direction.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the shutdown fails.
    #[doc = example!("tcp_writer", "shutdown_with")]
    pub fn shutdown_with(&self, how: Shutdown) -> io::Result<()> {
        self.socket().shutdown(how)
    }

    /// Returns whether the netpoller has ever reported urgent data on this stream.
    ///
    /// This method is meant for wsrt's own crates: code that moves bytes by other means than a read
    /// does not step over the urgent mark, and must know when there may be one.
    #[doc(hidden)]
    #[must_use]
    pub fn has_seen_urgent(&self) -> bool {
        self.evented().has_seen_urgent()
    }

    /// Returns whether this stream belongs to a simulated network. If so, the stream's file
    /// descriptor refers to a placeholder socket, through which no bytes of the stream pass.
    ///
    /// This method is meant for wsrt's own crates, for code that moves bytes through the
    /// descriptor.
    #[cfg(unix)]
    #[doc(hidden)]
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        kinds::is_simulated(self.socket())
    }

    pub(in crate::net) fn end_writing(&self) -> io::Result<()> {
        end_of_socket(|how| self.shutdown_with(how))
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia"))]
impl TcpStream {
    /// Returns whether received data is currently acknowledged immediately (`TCP_QUICKACK`).
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be read.
    #[doc = example!("tcp_stream", "quickack")]
    pub fn quickack(&self) -> io::Result<bool> {
        self.options().tcp_quickack()
    }

    /// Sets `TCP_QUICKACK`: with `true`, the OS acknowledges received data immediately instead of
    /// waiting to send the acknowledgement together with data. The setting is not permanent: as the
    /// connection continues, the OS switches between the two modes by its own rules.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the option cannot be set.
    #[doc = example!("tcp_stream", "quickack")]
    pub fn set_quickack(&self, quickack: bool) -> io::Result<()> {
        self.options().set_tcp_quickack(quickack)
    }
}

impl TryFrom<net::TcpStream> for TcpStream {
    type Error = io::Error;

    /// Creates a stream from a standard library stream, as [`TcpStream::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::TcpStream) -> io::Result<TcpStream> {
        Self::from_std(socket)
    }
}

impl AsRef<TcpStream> for TcpStream {
    fn as_ref(&self) -> &TcpStream {
        self
    }
}

socket_plumbing!(TcpStream, "TcpStream", kinds::TcpStream);
born_connected!(TcpStream, "TcpStream", kinds::TcpStream);
connection_methods!(TcpStream, "tcp_stream");
buffer_methods!(TcpStream, "tcp_stream", " Ask for a TCP window larger than 64 KiB before the connection is made.");
packet_methods!(TcpStream, "tcp_stream", " TCP keeps the lower two for itself.");
as_descriptor!(TcpStream);
stream_read_methods!(TcpStream, "tcp_reader", "the peer has ended the stream");
stream_peek_methods!(TcpStream, "tcp_reader");
stream_write_methods!(TcpStream, "tcp_writer", "received by the peer");
stream_shutdown_method!(TcpStream, "tcp_writer");
wait_methods!(TcpStream, readable, poll_read_ready, READABLE, "read", "tcp_reader", "readable");
wait_methods!(TcpStream, writable, poll_write_ready, WRITABLE, "write", "tcp_writer", "writable");
operation_methods!(TcpStream, "tcp_reader", "ready_to_read");
reads!(TcpStream);
writes!(TcpStream);

halves!(
    TcpStream,
    kinds::TcpStream,
    SocketAddr,
    "TCP streams",
    "tcp_read_half",
    "tcp_write_half",
    "tcp_owned_reader",
    "tcp_owned_writer",
    "reader_addresses",
    "writer_addresses"
);

impl StreamSocket for mio::net::TcpStream {
    const SHORT_READ_DRAINS: bool = true;
    const SHORT_WRITE_DRAINS: bool = true;

    fn attempt<R>(&self, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.try_io(call)
    }
}
