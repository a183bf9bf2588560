//! The credentials of the process on the other side of a connection.

use super::stream::UnixStream;
use libc::{gid_t, pid_t, uid_t};
use std::io;
use std::os::fd::AsFd;

/// The credentials of the process on the other side of a [`UnixStream`], as they were when that
/// process connected or listened.
///
/// Returned by [`UnixStream::peer_cred`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UCred {
    uid: uid_t,
    gid: gid_t,
    pid: Option<pid_t>,
}

impl UCred {
    /// Returns the user ID of the peer process.
    #[must_use]
    pub fn uid(&self) -> uid_t {
        self.uid
    }

    /// Returns the group ID of the peer process.
    #[must_use]
    pub fn gid(&self) -> gid_t {
        self.gid
    }

    /// Returns the process ID of the peer, or `None` if the OS does not report it. Linux and
    /// Android do.
    ///
    /// The peer process may have ended in the meantime, and its ID may have been given to another
    /// process.
    #[must_use]
    pub fn pid(&self) -> Option<pid_t> {
        self.pid
    }
}

impl UnixStream {
    /// Returns the credentials that the peer process had when it connected or listened: its user
    /// ID, its group ID and, on Linux and Android, its process ID.
    ///
    /// # Errors
    ///
    /// Returns the OS error, or `Unsupported` on systems for which wsrt does not implement this
    /// call.
    ///
    /// # Examples
    ///
    /// ```
    /// # use wsrt_reactor as wsrt;
    /// use wsrt::net::UnixStream;
    ///
    /// # wsrt_reactor_testing::run(async {
    /// let (near, _far) = UnixStream::pair()?;
    /// let peer = near.peer_cred()?;
    /// assert!(peer.pid().is_none_or(|pid| pid as u32 == std::process::id()));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn peer_cred(&self) -> io::Result<UCred> {
        system::of_peer(self.as_fd())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::UCred;
    use std::io;
    use std::mem::size_of;
    use std::os::fd::{AsRawFd, BorrowedFd};

    /// Linux: `SO_PEERCRED`.
    pub(super) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<UCred> {
        let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        let room: *mut libc::ucred = &mut peer;
        // SAFETY: `room` is a `ucred`, `length` says how large one is, and both outlive the call.
        let outcome = unsafe {
            libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, room.cast(), &mut length)
        };
        match outcome {
            0 => Ok(UCred { uid: peer.uid, gid: peer.gid, pid: Some(peer.pid) }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(any(
    target_vendor = "apple",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
))]
mod system {
    use super::UCred;
    use std::io;
    use std::os::fd::{AsRawFd, BorrowedFd};

    /// The BSDs: `getpeereid`, which does not report the process.
    pub(super) fn of_peer(socket: BorrowedFd<'_>) -> io::Result<UCred> {
        let (mut uid, mut gid) = (0, 0);
        // SAFETY: both are of the types that the call fills in, and outlive it.
        match unsafe { libc::getpeereid(socket.as_raw_fd(), &mut uid, &mut gid) } {
            0 => Ok(UCred { uid, gid, pid: None }),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_vendor = "apple",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
)))]
mod system {
    use super::UCred;
    use std::io;
    use std::os::fd::BorrowedFd;

    pub(super) fn of_peer(_: BorrowedFd<'_>) -> io::Result<UCred> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "wsrt does not know how this system tells a peer's credentials"))
    }
}
