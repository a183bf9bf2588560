//! The ends of byte streams: the system calls of each kind of descriptor, each attempted once, and
//! whether a short transfer proves that the direction is drained.

use socket2::SockRef;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;

/// A descriptor that bytes are read from.
pub(crate) trait Receive: mio::event::Source {
    /// True if a read that returns at least one byte, and fewer than it asked for, proves that no
    /// more are available.
    const SHORT_READ_DRAINS: bool;

    /// Reads into memory that need not be initialised, and initialises the bytes it counts.
    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize>;

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize>;

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize>;
}

/// A descriptor whose bytes can be read without consuming them.
pub(crate) trait Peek: Receive {
    /// Reads without consuming, and initialises the bytes it counts.
    fn peek_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize>;
}

/// A descriptor that bytes are written to.
pub(crate) trait Transmit: mio::event::Source {
    /// True if a write that takes at least one byte, and fewer than it was given, proves that there
    /// is no more room.
    const SHORT_WRITE_DRAINS: bool;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize>;

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize>;
}

/// A connected stream socket of mio's. Its system calls are the same for each kind, so they are
/// implemented once, for all of them.
///
/// Not every kind lets a short transfer prove anything: a Unix stream ends a read at a message that
/// came with descriptors, even if more bytes follow.
pub(crate) trait StreamSocket: mio::event::Source {
    /// [`Receive::SHORT_READ_DRAINS`] of this kind.
    const SHORT_READ_DRAINS: bool;
    /// [`Transmit::SHORT_WRITE_DRAINS`] of this kind.
    const SHORT_WRITE_DRAINS: bool;

    /// Runs a system call the way mio requires.
    fn attempt<R>(&self, call: impl FnOnce() -> io::Result<R>) -> io::Result<R>;
}

impl<S: StreamSocket> Receive for S
where
    for<'a> &'a S: Read,
    for<'a> SockRef<'a>: From<&'a S>,
{
    const SHORT_READ_DRAINS: bool = <S as StreamSocket>::SHORT_READ_DRAINS;

    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        self.attempt(|| SockRef::from(self).recv(buf))
    }

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
        (&mut &*self).read(buf)
    }

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&mut &*self).read_vectored(bufs)
    }
}

impl<S: StreamSocket> Peek for S
where
    for<'a> &'a S: Read,
    for<'a> SockRef<'a>: From<&'a S>,
{
    fn peek_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
        self.attempt(|| SockRef::from(self).peek(buf))
    }
}

impl<S: StreamSocket> Transmit for S
where
    for<'a> &'a S: Write,
{
    const SHORT_WRITE_DRAINS: bool = <S as StreamSocket>::SHORT_WRITE_DRAINS;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(buf)
    }

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        (&mut &*self).write_vectored(bufs)
    }
}
