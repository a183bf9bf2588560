//! The checks of a descriptor that becomes an end of a pipe: it is a pipe, is open in the right
//! direction, and does not block.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;

/// Which end it is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PipeEnd {
    Receiving,
    Sending,
}

impl PipeEnd {
    fn access(self) -> libc::c_int {
        match self {
            PipeEnd::Receiving => libc::O_RDONLY,
            PipeEnd::Sending => libc::O_WRONLY,
        }
    }

    fn needed(self) -> &'static str {
        match self {
            PipeEnd::Receiving => "not open for reading",
            PipeEnd::Sending => "not open for writing",
        }
    }
}

/// Checks that `file` is a pipe that is open for `end`, or for both.
pub(super) fn check(file: &File, end: PipeEnd) -> io::Result<()> {
    check_is_pipe(file)?;
    let access = flags(file)? & libc::O_ACCMODE;
    if access != end.access() && access != libc::O_RDWR {
        return Err(unfit(end.needed()));
    }
    Ok(())
}

pub(super) fn check_is_pipe(file: &File) -> io::Result<()> {
    if file.metadata()?.file_type().is_fifo() {
        return Ok(());
    }
    Err(unfit("not a pipe"))
}

fn unfit(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("the file cannot be the end of a pipe: it is {why}"))
}

/// Switches blocking on or off, for all descriptors of the same open file.
pub(super) fn set_blocking(descriptor: BorrowedFd<'_>, blocking: bool) -> io::Result<()> {
    let before = flags(&descriptor)?;
    let after = if blocking { before & !libc::O_NONBLOCK } else { before | libc::O_NONBLOCK };
    if before == after {
        return Ok(());
    }
    // SAFETY: the descriptor is open, being borrowed, and F_SETFL takes an integer.
    match unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFL, after) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn flags(descriptor: &impl AsRawFd) -> io::Result<libc::c_int> {
    // SAFETY: the descriptor is open, its owner being borrowed, and F_GETFL takes nothing more.
    match unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL) } {
        -1 => Err(io::Error::last_os_error()),
        flags => Ok(flags),
    }
}
