//! What a kind of descriptor tells about itself, so that bytes can be moved through it: the system calls, each tried once,
//! and what a short one proves.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::Shutdown;

/// Something that bytes come out of.
pub(crate) trait Receive: mio::event::Source {
    /// Whether a read that brings fewer bytes than it asked for, and some, proves that no more are there.
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
    /// Whether a write that took fewer bytes than it was given, and some, proves that there is no more room.
    const SHORT_WRITE_DRAINS: bool;

    fn transmit(&self, buf: &[u8]) -> io::Result<usize>;

    fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize>;
}

/// The calls of a stream socket of mio's, which are the same for each kind.
macro_rules! stream_socket {
    ($socket:ty, short read drains: $read:expr, short write drains: $write:expr) => {
        impl Receive for $socket {
            const SHORT_READ_DRAINS: bool = $read;

            fn receive_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
                self.try_io(|| socket2::SockRef::from(self).recv(buf))
            }

            fn receive(&self, buf: &mut [u8]) -> io::Result<usize> {
                io::Read::read(&mut &*self, buf)
            }

            fn receive_vectored(&self, bufs: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
                io::Read::read_vectored(&mut &*self, bufs)
            }
        }

        impl Peek for $socket {
            fn peek_uninit(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<usize> {
                self.try_io(|| socket2::SockRef::from(self).peek(buf))
            }
        }

        impl Transmit for $socket {
            const SHORT_WRITE_DRAINS: bool = $write;

            fn transmit(&self, buf: &[u8]) -> io::Result<usize> {
                io::Write::write(&mut &*self, buf)
            }

            fn transmit_vectored(&self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
                io::Write::write_vectored(&mut &*self, bufs)
            }
        }
    };
}

stream_socket!(mio::net::TcpStream, short read drains: true, short write drains: true);

/// What came of ending the writing direction of a socket. That it has ended already is what was wanted: some systems call
/// it an error.
pub(crate) fn end_of_socket(shutdown: impl FnOnce(Shutdown) -> io::Result<()>) -> io::Result<()> {
    match shutdown(Shutdown::Write) {
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
        outcome => outcome,
    }
}
