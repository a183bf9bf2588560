//! Implements the I/O traits for wsrt's streams, by calling the poll methods of these streams.

use crate::io::ReadBuf;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Poll, ready};

/// Lets `poll` fill the free part of `buf`.
///
/// # Safety
///
/// `poll` must write only initialized bytes, and the value it returns must be the number of bytes
/// written, starting with the first.
pub(crate) unsafe fn fill(
    buf: &mut ReadBuf<'_>,
    poll: impl FnOnce(&mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>>,
) -> Poll<io::Result<()>> {
    // SAFETY: `poll` writes initialized bytes only.
    let room = unsafe { buf.unfilled_mut() };
    let count = ready!(poll(room))?;
    // SAFETY: `poll` has written these bytes.
    unsafe { buf.assume_init(count) };
    buf.advance(count);
    Poll::Ready(Ok(()))
}

/// Implements `AsyncRead` for a wsrt stream that has a method `poll_read`.
macro_rules! read_through_door {
    ($($stream:ty),*) => {$(
        impl $crate::io::AsyncRead for $stream {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &mut $crate::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                let stream = self.get_mut();
                // SAFETY: `poll_read` promises both.
                unsafe { $crate::io::door::fill(buf, |room| <$stream>::poll_read(stream, cx, room)) }
            }
        }
    )*};
}

/// Implements `AsyncWrite` for a wsrt stream that has the methods `poll_write`,
/// `poll_write_vectored` and `poll_flush`. Shutting the stream down flushes it.
#[cfg(any(feature = "fs", feature = "io-std"))]
macro_rules! write_through_door {
    ($($stream:ty),*) => {$(
        impl $crate::io::AsyncWrite for $stream {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                <$stream>::poll_write(self.get_mut(), cx, buf)
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                <$stream>::poll_write_vectored(self.get_mut(), cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                <$stream>::poll_flush(self.get_mut(), cx)
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                <$stream>::poll_flush(self.get_mut(), cx)
            }
        }
    )*};
}

pub(crate) use read_through_door;
#[cfg(any(feature = "fs", feature = "io-std"))]
pub(crate) use write_through_door;
