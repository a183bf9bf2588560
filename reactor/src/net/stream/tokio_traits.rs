//! The macros that implement `tokio::io`'s traits for a stream, a half of one or the end of a pipe.
//!
//! Reads go straight into the unfilled part of the caller's buffer, initialised or not. Vectored
//! writes are announced, so that encoders queue their pieces instead of copying them together.

use super::ends::{Peek, Receive};
use crate::evented::Evented;
use crate::interest::Interest;
use crate::net::tokio_buffer;
use std::io;
use std::mem::MaybeUninit;
use std::task::{Context, Poll};
use tokio::io::ReadBuf;

pub(in crate::net) fn poll_read<S: Receive>(
    io: &Evented<S>,
    cx: &mut Context<'_>,
    buf: &mut ReadBuf<'_>,
) -> Poll<io::Result<()>> {
    let receive = |unfilled: &mut [MaybeUninit<u8>]| io.poll_receive(cx, unfilled).map_ok(|count| (count, ()));
    // SAFETY: `poll_receive` initialises the bytes that it counts, and writes no others.
    unsafe { tokio_buffer::fill(buf, receive) }.map_ok(drop)
}

#[expect(private_bounds, reason = "the methods are this crate's own")]
impl<S: Peek> Evented<S> {
    pub(crate) fn poll_peek(&self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<usize>> {
        let peek = |unfilled: &mut [MaybeUninit<u8>]| {
            self.poll_io(Interest::READABLE, cx, |source| source.peek_uninit(unfilled)).map_ok(|count| (count, ()))
        };
        // SAFETY: a peek initialises the bytes that it counts, and writes no others.
        unsafe { tokio_buffer::fill(buf, peek) }.map_ok(|(count, ())| count)
    }
}

macro_rules! tokio_read {
    ($kind:ty) => {
        impl tokio::io::AsyncRead for $kind {
            fn poll_read(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &mut tokio::io::ReadBuf<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                $crate::net::stream::tokio_traits::poll_read(self.evented(), cx, buf)
            }
        }
    };
}

macro_rules! tokio_write {
    ($kind:ty) => {
        impl tokio::io::AsyncWrite for $kind {
            fn poll_write(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_flush(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                std::task::Poll::Ready(Ok(()))
            }

            fn poll_shutdown(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<std::io::Result<()>> {
                std::task::Poll::Ready(self.get_mut().end_writing())
            }

            fn poll_write_vectored(
                self: std::pin::Pin<&mut Self>,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    };
}

pub(in crate::net) use {tokio_read, tokio_write};
