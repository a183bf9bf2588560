//! The sending end.

use super::descriptor::{PipeEnd, pipe_end};
use crate::evented::Evented;
use crate::net::stream::Transmit;
use std::io::{self, IoSlice, Write};

/// Writes to a pipe; made by [`pipe`](super::pipe) and [`OpenOptions`](super::OpenOptions).
///
/// It implements `tokio::io::AsyncWrite`, and with the features `hyper` and `futures-io` their
/// traits. Shutting it down through them does nothing: a pipe ends when its last sender is dropped.
#[derive(Debug)]
pub struct Sender {
    io: Evented<mio::unix::pipe::Sender>,
}

pipe_end!(Sender, PipeEnd::Sending, mio::unix::pipe::Sender);

impl Sender {
    /// There is nothing but dropping it.
    pub(crate) fn end_writing(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transmit for mio::unix::pipe::Sender {
    /// Pipes count in pages, each system in its own way: what was left over may fit nevertheless.
    const SHORT_WRITE_DRAINS: bool = false;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(buf)
    }

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&mut &*self).write_vectored(bufs)
    }
}
