//! The connected Unix socket: how it is made, read, written, split and ended. Waiting for readiness
//! is in `stream_readiness.rs`, the options are in `stream_options.rs`.

use super::SocketAddr;
use super::halves::{self, OwnedReadHalf, OwnedWriteHalf, ReadHalf, WriteHalf};
use crate::context;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::at_once::{self, at_once};
use crate::net::kinds;
use crate::net::plumbing::{born_connected, socket_plumbing};
use crate::net::stream::bulk;
use crate::net::stream::{StreamSocket, end_of_socket, reads, writes};
use crate::net::system::as_descriptor;
use bytes::BufMut;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::Shutdown;
use std::os::unix::net;
use std::task::{Context, Poll};

/// Reads and writes one connection within this machine.
///
/// It reads and writes like [`TcpStream`](crate::net::TcpStream), and implements the same traits.
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
    /// Creates two connected streams, without any address.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error, for example when descriptors have run out, or an error if the runtime
    /// was shut down.
    #[doc = example!("unix", "unix_stream_pair")]
    #[track_caller]
    pub fn pair() -> io::Result<(UnixStream, UnixStream)> {
        let context = context::required("UnixStream::pair");
        let (one, other) = kinds::UnixStream::pair()?;
        let [one, other] = [one, other].map(|end| Self::connected(end, context.handle(), Interest::WRITABLE));
        Ok((one?, other?))
    }

    /// Takes over the standard library's socket and makes it non-blocking.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be made non-blocking or cannot be polled, or an error if
    /// the runtime was shut down.
    #[doc = example!("unix", "unix_from_std")]
    #[track_caller]
    pub fn from_std(socket: net::UnixStream) -> io::Result<UnixStream> {
        let context = context::required("UnixStream::from_std");
        socket.set_nonblocking(true)?;
        Self::registered(kinds::UnixStream::from_std(socket), context.handle())
    }

    /// Returns the standard library's socket, still non-blocking.
    ///
    /// # Errors
    ///
    /// Returns the OS error if it cannot be taken out of the poll; it is closed then.
    #[doc = example!("unix", "unix_from_std")]
    pub fn into_std(self) -> io::Result<net::UnixStream> {
        self.io.into_inner().map(net::UnixStream::from)
    }

    /// Returns the peer's address.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_reader", "unix_reader_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.socket().peer_addr().map(SocketAddr::from)
    }

    /// Returns the address on this side.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_reader", "unix_reader_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket().local_addr().map(SocketAddr::from)
    }

    /// Reads the available bytes into `buf` and returns their number; waits if there are none.
    ///
    /// Zero means that the peer has ended the stream, or that `buf` is empty.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no bytes are lost.
    #[doc = example!("unix_reader", "read")]
    pub async fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().receive(buf).await
    }

    /// Reads into several buffers, filling each before the next; otherwise like
    /// [`read`](Self::read).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, no bytes are lost.
    #[doc = example!("unix_reader", "read_vectored")]
    pub async fn read_vectored(&mut self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.evented().receive_vectored(bufs).await
    }

    /// Fills `buf` and returns its length.
    ///
    /// # Errors
    ///
    /// Returns `UnexpectedEof` if the peer has ended the stream first, the OS error, or an error if
    /// the runtime was shut down. `buf` then holds the bytes read so far; their number is
    /// unspecified.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, it may have read some bytes.
    #[doc = example!("unix_reader", "read_exact")]
    pub async fn read_exact(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        bulk::read_exact(self.evented(), buf).await
    }

    /// Reads until the peer has ended the stream, appends everything to `buf`, and returns the
    /// number of bytes added.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down. `buf` holds the bytes read
    /// before it.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `buf` holds the bytes read so far; another call
    /// continues from there.
    #[doc = example!("unix_reader", "read_to_end")]
    pub async fn read_to_end(&mut self, buf: &mut Vec<u8>) -> io::Result<usize> {
        bulk::read_to_end(self.evented(), buf).await
    }

    /// Reads until the peer has ended the stream, appends the text to `buf`, and returns the number
    /// of bytes added.
    ///
    /// # Errors
    ///
    /// Returns `InvalidData` if the bytes are not UTF-8, the OS error, or an error if the runtime
    /// was shut down. `buf` is unchanged then, and the bytes read are lost.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, the bytes read are lost.
    #[doc = example!("unix_reader", "read_to_string")]
    pub async fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        bulk::read_to_string(self.evented(), buf).await
    }

    /// Reads the available bytes into `buf` without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("unix_reader", "try_read")]
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().try_receive(buf)
    }

    /// Reads into the free room that `buf` has in one piece, without waiting. For a `Vec` or a
    /// `BytesMut` that is its spare capacity.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are no bytes, or the OS error.
    #[doc = example!("unix_reader", "try_read_buf")]
    pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        bulk::try_read_buf(self.evented(), buf)
    }

    /// Reads the available bytes into several buffers without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("unix_reader", "try_read_vectored")]
    pub fn try_read_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.evented().try_receive_vectored(bufs)
    }

    /// Reads without consuming the bytes: the next read returns them again. Waits if there are
    /// none.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has happened.
    #[doc = example!("unix_reader", "peek")]
    pub async fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().peek(buf).await
    }

    /// Polls a [`peek`](Self::peek) into the free room that `buf` has in one piece, such as a `&mut
    /// [MaybeUninit<u8>]` or a `ReadBuf`, and returns the number of bytes added. Any number of
    /// tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`peek`](Self::peek).
    pub fn poll_peek<B: BufMut>(&self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<usize>> {
        self.evented().poll_peek(cx, buf)
    }

    /// Writes as much of `buf` as the OS takes and returns the number of bytes; waits if it takes
    /// none.
    ///
    /// Written means handed to the OS, not received by the peer.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("unix_writer", "write")]
    pub async fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.evented().send(buf).await
    }

    /// Writes as much of several buffers, in their order, as the OS takes in one call; otherwise
    /// like [`write`](Self::write).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing was written.
    #[doc = example!("unix_writer", "write_vectored")]
    pub async fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().send_vectored(bufs).await
    }

    /// Writes all of `buf`.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime was shut down. Some of `buf` may have been
    /// written.
    ///
    /// # Cancel safety
    ///
    /// None: if it is dropped before it is ready, it may have written some of `buf`.
    #[doc = example!("unix_writer", "write_all")]
    pub async fn write_all(&mut self, buf: &[u8]) -> io::Result<()> {
        bulk::write_all(self.evented(), buf).await
    }

    /// Does nothing, because written bytes are with the OS already. It exists so that code for
    /// buffered streams works here too.
    ///
    /// # Errors
    ///
    /// Returns no error.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("unix_writer", "flush")]
    pub async fn flush(&mut self) -> io::Result<()> {
        at_once::flush().await
    }

    /// Writes as much of `buf` as the OS takes without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("unix_writer", "try_write")]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().try_send(buf)
    }

    /// Writes as much of several buffers as the OS takes in one call, without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("unix_writer", "try_write_vectored")]
    pub fn try_write_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        self.evented().try_send_vectored(bufs)
    }

    /// Ends the writing direction: the peer reads the end of the stream after all written bytes.
    ///
    /// Ending it again, or after the connection has ended, is no error.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing has ended.
    #[doc = example!("unix_writer", "shutdown")]
    pub async fn shutdown(&mut self) -> io::Result<()> {
        at_once(|| self.end_writing()).await
    }

    /// Lends the two directions out separately, for use at the same time within one task.
    ///
    /// Dropping the halves changes nothing: the stream stays open in both directions.
    // The exclusive borrow keeps it to one reader and one writer.
    pub fn split(&mut self) -> (ReadHalf<'_>, WriteHalf<'_>) {
        halves::split(self)
    }

    /// Splits it into two halves that can go to different tasks.
    ///
    /// Dropping the write half ends the stream for the peer; see
    /// [`OwnedWriteHalf::forget`].
    #[must_use]
    pub fn into_split(self) -> (OwnedReadHalf, OwnedWriteHalf) {
        halves::split_owned(self)
    }

    /// Ends one or both directions at once.
    ///
    /// Unlike [`shutdown`](Self::shutdown) it takes any direction; ending one that the peer has
    /// ended before is an error on some systems.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_writer", "shutdown_with")]
    pub fn shutdown_with(&self, how: Shutdown) -> io::Result<()> {
        self.socket().shutdown(how)
    }

    pub(in crate::net) fn end_writing(&self) -> io::Result<()> {
        end_of_socket(|how| self.shutdown_with(how))
    }
}

impl TryFrom<net::UnixStream> for UnixStream {
    type Error = io::Error;

    /// Converts like [`UnixStream::from_std`].
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
born_connected!(UnixStream, kinds::UnixStream);
as_descriptor!(UnixStream);
reads!(UnixStream);
writes!(UnixStream);

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
