//! Traits for implementing a further family of I/O traits, from a crate that this crate does not
//! know.
//!
//! Each kind of transfer is a trait here, so that a macro in the other crate is written once for
//! all streams.

use std::io::{self, IoSlice};
use std::task::{Context, Poll};

/// A type from which bytes can be read: a stream, the read half of a stream, or a pipe's receiver.
pub trait PollRead {
    /// Attempts to read into the first contiguous free part of `buf`, and returns the number of
    /// bytes added. Only the waker of the last call is kept, so only one task may read at a time.
    fn poll_receive<B: bytes::BufMut>(&mut self, cx: &mut Context<'_>, buf: &mut B) -> Poll<io::Result<usize>>;
}

/// A type to which bytes can be written: a stream, the write half of a stream, or a pipe's sender.
pub trait PollWrite {
    /// Attempts to write `buf`, and returns the number of bytes written. Only the waker of the last
    /// call is kept, so only one task may write at a time.
    fn poll_send(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>>;

    /// Attempts to write from several buffers, in order, and returns the total number of bytes
    /// written. Only the waker of the last call is kept, so only one task may write at a time.
    fn poll_send_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>>;

    /// Shuts down the writing direction. Does nothing if the direction has been shut down before.
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
