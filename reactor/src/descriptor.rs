//! Sockets as the OS numbers them: file descriptors on Unix, `SOCKET`s on Windows.
//!
//! This file is at the bottom of the crate: the registry, the walk for dumps and every socket type
//! build on this file, and the file names none of them.

use socket2::SockRef;

pub(crate) use self::os::{RawDescriptor, is_in_progress, is_unconnected, raw, with_socket};

#[cfg(unix)]
mod os {
    use super::SockRef;
    use std::io;
    use std::mem::{MaybeUninit, size_of_val};
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

    /// Returns whether it is a socket without a peer. The descriptor may be closed.
    pub(crate) fn is_unconnected(raw: RawDescriptor) -> bool {
        let mut address = MaybeUninit::<libc::sockaddr_storage>::uninit();
        let mut length = libc::socklen_t::try_from(size_of_val(&address)).expect("it is small");
        // SAFETY: the call writes to `address` no more than its `length`, and answers with an
        // error if the descriptor is closed.
        let answer = unsafe { libc::getpeername(raw, address.as_mut_ptr().cast(), &raw mut length) };
        answer < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ENOTCONN)
    }

    /// Returns whether the error of a non-blocking connect means that the connect is under way.
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

    /// Returns whether it is a socket without a peer, which is open.
    pub(crate) fn is_unconnected(raw: RawDescriptor) -> bool {
        // SAFETY: the socket is registered, so its owner has not closed it yet.
        let peer = unsafe { with_socket(raw, |socket| socket.peer_addr()) };
        peer.is_err_and(|error| error.kind() == io::ErrorKind::NotConnected)
    }

    /// Returns whether the error of a non-blocking connect means that the connect is under way.
    pub(crate) fn is_in_progress(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::WouldBlock
    }
}
