//! Implements tokio's I/O traits for the reactor's streams.

use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use wsrt::net::doors::{PollRead, PollWrite};
use wsrt::net::{TcpStream, UnixStream, tcp, unix};

macro_rules! read {
    ($($stream:ty),*) => {$(
        impl AsyncRead for $stream {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                self.get_mut().poll_receive(cx, buf).map_ok(drop)
            }
        }
    )*};
}

macro_rules! write {
    ($($stream:ty),*) => {$(
        impl AsyncWrite for $stream {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.get_mut().poll_send(cx, buf)
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.get_mut().poll_send_vectored(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                // It waits for nothing.
                Poll::Ready(self.get_mut().end())
            }
        }
    )*};
}

read!(TcpStream, tcp::ReadHalf<'_>, tcp::OwnedReadHalf);
read!(UnixStream, unix::ReadHalf<'_>, unix::OwnedReadHalf, unix::pipe::Receiver);
write!(TcpStream, tcp::WriteHalf<'_>, tcp::OwnedWriteHalf);
write!(UnixStream, unix::WriteHalf<'_>, unix::OwnedWriteHalf, unix::pipe::Sender);
