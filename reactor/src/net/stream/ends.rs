//! What a kind of descriptor tells about itself, so that bytes can be moved through it: the system
//! calls, each tried once, and what a short one proves.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// Something that bytes come out of.
pub(crate) trait Receive: mio::event::Source {
    /// Whether a read that brings fewer bytes than it asked for, and some, proves that no more are
    /// there.
    const SHORT_READ_DRAINS: bool;

    /// Reads into memory that need not be initialised. The bytes counted are.
    fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize>;

    fn receive(&self, buf: &mut [u8]) -> io::Result<usize>;

    fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize>;
}

/// Something whose bytes can be looked at without taking them out.
pub(crate) trait Peek: Receive {
    /// Reads without taking out. The bytes counted are initialised.
    fn peek_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize>;
}

/// Something that bytes go into.
pub(crate) trait Transmit: mio::event::Source {
    /// Whether a write that took fewer bytes than it was given, and some, proves that there is no
    /// more room.
    const SHORT_WRITE_DRAINS: bool;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize>;

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize>;
}

/// The calls of a stream socket of mio's, which are the same for each kind.
///
/// Not every kind lets a short transfer prove anything: a Unix stream ends a read at a message that
/// came with descriptors, whatever is behind it.
macro_rules! stream_socket {
    ($socket:ty, short read drains: $read:expr, short write drains: $write:expr) => {
        impl $crate::net::stream::Receive for $socket {
            const SHORT_READ_DRAINS: bool = $read;

            fn receive_uninit(&self, buf: &mut [std::mem::MaybeUninit<u8>]) -> std::io::Result<usize> {
                self.try_io(|| socket2::SockRef::from(self).recv(buf))
            }

            fn receive(&self, buf: &mut [u8]) -> std::io::Result<usize> {
                std::io::Read::read(&mut &*self, buf)
            }

            fn receive_vectored(&self, bufs: &mut [std::io::IoSliceMut<'_>]) -> std::io::Result<usize> {
                std::io::Read::read_vectored(&mut &*self, bufs)
            }
        }

        impl $crate::net::stream::Peek for $socket {
            fn peek_uninit(&self, buf: &mut [std::mem::MaybeUninit<u8>]) -> std::io::Result<usize> {
                self.try_io(|| socket2::SockRef::from(self).peek(buf))
            }
        }

        impl $crate::net::stream::Transmit for $socket {
            const SHORT_WRITE_DRAINS: bool = $write;

            fn transmit(&self, buf: &[u8]) -> std::io::Result<usize> {
                std::io::Write::write(&mut &*self, buf)
            }

            fn transmit_vectored(&self, bufs: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
                std::io::Write::write_vectored(&mut &*self, bufs)
            }
        }
    };
}

pub(in crate::net) use stream_socket;
