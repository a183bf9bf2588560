//! Windows: sockets.

use crate::net::TcpSocket;
use std::os::windows::io::{FromRawSocket, IntoRawSocket, RawSocket};

/// Implements the traits that lend the socket of `$kind`, which has a method `socket`.
macro_rules! as_descriptor {
    ($kind:ty) => {
        impl std::os::windows::io::AsSocket for $kind {
            fn as_socket(&self) -> std::os::windows::io::BorrowedSocket<'_> {
                std::os::windows::io::AsSocket::as_socket(self.socket())
            }
        }

        impl std::os::windows::io::AsRawSocket for $kind {
            fn as_raw_socket(&self) -> std::os::windows::io::RawSocket {
                std::os::windows::io::AsRawSocket::as_raw_socket(self.socket())
            }
        }
    };
}

pub(in crate::net) use as_descriptor;

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
