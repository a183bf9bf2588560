//! The receiving end.

use super::descriptor::{PipeEnd, pipe_end};
use crate::evented::Evented;
use crate::net::stream::Receive;
use std::io::{self, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

/// Reads from a pipe; made by [`pipe`](super::pipe) and [`OpenOptions`](super::OpenOptions).
///
/// It implements `tokio::io::AsyncRead`, and with the features `hyper` and `futures-io` their
/// traits.
#[derive(Debug)]
pub struct Receiver {
    io: Evented<mio::unix::pipe::Receiver>,
}

pipe_end!(Receiver, PipeEnd::Receiving, mio::unix::pipe::Receiver);

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
