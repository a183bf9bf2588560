//! The errors of a simulated disk, which match the errors of a real system in the same situations.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Missing,
    Exists,
    NotDirectory,
    IsDirectory,
    NotEmpty,
    Full,
    TooLarge,
    /// The disk does not respond.
    Failed,
    /// The file was opened without the required access.
    NotOpenedForIt,
    Invalid,
    NotAllowed,
}

impl Refusal {
    #[cfg(unix)]
    fn number(self) -> i32 {
        match self {
            Self::Missing => libc::ENOENT,
            Self::Exists => libc::EEXIST,
            Self::NotDirectory => libc::ENOTDIR,
            Self::IsDirectory => libc::EISDIR,
            Self::NotEmpty => libc::ENOTEMPTY,
            Self::Full => libc::ENOSPC,
            Self::TooLarge => libc::EFBIG,
            Self::Failed => libc::EIO,
            Self::NotOpenedForIt => libc::EBADF,
            Self::Invalid => libc::EINVAL,
            Self::NotAllowed => libc::EPERM,
        }
    }

    #[cfg(not(unix))]
    fn kind(self) -> io::ErrorKind {
        match self {
            Self::Missing => io::ErrorKind::NotFound,
            Self::Exists => io::ErrorKind::AlreadyExists,
            Self::NotDirectory => io::ErrorKind::NotADirectory,
            Self::IsDirectory => io::ErrorKind::IsADirectory,
            Self::NotEmpty => io::ErrorKind::DirectoryNotEmpty,
            Self::Full => io::ErrorKind::StorageFull,
            Self::TooLarge => io::ErrorKind::FileTooLarge,
            Self::Failed => io::ErrorKind::Other,
            Self::NotOpenedForIt | Self::NotAllowed => io::ErrorKind::PermissionDenied,
            Self::Invalid => io::ErrorKind::InvalidInput,
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        #[cfg(unix)]
        return Self::from_raw_os_error(refusal.number());
        #[cfg(not(unix))]
        return refusal.kind().into();
    }
}

/// Returns the error for calls that simulated disks do not support.
pub(super) fn unsupported(call: &str) -> io::Error {
    let message = format!("the disks of a simulation (`wsrt::sim`) have no {call}");
    io::Error::new(io::ErrorKind::Unsupported, message)
}
