//! Sockets as the OS numbers them: file descriptors on Unix, `SOCKET`s on Windows.
//!
//! This file is on the ground: the registry, the walk for dumps and every socket type build on it,
//! and it names none of them.

use socket2::SockRef;

pub(crate) use self::os::{RawDescriptor, is_in_progress, raw, with_socket};

#[cfg(unix)]
mod os {
    use super::SockRef;
    use std::io;
    use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

    /// The number of an open descriptor.
    pub(crate) type RawDescriptor = RawFd;

    pub(crate) fn raw(socket: &impl AsRawFd) -> RawDescriptor {
        socket.as_raw_fd()
    }

    /// Calls `f` with a socket that another type owns.
    ///
    /// # Safety
    ///
    /// The descriptor stays open until this returns.
    pub(crate) unsafe fn with_socket<R>(raw: RawDescriptor, f: impl FnOnce(&SockRef<'_>) -> R) -> R {
        // SAFETY: the caller promises that the descriptor is open.
        let descriptor = unsafe { BorrowedFd::borrow_raw(raw) };
        f(&SockRef::from(&descriptor))
    }

    /// Whether the error of a non-blocking connect means that the connect is under way.
    pub(crate) fn is_in_progress(error: &io::Error) -> bool {
        error.raw_os_error() == Some(libc::EINPROGRESS)
    }
}

#[cfg(windows)]
mod os {
    use super::SockRef;
    use std::io;
    use std::os::windows::io::{AsRawSocket, BorrowedSocket, RawSocket};

    /// The number of an open socket.
    pub(crate) type RawDescriptor = RawSocket;

    pub(crate) fn raw(socket: &impl AsRawSocket) -> RawDescriptor {
        socket.as_raw_socket()
    }

    /// Calls `f` with a socket that another type owns.
    ///
    /// # Safety
    ///
    /// The socket stays open until this returns.
    pub(crate) unsafe fn with_socket<R>(raw: RawDescriptor, f: impl FnOnce(&SockRef<'_>) -> R) -> R {
        // SAFETY: the caller promises that the socket is open.
        let socket = unsafe { BorrowedSocket::borrow_raw(raw) };
        f(&SockRef::from(&socket))
    }

    /// Whether the error of a non-blocking connect means that the connect is under way.
    pub(crate) fn is_in_progress(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::WouldBlock
    }
}
