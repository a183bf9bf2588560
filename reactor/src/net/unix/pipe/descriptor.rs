//! What makes a descriptor fit to be an end of a pipe: that it is a pipe, that it goes the right
//! way, that it does not block.

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

/// Has operations on it block, or not. It holds for all descriptors of the same open file.
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

/// The methods of both ends that take over a descriptor, and give it back.
macro_rules! pipe_end {
    ($kind:ident, $end:expr, $pipe:ty) => {
        impl $kind {
            /// Takes over a file that is this end of a pipe, and makes it non-blocking.
            ///
            /// # Panics
            ///
            /// Outside a runtime.
            ///
            /// # Errors
            ///
            /// `InvalidInput` when it is no pipe, or is not open this way; the system's.
            #[track_caller]
            pub fn from_file(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file"));
                $crate::net::unix::pipe::descriptor::check(&file, $end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// Takes over a descriptor that is this end of a pipe, and makes it non-blocking.
            ///
            /// # Panics
            ///
            /// Outside a runtime.
            ///
            /// # Errors
            ///
            /// `InvalidInput` when it is no pipe, or is not open this way; the system's.
            #[track_caller]
            pub fn from_owned_fd(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd"));
                let file = std::fs::File::from(owned_fd);
                $crate::net::unix::pipe::descriptor::check(&file, $end)?;
                Self::take_over(file.into(), context.handle())
            }

            /// As [`from_file`](Self::from_file), without looking whether it is a pipe. What the
            /// system cannot poll is refused all the same.
            ///
            /// # Panics
            ///
            /// Outside a runtime.
            ///
            /// # Errors
            ///
            /// The system's.
            #[track_caller]
            pub fn from_file_unchecked(file: std::fs::File) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_file_unchecked"));
                Self::take_over(file.into(), context.handle())
            }

            /// As [`from_owned_fd`](Self::from_owned_fd), without looking whether it is a pipe.
            /// What the system cannot poll is refused all the same.
            ///
            /// # Panics
            ///
            /// Outside a runtime.
            ///
            /// # Errors
            ///
            /// The system's.
            #[track_caller]
            pub fn from_owned_fd_unchecked(owned_fd: std::os::fd::OwnedFd) -> std::io::Result<$kind> {
                let context = $crate::context::required(concat!(stringify!($kind), "::from_owned_fd_unchecked"));
                Self::take_over(owned_fd, context.handle())
            }

            /// Turns it into a descriptor whose operations block, as other processes expect it.
            ///
            /// # Errors
            ///
            /// The system's; it is closed then.
            pub fn into_blocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                let descriptor = self.into_nonblocking_fd()?;
                $crate::net::unix::pipe::descriptor::set_blocking(std::os::fd::AsFd::as_fd(&descriptor), true)?;
                Ok(descriptor)
            }

            /// Turns it into a descriptor whose operations do not block.
            ///
            /// # Errors
            ///
            /// When the system refuses to let go of it; it is closed then.
            pub fn into_nonblocking_fd(self) -> std::io::Result<std::os::fd::OwnedFd> {
                self.io.into_inner().map(std::os::fd::OwnedFd::from)
            }

            fn take_over(descriptor: std::os::fd::OwnedFd, handle: &$crate::handle::Handle) -> std::io::Result<$kind> {
                $crate::net::unix::pipe::descriptor::set_blocking(std::os::fd::AsFd::as_fd(&descriptor), false)?;
                Self::registered(<$pipe>::from(descriptor), handle)
            }

            /// It does not count as ready before an event says so: a receiver that is there before
            /// any sender would be told that the stream has ended.
            pub(super) fn registered(pipe: $pipe, handle: &$crate::handle::Handle) -> std::io::Result<$kind> {
                let raw = std::os::fd::AsRawFd::as_raw_fd(&pipe);
                let label = $crate::walk::Label::of_foreign(concat!("pipe::", stringify!($kind)), raw);
                let io = $crate::evented::Evented::fresh(pipe, handle, $crate::interest::Interest::NONE, label)?;
                Ok($kind { io })
            }

            pub(crate) fn evented(&self) -> &$crate::evented::Evented<$pipe> {
                &self.io
            }

            pub(in crate::net) fn socket(&self) -> &$pipe {
                self.io.get_ref()
            }
        }
    };
}

pub(super) use pipe_end;
