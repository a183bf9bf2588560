//! Windows: sockets.

use crate::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use crate::sight::Address;
use socket2::{SockAddr, SockRef};
use std::io;
use std::os::windows::io::{AsRawSocket, AsSocket, BorrowedSocket, FromRawSocket, IntoRawSocket, RawSocket};

/// How the system names what it has opened.
pub(crate) type RawDescriptor = RawSocket;

pub(crate) fn raw(socket: &impl AsRawSocket) -> RawDescriptor {
    socket.as_raw_socket()
}

/// Calls `f` with a socket that is somebody else's.
///
/// # Safety
///
/// It is open until this returns.
pub(crate) unsafe fn with_socket<R>(raw: RawDescriptor, f: impl FnOnce(&SockRef<'_>) -> R) -> R {
    // SAFETY: by the caller's promise.
    let socket = unsafe { BorrowedSocket::borrow_raw(raw) };
    f(&SockRef::from(&socket))
}

/// Unix sockets are not among those that can be waited for here.
pub(crate) fn unix_address(_: &SockAddr) -> Option<Address> {
    None
}

/// Whether an error of a non-blocking connect says that it goes on.
pub(in crate::net) fn is_in_progress(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

macro_rules! descriptor {
    ($kind:ty) => {
        impl AsSocket for $kind {
            fn as_socket(&self) -> BorrowedSocket<'_> {
                self.socket().as_socket()
            }
        }

        impl AsRawSocket for $kind {
            fn as_raw_socket(&self) -> RawSocket {
                self.socket().as_raw_socket()
            }
        }
    };
}

descriptor!(TcpListener);
descriptor!(TcpSocket);
descriptor!(TcpStream);
descriptor!(UdpSocket);

impl FromRawSocket for TcpSocket {
    /// Takes over a socket, which has to be a non-blocking TCP socket that neither listens nor is
    /// connected.
    unsafe fn from_raw_socket(socket: RawSocket) -> TcpSocket {
        // SAFETY: by this function's contract the socket is open and the caller's to give away.
        TcpSocket::from_socket(unsafe { socket2::Socket::from_raw_socket(socket) })
    }
}

impl IntoRawSocket for TcpSocket {
    fn into_raw_socket(self) -> RawSocket {
        self.into_socket().into_raw_socket()
    }
}
