//! Unix: file descriptors.

use crate::net::unix::pipe;
use crate::net::{TcpListener, TcpSocket, TcpStream, UdpSocket, UnixDatagram, UnixListener, UnixStream};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, RawFd};

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
