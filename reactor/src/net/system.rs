//! The sockets as descriptors: `AsFd` and its kin on Unix, `AsSocket` and its kin on Windows.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
