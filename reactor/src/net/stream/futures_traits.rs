//! `futures-io`'s traits on whatever reads and writes: the twin of `tokio_traits.rs`, with plain
//! slices for buffers.

use futures_io::{AsyncRead, AsyncWrite};
use std::io::{self, IoSlice, IoSliceMut};
use std::pin::Pin;
use std::task::{Context, Poll};

macro_rules! futures_read {
    ($kind:ty) => {
        impl AsyncRead for $kind {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
                self.evented().poll_receive_into_slice(cx, buf)
            }

            fn poll_read_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &mut [IoSliceMut<'_>],
            ) -> Poll<io::Result<usize>> {
                self.evented().poll_receive_vectored(cx, bufs)
            }
        }
    };
}

macro_rules! futures_write {
    ($kind:ty) => {
        impl AsyncWrite for $kind {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(self.get_mut().end_writing())
            }
        }
    };
}

for_each_reader!(futures_read);
for_each_writer!(futures_write);
