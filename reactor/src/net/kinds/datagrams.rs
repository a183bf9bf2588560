//! Datagrams, UDP first, on a simulated socket or an OS socket.

use super::{MaybeSimulated, UdpSocket, internet, network, unbound_os_socket};
use crate::descriptor;
use crate::net::datagram::Datagrams;
use crate::simulated_net::{SimulatedAddress, SimulatedSocket};
use socket2::{Domain, Protocol, SockAddr, SockRef, Type};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddr;

impl UdpSocket {
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let Some(network) = network() else { return mio::net::UdpSocket::bind(address).map(Self::of_system) };
        let system = unbound_os_socket(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        let simulated = network.bind(address, descriptor::raw(&system))?;
        Ok(Self::simulated(mio::net::UdpSocket::from_std(system.into()), simulated))
    }

    pub(crate) fn from_std(socket: std::net::UdpSocket) -> Self {
        let simulated = network().and_then(|network| network.datagrams_of(descriptor::raw(&socket)));
        Self { system: mio::net::UdpSocket::from_std(socket), simulated }
    }

    pub(crate) fn connect(&self, address: SocketAddr) -> io::Result<()> {
        self.either(|simulated| simulated.connect(SimulatedAddress::Ip(address)), |system| system.connect(address))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| internet(simulated.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|simulated| internet(simulated.peer()?), |system| system.peer_addr())
    }
}

impl From<UdpSocket> for std::net::UdpSocket {
    fn from(socket: UdpSocket) -> Self {
        socket.system.into()
    }
}

/// A kind of socket for datagrams whose addresses are addresses in a simulated network.
pub(super) trait SimulatedDatagrams: Datagrams {
    fn place(address: Self::Address) -> SimulatedAddress;

    fn of_place(place: SimulatedAddress) -> io::Result<Self::Address>;
}

impl SimulatedDatagrams for mio::net::UdpSocket {
    fn place(address: SocketAddr) -> SimulatedAddress {
        SimulatedAddress::Ip(address)
    }

    fn of_place(place: SimulatedAddress) -> io::Result<SocketAddr> {
        internet(place)
    }
}

/// Receives a datagram into memory that need not be initialised, and initialises the bytes it
/// counts.
fn receive<S: SimulatedDatagrams>(
    simulated: &dyn SimulatedSocket,
    buf: &mut [MaybeUninit<u8>],
    peeks: bool,
) -> io::Result<(usize, S::Address)> {
    let (count, from) = simulated.receive(buf.len(), peeks, &mut |bytes| {
        for (room, byte) in buf.iter_mut().zip(bytes) {
            room.write(*byte);
        }
    })?;
    let from = from.ok_or_else(|| io::Error::other("a datagram without a sender"))?;
    Ok((count, S::of_place(from)?))
}

impl<S: SimulatedDatagrams> Datagrams for MaybeSimulated<S> {
    type Address = S::Address;

    fn receive(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        match &self.simulated {
            Some(simulated) => receive::<S>(&**simulated, buf, false).map(|(count, _)| (count, ())),
            None => self.system.receive(buf),
        }
    }

    fn receive_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, S::Address)> {
        match &self.simulated {
            Some(simulated) => receive::<S>(&**simulated, buf, false),
            None => self.system.receive_from(buf),
        }
    }

    fn peek(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        match &self.simulated {
            Some(simulated) => receive::<S>(&**simulated, buf, true).map(|(count, _)| (count, ())),
            None => Datagrams::peek(&self.system, buf),
        }
    }

    fn peek_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, S::Address)> {
        match &self.simulated {
            Some(simulated) => receive::<S>(&**simulated, buf, true),
            None => Datagrams::peek_from(&self.system, buf),
        }
    }

    fn peek_sender(&self) -> io::Result<S::Address> {
        match &self.simulated {
            Some(simulated) => receive::<S>(&**simulated, &mut [], true).map(|(_, from)| from),
            None => Datagrams::peek_sender(&self.system),
        }
    }

    fn transmit(&self, datagram: &[u8]) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => simulated.send(&[IoSlice::new(datagram)], None),
            None => self.system.transmit(datagram),
        }
    }

    fn transmit_to(&self, datagram: &[u8], target: &SockAddr) -> io::Result<usize> {
        match &self.simulated {
            Some(simulated) => simulated.send(&[IoSlice::new(datagram)], Some(S::place(S::address(target)?))),
            None => self.system.transmit_to(datagram, target),
        }
    }

    #[cfg(unix)]
    fn direct_to(&self, target: &SockAddr) -> io::Result<()> {
        match &self.simulated {
            Some(simulated) => simulated.connect(S::place(S::address(target)?)),
            None => self.system.direct_to(target),
        }
    }

    fn attempt<R>(&self, call: impl FnOnce(SockRef<'_>) -> io::Result<R>) -> io::Result<R> {
        self.system.attempt(call)
    }

    fn address(of_system: &SockAddr) -> io::Result<S::Address> {
        S::address(of_system)
    }
}
