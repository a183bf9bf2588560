//! The sending end of a pipe.

use super::ends::pipe_end_methods;
use crate::evented::Evented;
use crate::net::stream::methods::stream_write_methods;
use crate::net::stream::{Transmit, writes};
use crate::net::system::as_descriptor;
use crate::net::waits::wait_methods;
use std::io::{self, IoSlice, Write};
use std::task::{Context, Poll};

/// The sending end of a pipe, to which bytes are written. Created by [`pipe`](super::pipe) and
/// [`OpenOptions`](super::OpenOptions).
///
/// `Sender` implements the I/O traits of tokio (feature `tokio-io`, enabled by default), hyper, and
/// futures-io (features `hyper` and `futures-io`). The shutdown methods of these traits do nothing,
/// because a pipe ends only when its last sender is dropped.
#[derive(Debug)]
pub struct Sender {
    io: Evented<mio::unix::pipe::Sender>,
}

impl Sender {
    /// Attempts to write `buf`, and returns the number of bytes written. If the pipe is full,
    /// returns `Poll::Pending` and registers the current task to be woken.
    ///
    /// This method is meant for adapters that implement I/O traits; other code calls
    /// [`write`](Self::write).
    ///
    /// Only the waker of the most recent call is kept, so at most one task should poll at a time.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime has been shut down.
    pub fn poll_write(&mut self, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.evented().poll_send(cx, buf)
    }

    /// Attempts to write from several buffers, as [`poll_write`](Self::poll_write) does from one.
    /// Other code than adapters calls [`write_vectored`](Self::write_vectored).
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime has been shut down.
    pub fn poll_write_vectored(&mut self, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.evented().poll_send_vectored(cx, bufs)
    }
}

pipe_end_methods!(Sender, Sending, WRITABLE, "pipe_writer", "pipe_fd", "ready_to_write");
stream_write_methods!(Sender, "pipe_writer", "read by the receiver");
wait_methods!(Sender, writable, poll_write_ready, WRITABLE, "write", "pipe_writer", "writable");
as_descriptor!(Sender);
writes!(Sender);

impl Sender {
    /// There is nothing but dropping it.
    pub(crate) fn end_writing(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transmit for mio::unix::pipe::Sender {
    /// Pipes count in pages, each system in its own way: the rest may fit nevertheless.
    const SHORT_WRITE_DRAINS: bool = false;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(buf)
    }

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&mut &*self).write_vectored(bufs)
    }
}
