//! The borrowed writing half of a TCP stream.

use super::super::stream::TcpStream;
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::at_once::{self, at_once};
use crate::net::kinds;
use crate::net::stream::bulk;
use crate::net::stream::writes;
use crate::ready::Ready;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::task::{Context, Poll};

/// Writes to a borrowed [`TcpStream`]; made by [`TcpStream::split`].
///
/// Dropping it leaves the stream open.
#[derive(Debug)]
pub struct WriteHalf<'a>(pub(super) &'a TcpStream);

impl WriteHalf<'_> {
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
    #[doc = example!("tcp_write_half", "write")]
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
    #[doc = example!("tcp_write_half", "write_vectored")]
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
    #[doc = example!("tcp_write_half", "write_all")]
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
    #[doc = example!("tcp_write_half", "flush")]
    pub async fn flush(&mut self) -> io::Result<()> {
        at_once::flush().await
    }

    /// Writes as much of `buf` as the OS takes without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("tcp_write_half", "try_write")]
    pub fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        self.evented().try_send(buf)
    }

    /// Writes as much of several buffers as the OS takes in one call, without waiting.
    ///
    /// # Errors
    ///
    /// Returns `WouldBlock` if the OS takes no bytes, or the OS error.
    #[doc = example!("tcp_write_half", "try_write_vectored")]
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
    #[doc = example!("tcp_write_half", "shutdown")]
    pub async fn shutdown(&mut self) -> io::Result<()> {
        at_once(|| self.end_writing()).await
    }

    /// Returns the peer's address.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_write_half", "writer_addresses")]
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.evented().get_ref().peer_addr()
    }

    /// Returns the address on this side.
    ///
    /// # Errors
    ///
    /// Returns the OS error.
    #[doc = example!("tcp_write_half", "writer_addresses")]
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.evented().get_ref().local_addr()
    }

    /// Waits until a write is worth trying. The write may still return `WouldBlock`.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    ///
    /// # Cancel safety
    ///
    /// If it is dropped before it is ready, nothing is lost.
    #[doc = example!("tcp_write_half", "writable")]
    pub async fn writable(&self) -> io::Result<()> {
        self.evented().ready(Interest::WRITABLE).await.map(drop)
    }

    /// Polls [`writable`](Self::writable). Any number of tasks may poll.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime was shut down.
    pub fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.evented().poll_ready(Interest::WRITABLE, cx).map_ok(drop)
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
    #[doc = example!("tcp_write_half", "ready_to_write")]
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

    pub(in crate::net) fn evented(&self) -> &Evented<kinds::TcpStream> {
        self.0.evented()
    }

    pub(in crate::net) fn end_writing(&self) -> io::Result<()> {
        self.0.end_writing()
    }
}

impl AsRef<TcpStream> for WriteHalf<'_> {
    fn as_ref(&self) -> &TcpStream {
        self.0
    }
}

writes!(WriteHalf<'_>);
