//! Unix sockets, either simulated or the OS's. A simulated socket has an address within its host,
//! but no file.

use super::datagrams::SimulatedDatagrams;
use super::{MaybeSimulated, UnixDatagram, UnixListener, UnixStream, network, unbound_os_socket};
use crate::net::unix::address::bytes_of;
use crate::net::unix::{SocketAddr as Named, accept};
use crate::simulated_net::{SimulatedAddress, SimulatedSocket};
use socket2::{Domain, Type};
use std::ffi::OsStr;
use std::io;
use std::net::Shutdown;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{self, SocketAddr};
use std::sync::Arc;

fn place(address: &SocketAddr) -> SimulatedAddress {
    SimulatedAddress::Unix(bytes_of(&Named::from(address.clone())))
}

fn address(place: SimulatedAddress) -> io::Result<SocketAddr> {
    let bytes = match place {
        SimulatedAddress::Unix(bytes) => bytes,
        SimulatedAddress::Ip(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a Unix socket")),
    };
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(name) = bytes.strip_prefix(b"\0") {
        return Named::from_abstract_name(name).map(SocketAddr::from);
    }
    SocketAddr::from_pathname(OsStr::from_bytes(&bytes))
}

fn stream() -> io::Result<mio::net::UnixStream> {
    let system = unbound_os_socket(Domain::UNIX, Type::STREAM, None)?;
    Ok(mio::net::UnixStream::from_std(system.into()))
}

impl UnixStream {
    pub(crate) fn connect_addr(to: &SocketAddr) -> io::Result<Self> {
        match network() {
            Some(network) => Ok(Self::simulated(stream()?, network.connect(None, place(to))?)),
            None => mio::net::UnixStream::connect_addr(to).map(Self::of_system),
        }
    }

    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let Some(network) = network() else {
            let (one, other) = mio::net::UnixStream::pair()?;
            return Ok((Self::of_system(one), Self::of_system(other)));
        };
        let [one, other] = network.pair()?;
        Ok((Self::simulated(stream()?, one), Self::simulated(stream()?, other)))
    }

    pub(crate) fn from_std(socket: net::UnixStream) -> Self {
        Self::of_system(mio::net::UnixStream::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| address(simulated.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| address(simulated.peer()?), |system| system.peer_addr())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.either(|simulated| simulated.shut_down(how), |system| system.shutdown(how))
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
        let system = unbound_os_socket(Domain::UNIX, Type::STREAM, None)?;
        Ok(Self::simulated(mio::net::UnixListener::from_std(system.into()), network.listen(place(at), BACKLOG)?))
    }

    pub(crate) fn from_std(socket: net::UnixListener) -> Self {
        Self::of_system(mio::net::UnixListener::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| address(simulated.local()?), |system| system.local_addr())
    }
}

impl From<UnixListener> for net::UnixListener {
    fn from(socket: UnixListener) -> Self {
        socket.system.into()
    }
}

pub(crate) fn accept_unix(listener: &UnixListener) -> io::Result<(UnixStream, SocketAddr)> {
    let Some(simulated) = &listener.simulated else {
        return accept(&listener.system).map(|(socket, peer)| (MaybeSimulated::of_system(socket), peer));
    };
    let (accepted, peer) = simulated.accept()?;
    Ok((MaybeSimulated::simulated(stream()?, accepted), address(peer)?))
}

fn datagrams(simulated: Arc<dyn SimulatedSocket>) -> io::Result<UnixDatagram> {
    let system = unbound_os_socket(Domain::UNIX, Type::DGRAM, None)?;
    Ok(MaybeSimulated::simulated(mio::net::UnixDatagram::from_std(system.into()), simulated))
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
        self.either(|simulated| address(simulated.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| address(simulated.peer()?), |system| system.peer_addr())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.either(|simulated| simulated.shut_down(how), |system| system.shutdown(how))
    }
}

impl From<UnixDatagram> for net::UnixDatagram {
    fn from(socket: UnixDatagram) -> Self {
        socket.system.into()
    }
}

impl SimulatedDatagrams for mio::net::UnixDatagram {
    fn place(address: Named) -> SimulatedAddress {
        SimulatedAddress::Unix(bytes_of(&address))
    }

    fn of_place(found: SimulatedAddress) -> io::Result<Named> {
        address(found).map(Named::from)
    }
}
