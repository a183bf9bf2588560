//! The receiving end of a pipe.

use super::ends::pipe_end_methods;
use crate::evented::Evented;
use crate::net::stream::methods::stream_read_methods;
use crate::net::stream::{Receive, reads};
use crate::net::system::as_descriptor;
use crate::net::waits::wait_methods;
use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::task::{Context, Poll};

/// The receiving end of a pipe, from which bytes are read. Created by [`pipe`](super::pipe) and
/// [`OpenOptions`](super::OpenOptions).
///
/// `Receiver` implements the I/O traits of tokio (feature `tokio-io`, enabled by default), hyper,
/// and futures-io (features `hyper` and `futures-io`).
#[derive(Debug)]
pub struct Receiver {
    io: Evented<mio::unix::pipe::Receiver>,
}

impl Receiver {
    /// Attempts to read into `buf`, which need not be initialised, and returns the number of bytes
    /// read. Exactly this many bytes at the start of `buf` are then initialised; the rest of `buf`
    /// is untouched. If no bytes are available, returns `Poll::Pending` and registers the current
    /// task to be woken.
    ///
    /// This method is meant for adapters that implement I/O traits; other code calls
    /// [`read`](Self::read).
    ///
    /// Only the waker of the most recent call is kept, so at most one task should poll at a time.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or an error if the runtime has been shut down.
    pub fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [MaybeUninit<u8>]) -> Poll<io::Result<usize>> {
        self.evented().poll_receive(cx, buf)
    }
}

pipe_end_methods!(Receiver, Receiving, READABLE, "pipe_reader", "pipe_reader_fd", "ready_to_read");
stream_read_methods!(Receiver, "pipe_reader", "every sender has closed the pipe");
wait_methods!(Receiver, readable, poll_read_ready, READABLE, "read", "pipe_reader", "readable");
as_descriptor!(Receiver);
reads!(Receiver);

impl Receive for mio::unix::pipe::Receiver {
    /// A pipe in packet mode (`O_DIRECT`) ends each read where a write ended.
    const SHORT_READ_DRAINS: bool = false;

    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        // SAFETY: the descriptor is open, its owner being borrowed, and `buf` is memory of that
        // length that may be written.
        let count = unsafe { libc::read(self.as_raw_fd(), buf.as_mut_ptr().cast(), buf.len()) };
        // Negative is the one answer that is no count.
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        (&mut &*self).read(buf)
    }

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&mut &*self).read_vectored(bufs)
    }
}
