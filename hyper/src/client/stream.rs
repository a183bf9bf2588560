//! `ClientStream`: a TCP connection that implements the trait which the pool requires.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use wsrt::net::TcpStream;

/// A connection of the [`client`](super::client()): a [`TcpStream`] that also implements
/// hyper-util's `Connection` trait.
///
/// After an HTTP upgrade, hyper's `Upgraded::downcast` returns this type.
#[derive(Debug)]
pub struct ClientStream {
    stream: TcpStream,
}

impl ClientStream {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream }
    }

    /// Returns a reference to the underlying TCP stream.
    #[must_use]
    pub fn get_ref(&self) -> &TcpStream {
        &self.stream
    }

    /// Consumes the connection and returns the underlying TCP stream.
    #[must_use]
    pub fn into_inner(self) -> TcpStream {
        self.stream
    }

    fn inner(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Connection for ClientStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for ClientStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Read::poll_read(self.inner(), cx, buf)
    }
}

impl Write for ClientStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Write::poll_write(self.inner(), cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Write::poll_flush(self.inner(), cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Write::poll_shutdown(self.inner(), cx)
    }

    fn is_write_vectored(&self) -> bool {
        Write::is_write_vectored(&self.stream)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Write::poll_write_vectored(self.inner(), cx, bufs)
    }
}
