//! The address of a Unix socket.

use std::fmt;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::io;
use std::os::unix::net;
use std::path::Path;

#[cfg(target_os = "android")]
use std::os::android::net::SocketAddrExt;
#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;

/// The address of a Unix socket: a path, a name in Linux's abstract namespace, or no name at all.
///
/// Linux allows paths of 108 bytes, one byte more than the standard library's addresses can hold. A
/// peer bound to such a path is reported as unnamed.
///
/// This type wraps [`std::os::unix::net::SocketAddr`], and implements [`From`] to be created from
/// one.
///
/// # Examples
///
/// ```
/// # use wsrt_reactor as wsrt;
/// use std::path::Path;
/// use wsrt::net::unix::SocketAddr;
///
/// let address = SocketAddr::from_pathname("/run/service.sock")?;
/// assert_eq!(address.as_pathname(), Some(Path::new("/run/service.sock")));
/// assert!(!address.is_unnamed());
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone)]
pub struct SocketAddr(net::SocketAddr);

impl SocketAddr {
    /// Creates the address for a socket at `path`.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if `path` cannot be an address, for example because it is too long.
    pub fn from_pathname<P: AsRef<Path>>(path: P) -> std::io::Result<SocketAddr> {
        net::SocketAddr::from_pathname(path).map(SocketAddr)
    }

    /// Creates the address for `name` in Linux's abstract namespace. `name` does not include the
    /// leading zero byte.
    ///
    /// # Errors
    ///
    /// Returns `InvalidInput` if `name` is too long.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub fn from_abstract_name<N: AsRef<[u8]>>(name: N) -> io::Result<SocketAddr> {
        <net::SocketAddr as SocketAddrExt>::from_abstract_name(name).map(SocketAddr)
    }

    /// Returns whether the address is unnamed, as it is for a socket that is not bound.
    #[must_use]
    pub fn is_unnamed(&self) -> bool {
        self.0.is_unnamed()
    }

    /// Returns the path, or `None` if the address is not a path.
    #[must_use]
    pub fn as_pathname(&self) -> Option<&Path> {
        self.0.as_pathname()
    }

    /// Returns the name in Linux's abstract namespace, without the leading zero byte, or `None` if
    /// the address is not such a name.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[must_use]
    pub fn as_abstract_name(&self) -> Option<&[u8]> {
        self.0.as_abstract_name()
    }

    pub(super) fn as_std(&self) -> &net::SocketAddr {
        &self.0
    }
}

impl fmt::Debug for SocketAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<net::SocketAddr> for SocketAddr {
    fn from(address: net::SocketAddr) -> SocketAddr {
        SocketAddr(address)
    }
}

impl From<SocketAddr> for net::SocketAddr {
    fn from(address: SocketAddr) -> net::SocketAddr {
        address.0
    }
}
