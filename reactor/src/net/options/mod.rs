//! The options of sockets, each written once for every kind of socket that has it.
//!
//! A kind that is named in a list has an `options(&self) -> SockRef<'_>`.

#[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia"))]
mod device;
mod every_socket;
mod ip;
mod keepalive;
mod multicast;
#[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos"))))]
mod reuseport;
mod tcp;
#[cfg(any(
    target_os = "android",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "fuchsia",
    target_os = "linux",
    target_os = "macos",
    target_os = "netbsd",
    target_os = "openbsd",
))]
mod traffic_class;

pub use self::keepalive::TcpKeepalive;
