//! The lock of a file, which the system releases with the process that holds it, however the
//! process ends.

use std::fs::File;
use std::io;

/// Locks a file. Returns `false` if another opened file has the lock.
#[cfg(unix)]
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    use std::os::fd::AsRawFd;

    // SAFETY: the call takes no pointer, and the descriptor is `file`'s.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    if error.kind() == io::ErrorKind::WouldBlock { Ok(false) } else { Err(error) }
}

/// Returns `false`: without locks, each file counts as locked by another program.
#[cfg(not(unix))]
pub(super) fn try_lock(_: &File) -> io::Result<bool> {
    Ok(false)
}
