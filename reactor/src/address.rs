//! The address of a socket, as task dumps show it.

use crate::simulated_net::SimulatedAddress;
use socket2::SockAddr;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The address of a socket or of a socket's peer, as task dumps show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// An IP address and a port.
    Ip(SocketAddr),
    /// The path of a Unix socket.
    Path(PathBuf),
    /// The name of a Unix socket in Linux's abstract namespace.
    Abstract(Vec<u8>),
}

impl Address {
    /// Returns `None` for a socket without a name.
    pub(crate) fn from_system(address: &SockAddr) -> Option<Self> {
        address.as_socket().map(Self::Ip).or_else(|| unix_address(address))
    }

    /// Returns the name of a simulated socket, or `None` if it has none.
    pub(crate) fn of_place(place: SimulatedAddress) -> Option<Self> {
        match place {
            SimulatedAddress::Ip(address) => Some(Self::Ip(address)),
            SimulatedAddress::Unix(name) => match name.split_first()? {
                (0, name) => Some(Self::Abstract(name.to_vec())),
                _ => Some(Self::Path(String::from_utf8_lossy(&name).into_owned().into())),
            },
        }
    }
}

#[cfg(unix)]
fn unix_address(address: &SockAddr) -> Option<Address> {
    let path = address.as_pathname().map(|path| Address::Path(path.to_owned()));
    path.or_else(|| address.as_abstract_namespace().map(|name| Address::Abstract(name.to_owned())))
}

/// Windows: a Unix socket cannot be waited for there.
#[cfg(not(unix))]
fn unix_address(_: &SockAddr) -> Option<Address> {
    None
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Path(path) => path.display().fmt(f),
            Self::Abstract(name) => write!(f, "@{}", name.escape_ascii()),
        }
    }
}
