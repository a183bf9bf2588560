//! `tokio::io`'s traits on the stream and its halves.
//!
//! Reads go straight into the unfilled part of the caller's buffer, initialised or not. Vectored
//! writes are announced, so that encoders queue their pieces instead of copying them together.

use super::ends::Receive;
use crate::evented::Evented;
use crate::net::buffers;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

fn poll_read<S: Receive>(io: &Evented<S>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
    let receive = |unfilled: &mut [MaybeUninit<u8>]| io.poll_receive(cx, unfilled).map_ok(|count| (count, ()));
    // SAFETY: `poll_receive` initialises the bytes that it counts, and writes no others.
    unsafe { buffers::fill(buf, receive) }.map_ok(drop)
}

macro_rules! tokio_read {
    ($kind:ty) => {
        impl AsyncRead for $kind {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                poll_read(self.evented(), cx, buf)
            }
        }
    };
}

macro_rules! tokio_write {
    ($kind:ty) => {
        impl AsyncWrite for $kind {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.evented().poll_send(cx, buf)
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
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn is_write_vectored(&self) -> bool {
                true
            }
        }
    };
}

for_each_reader!(tokio_read);
for_each_writer!(tokio_write);
