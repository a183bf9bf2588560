//! `tokio::io`'s traits on the stream and its halves.
//!
//! Reads go straight into the unfilled part of the caller's buffer, initialised or not. Vectored writes are announced,
//! so that encoders queue their pieces instead of copying them together.

use super::{OwnedReadHalf, OwnedWriteHalf, ReadHalf, TcpStream, WriteHalf};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

fn poll_read(stream: &TcpStream, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
    // SAFETY: `poll_receive` writes initialised bytes only, so nothing initialised is made uninitialised.
    let unfilled = unsafe { buf.unfilled_mut() };
    let count = ready!(stream.poll_receive(cx, unfilled))?;
    // SAFETY: `poll_receive` initialised the first `count` bytes of the unfilled part.
    unsafe { buf.assume_init(count) };
    buf.advance(count);
    Poll::Ready(Ok(()))
}

macro_rules! tokio_read {
    ($kind:ty) => {
        impl AsyncRead for $kind {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                poll_read(self.stream(), cx, buf)
            }
        }
    };
}

macro_rules! tokio_write {
    ($kind:ty) => {
        impl AsyncWrite for $kind {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.stream().poll_send(cx, buf)
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(self.get_mut().end_writing())
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.stream().poll_send_vectored(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    };
}

tokio_read!(TcpStream);
tokio_read!(ReadHalf<'_>);
tokio_read!(OwnedReadHalf);
tokio_write!(TcpStream);
tokio_write!(WriteHalf<'_>);
tokio_write!(OwnedWriteHalf);
