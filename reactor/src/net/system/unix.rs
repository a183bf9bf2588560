//! Unix: file descriptors.

use crate::net::TcpSocket;
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};

/// Implements the traits that lend the descriptor of `$kind`, which has a method `socket`.
macro_rules! as_descriptor {
    ($kind:ty) => {
        impl std::os::fd::AsFd for $kind {
            fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
                std::os::fd::AsFd::as_fd(self.socket())
            }
        }

        impl std::os::fd::AsRawFd for $kind {
            fn as_raw_fd(&self) -> std::os::fd::RawFd {
                std::os::fd::AsRawFd::as_raw_fd(self.socket())
            }
        }
    };
}

pub(in crate::net) use as_descriptor;

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
