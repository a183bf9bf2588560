//! The options of sockets, each written once for every kind of socket that has it.
//!
//! A kind that is named in a list has an `options(&self) -> SockRef<'_>`.

#[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia"))]
mod device;
mod every_socket;
mod ip;
mod keepalive;
mod multicast;
#[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))))]
mod reuseport;
mod tcp;

pub use self::keepalive::TcpKeepalive;
