//! Unix: file descriptors.

use crate::net::unix::pipe;
use crate::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixDatagram, UnixListener, UnixStream};
use crate::sight::Address;
use socket2::{SockAddr, SockRef};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, RawFd};

/// How the system names what it has opened.
pub(crate) type RawDescriptor = RawFd;

pub(crate) fn raw(socket: &impl AsRawFd) -> RawDescriptor {
    socket.as_raw_fd()
}

/// Calls `f` with a socket that is somebody else's.
///
/// # Safety
///
/// It is open until this returns.
pub(crate) unsafe fn with_socket<R>(raw: RawDescriptor, f: impl FnOnce(&SockRef<'_>) -> R) -> R {
    // SAFETY: by the caller's promise.
    let descriptor = unsafe { BorrowedFd::borrow_raw(raw) };
    f(&SockRef::from(&descriptor))
}

/// The name of a Unix socket, if it has one.
pub(crate) fn unix_address(address: &SockAddr) -> Option<Address> {
    let path = address.as_pathname().map(|path| Address::Path(path.to_owned()));
    path.or_else(|| address.as_abstract_namespace().map(|name| Address::Abstract(name.to_owned())))
}

/// Whether an error of a non-blocking connect says that it goes on.
pub(in crate::net) fn is_in_progress(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EINPROGRESS)
}

macro_rules! descriptor {
    ($kind:ty) => {
        impl AsFd for $kind {
            fn as_fd(&self) -> BorrowedFd<'_> {
                self.socket().as_fd()
            }
        }

        impl AsRawFd for $kind {
            fn as_raw_fd(&self) -> RawFd {
                self.socket().as_raw_fd()
            }
        }
    };
}

descriptor!(TcpListener);
descriptor!(TcpSocket);
descriptor!(TcpStream);
descriptor!(UdpSocket);
descriptor!(UnixDatagram);
descriptor!(UnixListener);
descriptor!(UnixStream);
descriptor!(pipe::Receiver);
descriptor!(pipe::Sender);

impl FromRawFd for TcpSocket {
    /// Takes over a descriptor, which has to be a non-blocking TCP socket that neither listens nor
    /// is connected.
    unsafe fn from_raw_fd(descriptor: RawFd) -> TcpSocket {
        // SAFETY: by this function's contract the descriptor is open and the caller's to give away.
        TcpSocket::from_socket(unsafe { socket2::Socket::from_raw_fd(descriptor) })
    }
}

impl IntoRawFd for TcpSocket {
    fn into_raw_fd(self) -> RawFd {
        self.into_socket().into_raw_fd()
    }
}
