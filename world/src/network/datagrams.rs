//! UDP datagrams. Each datagram has its own latency, so that a later one may arrive first, and some
//! are lost.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use wsrt_reactor::Ready;

use super::buffers::BufferSpace;
use super::connecting::Taken;
use super::hosts::Hosts;
use super::socket::SocketKind;
use super::wire::Arrival;
use super::{Net, Network};

/// The maximum number of datagrams that wait to be received. Further datagrams are lost.
const MOST_WAITING: usize = 256;
/// The maximum length of a datagram in bytes.
const LONGEST: usize = 65_507;

pub(super) struct DatagramSocket {
    host: usize,
    pub(super) local: SocketAddr,
    pub(super) peer: Option<SocketAddr>,
    pub(super) token: Option<usize>,
    pub(super) room: BufferSpace,
    /// True if the socket's owner is still to be told that its last peer has no socket.
    is_refused: bool,
    inbox: VecDeque<(SocketAddr, Vec<u8>)>,
}

impl DatagramSocket {
    pub(super) fn conditions(&self) -> Ready {
        let writable = if self.room.is_there() { Ready::WRITABLE } else { Ready::EMPTY };
        let has_news = self.is_refused || !self.inbox.is_empty();
        if has_news { writable | Ready::READABLE } else { writable }
    }

    /// Returns the pending error, and clears it.
    fn take_error(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.is_refused) {
            true => Err(ErrorKind::ConnectionRefused.into()),
            false => Ok(()),
        }
    }

    pub(super) fn is_of(&self, host: usize) -> bool {
        self.host == host
    }
}

impl Net {
    pub(super) fn bind(&mut self, at: SocketAddr) -> io::Result<usize> {
        let (host, id) = (self.hosts.current()?, self.datagrams.next_id());
        let local = self.take(host, at, Taken::Udp, id)?;
        let (room, inbox) = (BufferSpace::default(), VecDeque::new());
        self.datagrams.add(DatagramSocket { host, local, peer: None, token: None, room, is_refused: false, inbox });
        self.begin_room(host, SocketKind::Datagrams, id);
        Ok(id)
    }

    pub(super) fn datagram_socket(&mut self, id: usize) -> io::Result<&mut DatagramSocket> {
        self.datagrams.get_mut(id).ok_or_else(|| ErrorKind::NetworkDown.into())
    }

    pub(super) fn close_datagrams(&mut self, id: usize) {
        if let Some(socket) = self.datagrams.remove(id) {
            self.taken.remove(&(socket.host, Taken::Udp(socket.local.port())));
        }
    }

    pub(super) fn receive_datagram(
        &mut self,
        id: usize,
        room: usize,
        peeks: bool,
        into: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(usize, SocketAddr)> {
        let socket = self.datagram_socket(id)?;
        socket.take_error()?;
        let (from, bytes) = socket.inbox.front().ok_or(ErrorKind::WouldBlock)?;
        let (from, count) = (*from, bytes.len().min(room));
        into(&bytes[..count]);
        if !peeks {
            socket.inbox.pop_front();
        }
        Ok((count, from))
    }

    /// Connects a datagram socket. A socket without an address gets the address from which the peer
    /// can be reached.
    pub(super) fn connect_datagrams(&mut self, id: usize, to: SocketAddr) -> io::Result<()> {
        let socket = self.datagram_socket(id)?;
        socket.peer = Some(to);
        if socket.local.ip().is_unspecified() {
            socket.local.set_ip(source(socket.host, to.ip()));
        }
        Ok(())
    }

    /// Sends all datagrams of a message if there is room for one. A message that is split into
    /// several datagrams takes up the room of one.
    pub(super) fn send_datagrams(
        &mut self,
        id: usize,
        datagrams: Vec<Vec<u8>>,
        to: Option<SocketAddr>,
    ) -> io::Result<usize> {
        let socket = self.datagram_socket(id)?;
        socket.take_error()?;
        let to = to.or(socket.peer).ok_or(ErrorKind::NotConnected)?;
        let (host, local, room) = (socket.host, socket.local, socket.room);
        if datagrams.iter().any(|bytes| bytes.len() > LONGEST) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a datagram is too long"));
        }
        let peer_host = self.hosts.at(to.ip(), host)?;
        check_source(local.ip(), host, peer_host)?;
        if !room.is_there() {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.use_room(SocketKind::Datagrams, id, 1);
        let ip = if local.ip().is_unspecified() { source(host, to.ip()) } else { local.ip() };
        let from = (host, SocketAddr::new(ip, local.port()));
        let count = datagrams.iter().map(Vec::len).sum();
        for bytes in datagrams {
            if !self.links.is_lost(host, peer_host) {
                let due = self.links.arrival(host, peer_host, bytes.len(), self.now);
                self.wire.send(due, Arrival::Datagram { from, to: (peer_host, to), bytes });
            }
        }
        Ok(count)
    }

    /// Delivers a datagram. If no socket has the address, or if its queue is full, the datagram is
    /// lost. A connected sender is told if there is no socket.
    pub(super) fn deliver_datagram(&mut self, from: (usize, SocketAddr), to: (usize, SocketAddr), bytes: Vec<u8>) {
        if self.links.is_cut(from.0, to.0) || !self.hosts.is_up(to.0) {
            return;
        }
        let receiver = self.taken.get(&(to.0, Taken::Udp(to.1.port()))).and_then(|&id| self.datagrams.get_mut(id));
        let is_for_it =
            |socket: &&mut DatagramSocket| socket.local.ip().is_unspecified() || socket.local.ip() == to.1.ip();
        let Some(socket) = receiver.filter(is_for_it) else { return self.refuse_datagram(from, to) };
        let is_wanted = socket.peer.is_none_or(|peer| peer == from.1);
        if is_wanted && socket.inbox.len() < MOST_WAITING {
            socket.inbox.push_back((from.1, bytes));
            let token = socket.token;
            self.report(token, Ready::READABLE);
        }
    }
}

/// Returns the address from which a host sends to the destination `to`.
fn source(host: usize, to: IpAddr) -> IpAddr {
    if to.is_loopback() { to } else { Hosts::address(host).into() }
}

/// Returns an error if a socket that is bound to the loopback address would send to another host.
pub(super) fn check_source(from: IpAddr, host: usize, peer_host: usize) -> io::Result<()> {
    if from.is_loopback() && host != peer_host {
        let message = format!("a socket that is bound to {from} reaches no other host");
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    Ok(())
}

impl Net {
    /// Returns the sender's socket if it is connected to the receiver.
    fn connected(&mut self, sender: (usize, SocketAddr), receiver: SocketAddr) -> Option<&mut DatagramSocket> {
        let id = *self.taken.get(&(sender.0, Taken::Udp(sender.1.port())))?;
        self.datagrams.get_mut(id).filter(|socket| socket.peer == Some(receiver))
    }

    /// Notifies a sender that no socket receives its datagrams.
    fn refuse_datagram(&mut self, sender: (usize, SocketAddr), receiver: (usize, SocketAddr)) {
        if self.connected(sender, receiver.1).is_some() && !self.links.is_lost(receiver.0, sender.0) {
            let due = self.links.arrival(receiver.0, sender.0, 0, self.now);
            self.wire.send(due, Arrival::NoReceiver { sender, receiver });
        }
    }

    /// Delivers the notification to a sender that no socket receives its datagrams.
    pub(super) fn deliver_no_receiver(&mut self, sender: (usize, SocketAddr), receiver: (usize, SocketAddr)) {
        if self.links.is_cut(receiver.0, sender.0) {
            return;
        }
        let Some(socket) = self.connected(sender, receiver.1) else { return };
        socket.is_refused = true;
        let (token, ready) = (socket.token, socket.conditions());
        self.report(token, ready);
    }
}

/// The sender of datagrams from outside, which is an address reserved for documentation.
const OUTSIDE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 9);

impl Network {
    /// Delivers a datagram from outside the simulation to the address `to` at the time `due`, in
    /// nanoseconds.
    ///
    /// # Errors
    ///
    /// Returns an error if the current task's host has crashed, or if no host has the address.
    pub fn send_from_outside(&self, due: u64, to: SocketAddr, bytes: &[u8]) -> io::Result<()> {
        let mut net = self.lock();
        let own = net.hosts.current()?;
        let host = net.hosts.at(to.ip(), own)?;
        net.wire.send(due, Arrival::Datagram { from: (host, OUTSIDE), to: (host, to), bytes: bytes.to_vec() });
        Ok(())
    }
}
