//! The sockets as the system's descriptors, and what else the systems do not agree on.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(in crate::net) use self::unix::is_in_progress;
#[cfg(windows)]
pub(in crate::net) use self::windows::is_in_progress;

#[cfg(unix)]
pub(crate) use self::unix::{RawDescriptor, raw, unix_address, with_socket};
#[cfg(windows)]
pub(crate) use self::windows::{RawDescriptor, raw, unix_address, with_socket};
