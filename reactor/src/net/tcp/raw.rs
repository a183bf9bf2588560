//! Conversions between a `TcpSocket` and a raw descriptor of the OS.

use super::socket::TcpSocket;
#[cfg(unix)]
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{FromRawSocket, IntoRawSocket, RawSocket};

#[cfg(unix)]
impl FromRawFd for TcpSocket {
    /// Creates a `TcpSocket` that owns `descriptor`, which must be a non-blocking TCP socket that
    /// is neither listening nor connected.
    unsafe fn from_raw_fd(descriptor: RawFd) -> TcpSocket {
        // SAFETY: by this function's contract the descriptor is open and the caller's to give away.
        TcpSocket::from_socket(unsafe { socket2::Socket::from_raw_fd(descriptor) })
    }
}

#[cfg(unix)]
impl IntoRawFd for TcpSocket {
    fn into_raw_fd(self) -> RawFd {
        self.into_socket().into_raw_fd()
    }
}

#[cfg(windows)]
impl FromRawSocket for TcpSocket {
    /// Creates a `TcpSocket` that owns `socket`, which must be a non-blocking TCP socket that is
    /// neither listening nor connected.
    unsafe fn from_raw_socket(socket: RawSocket) -> TcpSocket {
        // SAFETY: by this function's contract the socket is open and the caller's to give away.
        TcpSocket::from_socket(unsafe { socket2::Socket::from_raw_socket(socket) })
    }
}

#[cfg(windows)]
impl IntoRawSocket for TcpSocket {
    fn into_raw_socket(self) -> RawSocket {
        self.into_socket().into_raw_socket()
    }
}
