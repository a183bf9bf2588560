//! A TCP socket from a descriptor of the system's, and back.

use super::socket::TcpSocket;
#[cfg(unix)]
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};
#[cfg(windows)]
use std::os::windows::io::{FromRawSocket, IntoRawSocket, RawSocket};

#[cfg(unix)]
impl FromRawFd for TcpSocket {
    /// Takes over a descriptor, which has to be a non-blocking TCP socket that neither listens nor
    /// is connected.
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
    /// Takes over a socket, which has to be a non-blocking TCP socket that neither listens nor is
    /// connected.
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
