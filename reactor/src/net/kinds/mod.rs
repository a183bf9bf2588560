//! The kinds of sockets with feature `sim`: mio's sockets, or sockets of a simulated network.
//!
//! Each simulated socket is accompanied by an OS socket that is never bound or connected. The OS
//! socket provides a descriptor, and its options can be set and read.

mod datagrams;
mod streams;
mod unconnected;
#[cfg(unix)]
mod unconnected_unix;
#[cfg(unix)]
mod unix;

pub(crate) use self::unconnected::UnconnectedTcp;
#[cfg(unix)]
pub(crate) use self::unconnected_unix::UnconnectedUnix;
#[cfg(unix)]
pub(crate) use self::unix::accept_unix;

use crate::context;
use crate::descriptor;
use crate::net::stream;
use crate::simulated_net::{SimulatedAddress, SimulatedNetwork, SimulatedSocket};
use crate::walk::Label;
use socket2::{Domain, Protocol, SockRef, Type};
use std::fmt;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;

/// A socket of the system, which a simulated socket may replace.
pub(crate) struct MaybeSimulated<S> {
    system: S,
    simulated: Option<Arc<dyn SimulatedSocket>>,
}

pub(crate) type TcpStream = MaybeSimulated<mio::net::TcpStream>;
pub(crate) type TcpListener = MaybeSimulated<mio::net::TcpListener>;
pub(crate) type UdpSocket = MaybeSimulated<mio::net::UdpSocket>;
#[cfg(unix)]
pub(crate) type UnixStream = MaybeSimulated<mio::net::UnixStream>;
#[cfg(unix)]
pub(crate) type UnixListener = MaybeSimulated<mio::net::UnixListener>;
#[cfg(unix)]
pub(crate) type UnixDatagram = MaybeSimulated<mio::net::UnixDatagram>;

/// The network of the runtime that this thread is in, if that is simulated.
fn network() -> Option<Arc<dyn SimulatedNetwork>> {
    context::current()?.services().network()
}

/// An OS socket that accompanies a simulated one, and is never bound or connected.
fn unbound_os_socket(domain: Domain, kind: Type, protocol: Option<Protocol>) -> io::Result<socket2::Socket> {
    let socket = socket2::Socket::new(domain, kind, protocol)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

impl<S> MaybeSimulated<S> {
    fn of_system(system: S) -> Self {
        Self { system, simulated: None }
    }

    fn simulated(system: S, simulated: Arc<dyn SimulatedSocket>) -> Self {
        Self { system, simulated: Some(simulated) }
    }

    /// Asks the one that is used.
    fn either<R>(
        &self,
        simulated: impl FnOnce(&dyn SimulatedSocket) -> io::Result<R>,
        system: impl FnOnce(&S) -> io::Result<R>,
    ) -> io::Result<R> {
        match &self.simulated {
            Some(socket) => simulated(&**socket),
            None => system(&self.system),
        }
    }
}

impl<S> Deref for MaybeSimulated<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.system
    }
}

impl<S: fmt::Debug> fmt::Debug for MaybeSimulated<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.simulated {
            Some(simulated) => simulated.fmt(f),
            None => self.system.fmt(f),
        }
    }
}

impl<S: mio::event::Source> mio::event::Source for MaybeSimulated<S> {
    fn register(&mut self, poll: &mio::Registry, token: mio::Token, interests: mio::Interest) -> io::Result<()> {
        match &self.simulated {
            Some(simulated) => simulated.attach(token.0),
            None => return self.system.register(poll, token, interests),
        }
        Ok(())
    }

    fn reregister(&mut self, poll: &mio::Registry, token: mio::Token, interests: mio::Interest) -> io::Result<()> {
        match &self.simulated {
            Some(simulated) => simulated.attach(token.0),
            None => return self.system.reregister(poll, token, interests),
        }
        Ok(())
    }

    fn deregister(&mut self, poll: &mio::Registry) -> io::Result<()> {
        match &self.simulated {
            Some(simulated) => simulated.detach(),
            None => return self.system.deregister(poll),
        }
        Ok(())
    }
}

#[cfg(unix)]
impl<S: std::os::fd::AsFd> std::os::fd::AsFd for MaybeSimulated<S> {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.system.as_fd()
    }
}

#[cfg(unix)]
impl<S: std::os::fd::AsRawFd> std::os::fd::AsRawFd for MaybeSimulated<S> {
    fn as_raw_fd(&self) -> std::os::fd::RawFd {
        self.system.as_raw_fd()
    }
}

#[cfg(windows)]
impl<S: std::os::windows::io::AsSocket> std::os::windows::io::AsSocket for MaybeSimulated<S> {
    fn as_socket(&self) -> std::os::windows::io::BorrowedSocket<'_> {
        self.system.as_socket()
    }
}

#[cfg(windows)]
impl<S: std::os::windows::io::AsRawSocket> std::os::windows::io::AsRawSocket for MaybeSimulated<S> {
    fn as_raw_socket(&self) -> std::os::windows::io::RawSocket {
        self.system.as_raw_socket()
    }
}

/// A kind of socket that a walk shows.
pub(crate) trait Shown {
    /// How.
    fn label(&self, name: &'static str) -> Label;
}

#[cfg(unix)]
impl<S: std::os::fd::AsRawFd> Shown for MaybeSimulated<S> {
    fn label(&self, name: &'static str) -> Label {
        match &self.simulated {
            Some(simulated) => Label::of_simulated(name, simulated),
            None => Label::of_socket(name, descriptor::raw(&self.system)),
        }
    }
}

#[cfg(windows)]
impl<S: std::os::windows::io::AsRawSocket> Shown for MaybeSimulated<S> {
    fn label(&self, name: &'static str) -> Label {
        match &self.simulated {
            Some(simulated) => Label::of_simulated(name, simulated),
            None => Label::of_socket(name, descriptor::raw(&self.system)),
        }
    }
}

/// Returns whether a socket is simulated. The OS socket beside it then has none of its bytes.
#[cfg(unix)]
pub(crate) fn is_simulated<S>(socket: &MaybeSimulated<S>) -> bool {
    socket.simulated.is_some()
}

/// How a walk shows a socket.
pub(crate) fn label(name: &'static str, socket: &impl Shown) -> Label {
    socket.label(name)
}

/// The outcome of a connect, with `WouldBlock` while there is none.
pub(crate) fn outcome_of_connect<S>(socket: &MaybeSimulated<S>) -> io::Result<()>
where
    for<'a> SockRef<'a>: From<&'a S>,
{
    match &socket.simulated {
        Some(simulated) => simulated.outcome(),
        None => stream::outcome_of_connect(SockRef::from(&socket.system)),
    }
}

fn internet(place: SimulatedAddress) -> io::Result<SocketAddr> {
    match place {
        SimulatedAddress::Ip(address) => Ok(address),
        SimulatedAddress::Unix(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "not an internet socket")),
    }
}

impl TcpStream {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        match network() {
            Some(_) => UnconnectedTcp::tcp(Domain::for_address(address))?.connect(address),
            None => mio::net::TcpStream::connect(address).map(Self::of_system),
        }
    }

    pub(crate) fn from_std(socket: std::net::TcpStream) -> Self {
        Self::of_system(mio::net::TcpStream::from_std(socket))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| internet(simulated.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| internet(simulated.peer()?), |system| system.peer_addr())
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.either(|simulated| simulated.shut_down(how), |system| system.shutdown(how))
    }
}

impl From<TcpStream> for std::net::TcpStream {
    fn from(socket: TcpStream) -> Self {
        socket.system.into()
    }
}

impl TcpListener {
    pub(crate) fn from_std(socket: std::net::TcpListener) -> Self {
        let simulated = network().and_then(|network| network.listener_of(descriptor::raw(&socket), None));
        Self { system: mio::net::TcpListener::from_std(socket), simulated }
    }

    pub(crate) fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let Some(simulated) = &self.simulated else {
            return self.system.accept().map(|(socket, peer)| (MaybeSimulated::of_system(socket), peer));
        };
        let (accepted, peer) = simulated.accept()?;
        let peer = internet(peer)?;
        let system = unbound_os_socket(Domain::for_address(peer), Type::STREAM, Some(Protocol::TCP))?;
        Ok((MaybeSimulated::simulated(mio::net::TcpStream::from_std(system.into()), accepted), peer))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| internet(simulated.local()?), |system| system.local_addr())
    }
}

impl From<TcpListener> for std::net::TcpListener {
    fn from(socket: TcpListener) -> Self {
        socket.system.into()
    }
}
