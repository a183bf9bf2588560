//! The doors for a further family of I/O traits, of a crate that this one does not know: the poll
//! of each kind of transfer as a trait, so that a macro over there is written once for all streams.

use std::io::{self, IoSlice};
use std::task::{Context, Poll};

/// A stream, a half of one, or the end of a pipe, that can be read from.
pub trait PollRead {
    /// Polls a read on behalf of the one reader, into the free room that `buf` has in one piece,
    /// and returns the number of bytes added.
    fn poll_receive<B: bytes::BufMut>(&mut self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<usize>>;
}

/// A stream, a half of one, or the end of a pipe, that can be written to.
pub trait PollWrite {
    /// Polls a write on behalf of the one writer.
    fn poll_send(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Polls a write of several buffers on behalf of the one writer.
    fn poll_send_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>>;

    /// Ends the writing direction, if it has not ended already.
    fn end(&mut self) -> io::Result<()>;
}

macro_rules! door_to_read {
    ($kind:ty) => {
        impl $crate::net::stream::doors::PollRead for $kind {
            fn poll_receive<B: bytes::BufMut>(
                &mut self,
                cx: &mut std::task::Context<'_>,
                buf: &mut B,
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_receive_buf(cx, buf)
            }
        }
    };
}

macro_rules! door_to_write {
    ($kind:ty) => {
        impl $crate::net::stream::doors::PollWrite for $kind {
            fn poll_send(
                &mut self,
                cx: &mut std::task::Context<'_>,
                buf: &[u8],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send(cx, buf)
            }

            fn poll_send_vectored(
                &mut self,
                cx: &mut std::task::Context<'_>,
                bufs: &[std::io::IoSlice<'_>],
            ) -> std::task::Poll<std::io::Result<usize>> {
                self.evented().poll_send_vectored(cx, bufs)
            }

            fn end(&mut self) -> std::io::Result<()> {
                self.end_writing()
            }
        }
    };
}

pub(in crate::net) use {door_to_read, door_to_write};
