//! Unix sockets, either lent or the OS's. A lent socket has an address within its host, but no
//! file.

use super::datagrams::Placed;
use super::{MaybeLent, UnixDatagram, UnixListener, UnixStream, bystander, network};
use crate::lent::{Place, Socket};
use crate::net::unix::address::bytes_of;
use crate::net::unix::{SocketAddr as Named, accept};
use socket2::{Domain, Type};
use std::ffi::OsStr;
use std::io;
use std::net::Shutdown;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, SocketAddr};
use std::sync::Arc;

fn place(address: &SocketAddr) -> Place {
    Place::Unix(bytes_of(&Named::from(address.clone())))
}

fn address(place: Place) -> io::Result<SocketAddr> {
    let bytes = match place {
        Place::Unix(bytes) => bytes,
        Place::Ip(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a Unix socket")),
    };
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = bytes.strip_prefix(b"\0") {
        return Named::from_abstract_name(name).map(SocketAddr::from);
    }
    SocketAddr::from_pathname(OsStr::from_bytes(&bytes))
}

fn stream() -> io::Result<mio::net::UnixStream> {
    let system = bystander(Domain::UNIX, Type::STREAM, None)?;
    Ok(mio::net::UnixStream::from_std(system.into()))
}

impl UnixStream {
    pub(crate) fn connect_addr(to: &SocketAddr) -> io::Result<Self> {
        match network() {
            Some(network) => Ok(Self::lent(stream()?, network.connect(None, place(to))?)),
            None => mio::net::UnixStream::connect_addr(to).map(Self::of_system),
        }
    }

    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let Some(network) = network() else {
            let (one, other) = mio::net::UnixStream::pair()?;
            return Ok((Self::of_system(one), Self::of_system(other)));
        };
        let [one, other] = network.pair()?;
        Ok((Self::lent(stream()?, one), Self::lent(stream()?, other)))
    }

    pub(crate) fn from_std(socket: net::UnixStream) -> Self {
        Self::of_system(mio::net::UnixStream::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| address(lent.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| address(lent.peer()?), |system| system.peer_addr())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.either(|lent| lent.shut_down(how), |system| system.shutdown(how))
    }
}

impl From<UnixStream> for net::UnixStream {
    fn from(socket: UnixStream) -> Self {
        socket.system.into()
    }
}

impl UnixListener {
    pub(crate) fn bind_addr(at: &SocketAddr) -> io::Result<Self> {
        /// The backlog of TCP listeners, too.
        const BACKLOG: usize = 1024;
        let Some(network) = network() else { return mio::net::UnixListener::bind_addr(at).map(Self::of_system) };
        let system = bystander(Domain::UNIX, Type::STREAM, None)?;
        Ok(Self::lent(mio::net::UnixListener::from_std(system.into()), network.listen(place(at), BACKLOG)?))
    }

    pub(crate) fn from_std(socket: net::UnixListener) -> Self {
        Self::of_system(mio::net::UnixListener::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| address(lent.local()?), |system| system.local_addr())
    }
}

impl From<UnixListener> for net::UnixListener {
    fn from(socket: UnixListener) -> Self {
        socket.system.into()
    }
}

pub(crate) fn accept_unix(listener: &UnixListener) -> io::Result<(UnixStream, SocketAddr)> {
    let Some(lent) = &listener.lent else {
        return accept(&listener.system).map(|(socket, peer)| (MaybeLent::of_system(socket), peer));
    };
    let (accepted, peer) = lent.accept()?;
    Ok((MaybeLent::lent(stream()?, accepted), address(peer)?))
}

fn datagrams(lent: Arc<dyn Socket>) -> io::Result<UnixDatagram> {
    let system = bystander(Domain::UNIX, Type::DGRAM, None)?;
    Ok(MaybeLent::lent(mio::net::UnixDatagram::from_std(system.into()), lent))
}

impl UnixDatagram {
    pub(crate) fn bind_addr(at: &SocketAddr) -> io::Result<Self> {
        match network() {
            Some(network) => datagrams(network.bind_within(bytes_of(&Named::from(at.clone())))?),
            None => mio::net::UnixDatagram::bind_addr(at).map(Self::of_system),
        }
    }

    pub(crate) fn unbound() -> io::Result<Self> {
        match network() {
            Some(network) => datagrams(network.bind_within(Vec::new())?),
            None => mio::net::UnixDatagram::unbound().map(Self::of_system),
        }
    }

    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let Some(network) = network() else {
            let (one, other) = mio::net::UnixDatagram::pair()?;
            return Ok((Self::of_system(one), Self::of_system(other)));
        };
        let [one, other] = network.datagram_pair()?;
        Ok((datagrams(one)?, datagrams(other)?))
    }

    pub(crate) fn from_std(socket: net::UnixDatagram) -> Self {
        Self::of_system(mio::net::UnixDatagram::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| address(lent.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| address(lent.peer()?), |system| system.peer_addr())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.either(|lent| lent.shut_down(how), |system| system.shutdown(how))
    }
}

impl From<UnixDatagram> for net::UnixDatagram {
    fn from(socket: UnixDatagram) -> Self {
        socket.system.into()
    }
}

impl Placed for mio::net::UnixDatagram {
    fn place(address: Named) -> Place {
        Place::Unix(bytes_of(&address))
    }

    fn of_place(found: Place) -> io::Result<Named> {
        address(found).map(Named::from)
    }
}
