//! How streams are established: addresses, listeners, connection requests and their answers.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};

use wsrt_reactor::Ready;
use wsrt_reactor::simulated_net::SimulatedAddress;

use super::Net;
use super::datagrams::check_source;
use super::hosts::Hosts;
use super::streams::{Parcel, StreamEnd, StreamPhase};
use super::wire::Arrival;

/// The maximum number of connection requests. An unanswered request is repeated after one second,
/// two seconds, four seconds, and so on.
const MOST_CALLS: u32 = 6;
const FIRST_PAUSE: u64 = 1_000_000_000;

pub(super) struct ListeningSocket {
    pub(super) host: usize,
    pub(super) local: SimulatedAddress,
    pub(super) token: Option<usize>,
    /// The length of the accept queue, or 0 before the socket listens.
    pub(super) backlog: usize,
    pub(super) waiting: VecDeque<usize>,
}

/// An address that is in use on a host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Taken {
    Tcp(u16),
    /// The port of a stream that the host has connected.
    TcpStream(u16),
    Udp(u16),
    Unix(Vec<u8>),
    UnixDatagram(Vec<u8>),
}

impl Net {
    /// Reserves an address on a host for the socket `id`, and returns the address with its port.
    pub(super) fn take(
        &mut self,
        host: usize,
        at: SocketAddr,
        kind: fn(u16) -> Taken,
        id: usize,
    ) -> io::Result<SocketAddr> {
        self.close_those_behind();
        let is_own = match at.ip() {
            IpAddr::V4(ip) => ip.is_unspecified() || ip.is_loopback() || ip == Hosts::address(host),
            IpAddr::V6(ip) => ip.is_unspecified() || ip.is_loopback(),
        };
        if !is_own {
            let message = format!(
                "{at} is no address of the host `{}`, which has {}",
                self.hosts.name(host),
                Hosts::address(host)
            );
            return Err(io::Error::new(ErrorKind::AddrNotAvailable, message));
        }
        let mut port = at.port();
        if port == 0 {
            let found = (0..u16::MAX / 4).find_map(|_| {
                port = self.hosts.next_port(host);
                let is_free = |taken: Taken| !self.taken.contains_key(&(host, taken));
                [kind(port), Taken::Tcp(port), Taken::TcpStream(port)].into_iter().all(is_free).then_some(port)
            });
            port = found.ok_or(ErrorKind::AddrInUse)?;
        }
        self.take_named(host, kind(port), id)?;
        Ok(SocketAddr::new(at.ip(), port))
    }

    pub(super) fn take_named(&mut self, host: usize, what: Taken, id: usize) -> io::Result<()> {
        // Sockets of both kinds would be files of one folder.
        let is_taken = match &what {
            Taken::Unix(name) => self.taken.contains_key(&(host, Taken::UnixDatagram(name.clone()))),
            Taken::UnixDatagram(name) => self.taken.contains_key(&(host, Taken::Unix(name.clone()))),
            Taken::Tcp(_) | Taken::TcpStream(_) | Taken::Udp(_) => false,
        };
        let key = (host, what);
        if is_taken || self.taken.contains_key(&key) {
            return Err(ErrorKind::AddrInUse.into());
        }
        self.taken.insert(key, id);
        Ok(())
    }

    pub(super) fn listen(&mut self, at: SimulatedAddress, backlog: usize) -> io::Result<usize> {
        let (host, id) = (self.hosts.current()?, self.listeners.next_id());
        let local = match at {
            SimulatedAddress::Ip(at) => SimulatedAddress::Ip(self.take(host, at, Taken::Tcp, id)?),
            SimulatedAddress::Unix(name) => {
                self.take_named(host, Taken::Unix(name.clone()), id)?;
                SimulatedAddress::Unix(name)
            }
        };
        let waiting = VecDeque::new();
        Ok(self.listeners.add(ListeningSocket { host, local, token: None, backlog: backlog.max(1), waiting }))
    }

    /// Reserves an address for a stream, or for a listener that does not listen yet.
    pub(super) fn bind_stream(&mut self, at: SocketAddr) -> io::Result<usize> {
        let (host, id) = (self.hosts.current()?, self.listeners.next_id());
        let local = SimulatedAddress::Ip(self.take(host, at, Taken::Tcp, id)?);
        Ok(self.listeners.add(ListeningSocket { host, local, token: None, backlog: 0, waiting: VecDeque::new() }))
    }

    pub(super) fn listener(&mut self, id: usize) -> io::Result<&mut ListeningSocket> {
        self.listeners.get_mut(id).ok_or_else(|| ErrorKind::NetworkDown.into())
    }

    pub(super) fn accept(&mut self, id: usize) -> io::Result<(usize, SimulatedAddress)> {
        let end = self.listener(id)?.waiting.pop_front().ok_or(ErrorKind::WouldBlock)?;
        let peer = self.end(end)?.peer.clone();
        Ok((end, peer))
    }

    pub(super) fn close_listener(&mut self, id: usize) {
        let Some(listener) = self.listeners.remove(id) else { return };
        let key = match listener.local {
            SimulatedAddress::Ip(at) => Taken::Tcp(at.port()),
            SimulatedAddress::Unix(name) => Taken::Unix(name),
        };
        self.taken.remove(&(listener.host, key));
        listener.waiting.into_iter().for_each(|end| self.abandon_end(end));
    }

    /// Starts to connect a stream.
    pub(super) fn connect(&mut self, from: Option<SimulatedAddress>, to: SimulatedAddress) -> io::Result<usize> {
        let host = self.hosts.current()?;
        let to = match to {
            SimulatedAddress::Ip(to) => to,
            SimulatedAddress::Unix(name) => return self.connect_within(host, from, name),
        };
        let peer_host = self.hosts.at(to.ip(), host)?;
        if let Some(SimulatedAddress::Ip(from)) = &from {
            check_source(from.ip(), host, peer_host)?;
        }
        let own = if to.ip().is_loopback() { to.ip() } else { Hosts::address(host).into() };
        let port = self.take_port_to_connect(host, from, own)?;
        let local = SimulatedAddress::Ip(SocketAddr::new(own, port));
        let mut end = StreamEnd::new((host, peer_host), local, SimulatedAddress::Ip(to), StreamPhase::Connecting, None);
        end.has_own_port = true;
        let id = self.add_end(end);
        self.call(id, 0);
        Ok(id)
    }

    /// Reserves the local port of a stream: the port to which the socket was bound, or a free one.
    fn take_port_to_connect(&mut self, host: usize, from: Option<SimulatedAddress>, own: IpAddr) -> io::Result<u16> {
        let next = self.ends.next_id();
        let from = match from {
            Some(SimulatedAddress::Ip(from)) => from,
            _ => SocketAddr::new(own, 0),
        };
        if from.port() != 0 {
            let listener = self.taken.get(&(host, Taken::Tcp(from.port())));
            if listener.and_then(|&id| self.listeners.get(id)).is_some_and(|listener| listener.backlog > 0) {
                return Err(ErrorKind::AddrInUse.into());
            }
        }
        Ok(self.take(host, from, Taken::TcpStream, next)?.port())
    }

    /// Frees the local port of a stream, unless a later life of the host has taken the port.
    pub(super) fn give_port_back(&mut self, id: usize, end: &StreamEnd) {
        let (true, SimulatedAddress::Ip(local)) = (end.has_own_port, &end.local) else { return };
        let key = (end.host, Taken::TcpStream(local.port()));
        if self.taken.get(&key) == Some(&id) {
            self.taken.remove(&key);
        }
    }

    fn call(&mut self, from: usize, tries: u32) {
        let Some(end) = self.ends.get(from) else { return };
        let due = self.links.arrival(end.host, end.peer_host, 0, self.now);
        self.wire.send(due, Arrival::Call { from });
        self.wire.send(self.now + (FIRST_PAUSE << tries), Arrival::CallUnanswered { from, tries });
    }

    /// Handles an unanswered connection request: repeats it, or gives up the stream.
    pub(super) fn call_again(&mut self, from: usize, tries: u32) {
        match self.ends.get(from) {
            Some(end) if end.phase != StreamPhase::Connecting => {}
            _ if tries == MOST_CALLS => self.fail(from, ErrorKind::TimedOut),
            _ => self.call(from, tries + 1),
        }
    }

    /// Repeats the answer to a connection request, because the first answer may have been lost.
    /// Returns `false` if the request was never answered.
    fn answer_again(&mut self, from: usize, peer_host: usize) -> bool {
        let accepted = self.ends.ids_of(|end| end.other == Some(from) && end.host == peer_host);
        let Some(&accepted) = accepted.first() else { return false };
        let due = self.links.arrival(peer_host, self.ends.get(from).map_or(peer_host, |end| end.host), 0, self.now);
        if self.ends.get_mut(accepted).is_some_and(|end| end.greet_again(due)) {
            self.wire.send(due, Arrival::Parcels { from: accepted });
        }
        true
    }

    /// Handles a connection request that arrives or is lost. A repetition of the request may have
    /// arrived before it.
    pub(super) fn deliver_call(&mut self, from: usize) {
        let Some(end) = self.ends.get(from) else { return };
        if end.phase != StreamPhase::Connecting {
            return;
        }
        let (host, peer_host, local, peer) = (end.host, end.peer_host, end.local.clone(), end.peer.clone());
        let is_lost =
            self.links.is_cut(host, peer_host) || !self.hosts.is_up(peer_host) || self.links.is_lost(host, peer_host);
        if is_lost || self.answer_again(from, peer_host) {
            return;
        }
        let SimulatedAddress::Ip(at) = &peer else { return };
        let Some(&listener) = self.taken.get(&(peer_host, Taken::Tcp(at.port()))) else {
            return self.refuse(from, ErrorKind::ConnectionRefused);
        };
        match self.listeners.get(listener) {
            Some(listener) if listener.listens_at(at.ip()) && listener.waiting.len() < listener.backlog => {}
            // A full queue: the call is repeated.
            Some(listener) if listener.listens_at(at.ip()) => return,
            _ => return self.refuse(from, ErrorKind::ConnectionRefused),
        }
        let accepted = self.add_end(StreamEnd::new((peer_host, host), peer, local, StreamPhase::Open, Some(from)));
        self.post(accepted, Parcel::Hello(accepted));
        self.queue(listener, accepted);
    }

    fn queue(&mut self, listener: usize, accepted: usize) {
        let Some(listener) = self.listeners.get_mut(listener) else { return };
        listener.waiting.push_back(accepted);
        let token = listener.token;
        self.report(token, Ready::READABLE);
    }

    /// Connects two endpoints on the same host at once.
    pub(super) fn join(&mut self, host: usize, names: [Vec<u8>; 2]) -> [usize; 2] {
        let [one, other] = names.map(SimulatedAddress::Unix);
        let first = self.ends.next_id();
        let pair = [(one.clone(), other.clone(), first + 1), (other, one, first)];
        pair.map(|(local, peer, id)| {
            self.add_end(StreamEnd::new((host, host), local, peer, StreamPhase::Open, Some(id)))
        })
    }

    fn connect_within(&mut self, host: usize, from: Option<SimulatedAddress>, name: Vec<u8>) -> io::Result<usize> {
        let &listener = self.taken.get(&(host, Taken::Unix(name.clone()))).ok_or(ErrorKind::NotFound)?;
        let waits = self.listeners.get(listener).is_some_and(|listener| listener.waiting.len() >= listener.backlog);
        if waits {
            return Err(ErrorKind::WouldBlock.into());
        }
        let own_name = match from {
            Some(SimulatedAddress::Unix(name)) => name,
            Some(SimulatedAddress::Ip(_)) | None => Vec::new(),
        };
        let [own, accepted] = self.join(host, [own_name, name]);
        self.queue(listener, accepted);
        Ok(own)
    }
}

impl ListeningSocket {
    fn listens_at(&self, address: IpAddr) -> bool {
        match &self.local {
            SimulatedAddress::Ip(_) if self.backlog == 0 => false,
            SimulatedAddress::Ip(local) => local.ip().is_unspecified() || local.ip() == address,
            SimulatedAddress::Unix(_) => false,
        }
    }
}
