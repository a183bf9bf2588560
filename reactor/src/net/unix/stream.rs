//! The connected Unix socket: how it is created, split and shut down.

use super::SocketAddr;
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::kinds;
use crate::net::options::buffer_methods;
use crate::net::plumbing::{born_connected, socket_plumbing};
use crate::net::stream::halves::halves;
use crate::net::stream::methods::{
    stream_peek_methods, stream_read_methods, stream_shutdown_method, stream_write_methods,
};
use crate::net::stream::{StreamSocket, end_of_socket, reads, writes};
use crate::net::system::as_descriptor;
use crate::net::waits::{operation_methods, wait_methods};
use std::io;
use std::net::Shutdown;
use std::os::unix::net;

/// A Unix stream: a connection between two sockets on the same machine.
///
/// A `UnixStream` has the same methods for reading and writing as a
/// [`TcpStream`](crate::net::TcpStream), and implements the same I/O traits.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use wsrt::net::UnixStream;
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
pub struct UnixStream {
    io: Evented<kinds::UnixStream>,
}

impl UnixStream {
    /// Creates a pair of connected streams. Neither stream is bound to an address.
    ///
    /// # Panics
    ///
    /// Panics if called outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example if the process has run out of file descriptors, or an
    /// error if the runtime has been shut down.
    #[doc = example!("unix", "unix_stream_pair")]
    #[track_caller]
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let context = context::required("UnixStream::pair");
        let (one, other) = kinds::UnixStream::pair()?;
        let [one, other] = [one, other].map(|end| Self::connected(end, context.handle(), Interest::WRITABLE));
        Ok((one?, other?))
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
    #[doc = example!("unix", "unix_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::UnixStream) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UnixStream::from_std(socket), context.handle())
    }

    /// Deregisters the socket from the netpoller and returns it as a standard library socket, which
    /// remains in non-blocking mode.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the socket cannot be deregistered from the netpoller. The socket is
    /// then closed.
    #[doc = example!("unix", "unix_from_std")]
    pub fn into_std(self) -> io::Result<net::UnixStream> {
        self.io.into_inner().map(net::UnixStream::from)
    }

    /// Returns the address of the remote peer.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("unix_reader", "unix_reader_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr().map(SocketAddr::from)
    }

    /// Returns the local address of this socket.
    ///
    /// # Errors
    ///
    /// Returns the OS error if the address cannot be retrieved.
    #[doc = example!("unix_reader", "unix_reader_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr().map(SocketAddr::from)
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
    #[doc = example!("unix_writer", "shutdown_with")]
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
    #[doc(hidden)]
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        kinds::is_simulated(self.socket())
    }

    pub(in crate::net) fn end_writing(&self) -> io::Result<()> {
        end_of_socket(|how| self.shutdown_with(how))
    }
}

impl TryFrom<net::UnixStream> for UnixStream {
    type Error = io::Error;

    /// Creates a stream from a standard library stream, as [`UnixStream::from_std`] does.
    #[track_caller]
    fn try_from(socket: net::UnixStream) -> io::Result<UnixStream> {
        Self::from_std(socket)
    }
}

impl AsRef<UnixStream> for UnixStream {
    fn as_ref(&self) -> &UnixStream {
        self
    }
}

socket_plumbing!(UnixStream, "UnixStream", kinds::UnixStream);
born_connected!(UnixStream, "UnixStream", kinds::UnixStream);
buffer_methods!(UnixStream, "unix_stream", "");
as_descriptor!(UnixStream);
stream_read_methods!(UnixStream, "unix_reader", "the peer has ended the stream");
stream_peek_methods!(UnixStream, "unix_reader");
stream_write_methods!(UnixStream, "unix_writer", "received by the peer");
stream_shutdown_method!(UnixStream, "unix_writer");
wait_methods!(UnixStream, readable, poll_read_ready, READABLE, "read", "unix_reader", "readable");
wait_methods!(UnixStream, writable, poll_write_ready, WRITABLE, "write", "unix_writer", "writable");
operation_methods!(UnixStream, "unix_reader", "ready_to_read");
reads!(UnixStream);
writes!(UnixStream);

halves!(
    UnixStream,
    kinds::UnixStream,
    SocketAddr,
    "Unix streams",
    "unix_read_half",
    "unix_write_half",
    "unix_owned_reader",
    "unix_owned_writer",
    "unix_reader_addresses",
    "unix_writer_addresses"
);

impl StreamSocket for mio::net::UnixStream {
    // This costs one more system call for each read that empties the socket: a ping-pong takes a
    // fifth longer than if short reads proved anything. The data that would be lost otherwise is in
    // tests/unix_streams.rs.
    const SHORT_READ_DRAINS: bool = false;
    const SHORT_WRITE_DRAINS: bool = true;

    fn attempt<R>(&self, call: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.try_io(call)
    }
}
