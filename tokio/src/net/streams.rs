//! Reading from and writing to the reactor's streams.

use crate::io::{AsyncRead, AsyncWrite, ReadBuf};
use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use wsrt::net::{TcpStream, UnixStream, tcp, unix};
use wsrt_sync::budget;

/// Tries an operation, and waits for the reactor's report while there is nothing to do.
///
/// Trying first costs no system call where the reactor knows better, and saves waiting for a report
/// that an accepted socket has not had yet.
fn poll_io<R>(
    cx: &mut Context<'_>,
    mut poll_ready: impl FnMut(&mut Context<'_>) -> Poll<io::Result<()>>,
    mut attempt: impl FnMut() -> io::Result<R>,
) -> Poll<io::Result<R>> {
    ready!(budget::poll_proceed(cx));
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => ready!(poll_ready(cx))?,
            answer => {
                budget::spend();
                return Poll::Ready(answer);
            }
        }
    }
}

macro_rules! read {
    ($($stream:ty),*) => {$(
        impl AsyncRead for $stream {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                if buf.remaining() == 0 {
                    return Poll::Ready(Ok(()));
                }
                poll_io(cx, |cx| self.poll_read_ready(cx), || self.try_read_buf(buf).map(drop))
            }
        }
    )*};
}

macro_rules! write {
    ($($stream:ty, $shutdown:expr;)*) => {$(
        impl AsyncWrite for $stream {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                poll_io(cx, |cx| self.poll_write_ready(cx), || self.try_write(buf))
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                poll_io(cx, |cx| self.poll_write_ready(cx), || self.try_write_vectored(bufs))
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                // It is ready at once: ending the writing waits for nothing.
                let shutdown: fn(&mut Self, &mut Context<'_>) -> Poll<io::Result<()>> = $shutdown;
                shutdown(self.get_mut(), cx)
            }
        }
    )*};
}

read!(TcpStream, tcp::ReadHalf<'_>, tcp::OwnedReadHalf);
read!(UnixStream, unix::ReadHalf<'_>, unix::OwnedReadHalf, unix::pipe::Receiver);
write! {
    TcpStream, |stream, cx| pin!(stream.shutdown()).poll(cx);
    tcp::WriteHalf<'_>, |half, cx| pin!(half.shutdown()).poll(cx);
    tcp::OwnedWriteHalf, |half, cx| pin!(half.shutdown()).poll(cx);
    UnixStream, |stream, cx| pin!(stream.shutdown()).poll(cx);
    unix::WriteHalf<'_>, |half, cx| pin!(half.shutdown()).poll(cx);
    unix::OwnedWriteHalf, |half, cx| pin!(half.shutdown()).poll(cx);
    unix::pipe::Sender, |_, _| Poll::Ready(Ok(()));
}
