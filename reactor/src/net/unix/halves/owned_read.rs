//! The owned reading half of a Unix stream.

use super::super::SocketAddr;
use super::super::stream::UnixStream;
use super::{OwnedWriteHalf, ReuniteError};
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::kinds;
use crate::net::stream::bulk;
use crate::net::stream::reads;
use crate::ready::Ready;
use bytes::BufMut;
use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::task::{Context, Poll};

/// Reads from a [`UnixStream`]; made by [`UnixStream::into_split`].
#[derive(Debug)]
pub struct OwnedReadHalf {
    pub(super) stream: Arc<UnixStream>,
}

impl OwnedReadHalf {
    /// Puts the stream together again.
    ///
    /// # Errors
    ///
    /// Returns both halves if they come from different streams.
    #[doc = example!("unix_owned_reader", "reunite_reader")]
    pub fn reunite(self, write: OwnedWriteHalf) -> Result<UnixStream, ReuniteError> {
        if !Arc::ptr_eq(&self.stream, &write.stream) {
            return Err(ReuniteError(self, write));
        }
        write.forget();
        Ok(Arc::into_inner(self.stream).expect("two halves hold a stream, and the other one is gone"))
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
    #[doc = example!("unix_owned_reader", "read")]
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
    #[doc = example!("unix_owned_reader", "read_vectored")]
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
    #[doc = example!("unix_owned_reader", "read_exact")]
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
    #[doc = example!("unix_owned_reader", "read_to_end")]
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
    #[doc = example!("unix_owned_reader", "read_to_string")]
    pub async fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        bulk::read_to_string(self.evented(), buf).await
    }

    /// Reads the available bytes into `buf` without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("unix_owned_reader", "try_read")]
    pub fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        self.evented().try_receive(buf)
    }

    /// Reads into the free room that `buf` has in one piece, without waiting. For a `Vec` or a
    /// `BytesMut` that is its spare capacity.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are no bytes, or the OS error.
    #[doc = example!("unix_owned_reader", "try_read_buf")]
    pub fn try_read_buf<B: BufMut>(&self, buf: &mut B) -> io::Result<usize> {
        bulk::try_read_buf(self.evented(), buf)
    }

    /// Reads the available bytes into several buffers without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if there are none, or the OS error.
    #[doc = example!("unix_owned_reader", "try_read_vectored")]
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
    #[doc = example!("unix_owned_reader", "peek")]
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

    /// Returns the peer's address.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_owned_reader", "unix_reader_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.as_ref().peer_addr()
    }

    /// Returns the address on this side.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("unix_owned_reader", "unix_reader_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.as_ref().local_addr()
    }

    /// Waits until a read is worth trying. The read may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("unix_owned_reader", "readable")]
    pub async fn readable(&self) -> io::Result<()> {
        self.evented().ready(Interest::READABLE).await.map(drop)
    }

    /// Polls [`readable`](Self::readable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_read_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::READABLE, cx).map_ok(drop)
    }

    /// Waits until one of the directions in `interest` is worth trying, and returns the conditions
    /// that hold.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("unix_owned_reader", "ready_to_read")]
    pub async fn ready(&self, interest: Interest) -> io::Result<Ready> {
        self.evented().ready(interest).await
    }

    /// Runs the caller's operation on the socket, once, if it is worth trying; otherwise
    /// returns `WouldBlock` without running it.
    ///
    /// If `operation` returns `WouldBlock`, the directions in `interest` count as drained until the
    /// next event. So it must return that only if the OS did.
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, `WouldBlock`, or an error if the runtime was shut down.
    pub fn try_io<R>(&self, interest: Interest, operation: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
        self.evented().try_io(interest, |socket| socket.try_io(operation))
    }

    /// Runs the caller's operation on the socket until it returns anything but
    /// `WouldBlock`, waiting in between.
    ///
    /// `operation` must keep to the rule of [`try_io`](Self::try_io).
    ///
    /// # Errors
    ///
    /// Returns the error of `operation`, or an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, `operation` has not succeeded: nothing is lost.
    pub async fn async_io<R>(&self, interest: Interest, mut operation: impl FnMut() -> io::Result<R>) -> io::Result<R> {
        self.evented().io(interest, |socket| socket.try_io(&mut operation)).await
    }

    pub(in crate::net) fn evented(&self) -> &Evented<kinds::UnixStream> {
        self.stream.evented()
    }
}

impl AsRef<UnixStream> for OwnedReadHalf {
    fn as_ref(&self) -> &UnixStream {
        &self.stream
    }
}

reads!(OwnedReadHalf);
