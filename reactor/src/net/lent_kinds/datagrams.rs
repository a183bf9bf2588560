//! Datagrams, UDP first, on a lent socket or an OS socket.

use super::{MaybeLent, UdpSocket, bystander, internet, network};
use crate::descriptor;
use crate::lent::{Place, Socket};
use crate::net::datagram::Datagrams;
use socket2::{Domain, Protocol, SockAddr, SockRef, Type};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddr;

impl UdpSocket {
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let Some(network) = network() else { return mio::net::UdpSocket::bind(address).map(Self::of_system) };
        let system = bystander(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        let lent = network.bind(address, descriptor::raw(&system))?;
        Ok(Self::lent(mio::net::UdpSocket::from_std(system.into()), lent))
    }

    pub(crate) fn from_std(socket: std::net::UdpSocket) -> Self {
        let lent = network().and_then(|network| network.datagrams_of(descriptor::raw(&socket)));
        Self { system: mio::net::UdpSocket::from_std(socket), lent }
    }

    pub(crate) fn connect(&self, address: SocketAddr) -> io::Result<()> {
        self.either(|lent| lent.connect(Place::Ip(address)), |system| system.connect(address))
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| internet(lent.local()?), |system| system.local_addr())
    }

    pub(crate) fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.either(|lent| internet(lent.peer()?), |system| system.peer_addr())
    }
}

impl From<UdpSocket> for std::net::UdpSocket {
    fn from(socket: UdpSocket) -> Self {
        socket.system.into()
    }
}

/// A kind of socket for datagrams whose addresses are places on a lent network.
pub(super) trait Placed: Datagrams {
    fn place(address: Self::Address) -> Place;

    fn of_place(place: Place) -> io::Result<Self::Address>;
}

impl Placed for mio::net::UdpSocket {
    fn place(address: SocketAddr) -> Place {
        Place::Ip(address)
    }

    fn of_place(place: Place) -> io::Result<SocketAddr> {
        internet(place)
    }
}

/// Receives a datagram into memory that need not be initialised, and initialises the bytes it
/// counts.
fn receive<S: Placed>(lent: &dyn Socket, buf: &mut [MaybeUninit<u8>], peeks: bool) -> io::Result<(usize, S::Address)> {
    let (count, from) = lent.receive(buf.len(), peeks, &mut |bytes| {
        for (room, byte) in buf.iter_mut().zip(bytes) {
            room.write(*byte);
        }
    })?;
    let from = from.ok_or_else(|| io::Error::other("a datagram without a sender"))?;
    Ok((count, S::of_place(from)?))
}

impl<S: Placed> Datagrams for MaybeLent<S> {
    type Address = S::Address;

    fn receive(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        match &self.lent {
            Some(lent) => receive::<S>(&**lent, buf, false).map(|(count, _)| (count, ())),
            None => self.system.receive(buf),
        }
    }

    fn receive_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, S::Address)> {
        match &self.lent {
            Some(lent) => receive::<S>(&**lent, buf, false),
            None => self.system.receive_from(buf),
        }
    }

    fn peek(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, ())> {
        match &self.lent {
            Some(lent) => receive::<S>(&**lent, buf, true).map(|(count, _)| (count, ())),
            None => Datagrams::peek(&self.system, buf),
        }
    }

    fn peek_from(&self, buf: &mut [MaybeUninit<u8>]) -> io::Result<(usize, S::Address)> {
        match &self.lent {
            Some(lent) => receive::<S>(&**lent, buf, true),
            None => Datagrams::peek_from(&self.system, buf),
        }
    }

    fn peek_sender(&self) -> io::Result<S::Address> {
        match &self.lent {
            Some(lent) => receive::<S>(&**lent, &mut [], true).map(|(_, from)| from),
            None => Datagrams::peek_sender(&self.system),
        }
    }

    fn transmit(&self, datagram: &[u8]) -> io::Result<usize> {
        match &self.lent {
            Some(lent) => lent.send(&[IoSlice::new(datagram)], None),
            None => self.system.transmit(datagram),
        }
    }

    fn transmit_to(&self, datagram: &[u8], target: &SockAddr) -> io::Result<usize> {
        match &self.lent {
            Some(lent) => lent.send(&[IoSlice::new(datagram)], Some(S::place(S::address(target)?))),
            None => self.system.transmit_to(datagram, target),
        }
    }

    #[cfg(unix)]
    fn direct_to(&self, target: &SockAddr) -> io::Result<()> {
        match &self.lent {
            Some(lent) => lent.connect(S::place(S::address(target)?)),
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
