//! Windows: sockets.

use crate::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use std::os::windows::io::{AsRawSocket, AsSocket, BorrowedSocket, FromRawSocket, IntoRawSocket, RawSocket};

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
