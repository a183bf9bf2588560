//! hyper's I/O traits on the stream and its halves: the twin of `tokio_traits.rs`, with hyper's
//! kind of buffer.

use super::ends::Receive;
use crate::evented::Evented;
use hyper::rt::{Read, ReadBufCursor, Write};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

fn poll_read<S: Receive>(io: &Evented<S>, cx: &mut Context<'_>, mut cursor: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
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
        impl Read for $kind {
            fn poll_read(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                cursor: ReadBufCursor<'_>,
            ) -> Poll<io::Result<()>> {
                poll_read(self.evented(), cx, cursor)
            }
        }
    };
}

macro_rules! hyper_write {
    ($kind:ty) => {
        impl Write for $kind {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(Ok(()))
            }

            fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
                Poll::Ready(self.get_mut().end_writing())
            }

            fn is_write_vectored(&self) -> bool {
                true
            }

            fn poll_write_vectored(
                self: Pin<&mut Self>,
                cx: &mut Context<'_>,
                bufs: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }
        }
    };
}

for_each_reader!(hyper_read);
for_each_writer!(hyper_write);
