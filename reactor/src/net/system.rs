//! The sockets as the system's descriptors.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
