//! The macros that implement hyper's I/O traits: the twin of `tokio_traits.rs`, with hyper's kind
//! of buffer.

use super::ends::Receive;
use crate::evented::Evented;
use hyper::rt::ReadBufCursor;
use std::io;
use std::task::{Context, Poll, ready};

pub(in crate::net) fn poll_read<S: Receive>(
    io: &Evented<S>,
    cx: &mut Context<'_>,
    mut cursor: ReadBufCursor<'_>,
) -> Poll<io::Result<()>> {
    // SAFETY: `poll_receive` writes initialised bytes only, so nothing initialised is made
    // uninitialised.
    let unfilled = unsafe { cursor.as_mut() };
    let count = ready!(io.poll_receive(cx, unfilled))?;
    // SAFETY: `poll_receive` initialised the first `count` bytes of the unfilled part.
    unsafe { cursor.advance(count) };
    Poll::Ready(Ok(()))
}

macro_rules! hyper_read {
    ($kind:ty) => {
        impl hyper::rt::Read for $kind {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                cursor: hyper::rt::ReadBufCursor<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::stream::hyper_traits::poll_read(self.evented(), cx, cursor)
            }
        }
    };
}

macro_rules! hyper_write {
    ($kind:ty) => {
        impl hyper::rt::Write for $kind {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_flush(cx)
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::at_once::poll_at_once(cx, || self.get_mut().end_writing())
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }
        }
    };
}

pub(in crate::net) use {hyper_read, hyper_write};
