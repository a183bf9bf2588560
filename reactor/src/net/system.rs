//! The sockets as descriptors: `AsFd` and its kin on Unix, `AsSocket` and its kin on Windows.
//!
//! `as_descriptor!` stays a macro because the traits differ by system: each socket type names it
//! once, and neither type nor file says `cfg`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(in crate::net) use self::unix::as_descriptor;
#[cfg(windows)]
pub(in crate::net) use self::windows::as_descriptor;
