//! Unix datagrams, which stay within a host and arrive at once and in order. None is lost: a sender
//! waits while the receiver is full, and is notified when the receiver has room.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, ErrorKind, IoSlice};
use std::net::Shutdown;

use wsrt_reactor::Ready;

use super::Net;
use super::buffers::BufferSpace;
use super::connecting::Taken;
use super::socket::SocketKind;

/// The maximum number of datagrams that wait to be received, as on Linux.
const MOST_WAITING: usize = 10;
/// The maximum length of a datagram in bytes, which is the size of Linux's send buffer.
const LONGEST: usize = 212_960;

pub(super) struct UnixDatagramSocket {
    host: usize,
    /// The socket's name, or an empty name if it has none. All names here follow this rule.
    pub(super) local: Vec<u8>,
    /// The number and the name of the socket that this one is connected to. That socket may have
    /// been closed.
    pub(super) peer: Option<(usize, Vec<u8>)>,
    pub(super) token: Option<usize>,
    pub(super) room: BufferSpace,
    inbox: VecDeque<(Vec<u8>, Vec<u8>)>,
    /// The senders that wait because the socket's queue was full.
    waiting_senders: BTreeSet<usize>,
    reads: bool,
    writes: bool,
}

impl UnixDatagramSocket {
    fn new(host: usize, local: Vec<u8>) -> Self {
        Self {
            host,
            local,
            peer: None,
            token: None,
            room: BufferSpace::default(),
            inbox: VecDeque::new(),
            waiting_senders: BTreeSet::new(),
            reads: true,
            writes: true,
        }
    }

    pub(super) fn conditions(&self) -> Ready {
        let writable = if self.room.is_there() { Ready::WRITABLE } else { Ready::EMPTY };
        if self.inbox.is_empty() { writable } else { writable | Ready::READABLE }
    }

    pub(super) fn is_of(&self, host: usize) -> bool {
        self.host == host
    }
}

impl Net {
    /// Creates a socket, with a name unless `name` is empty.
    pub(super) fn bind_within(&mut self, name: Vec<u8>) -> io::Result<usize> {
        let (host, id) = (self.hosts.current()?, self.unix_datagrams.next_id());
        if !name.is_empty() {
            self.take_named(host, Taken::UnixDatagram(name.clone()), id)?;
        }
        self.unix_datagrams.add(UnixDatagramSocket::new(host, name));
        self.begin_room(host, SocketKind::UnixDatagrams, id);
        Ok(id)
    }

    pub(super) fn datagram_pair(&mut self) -> io::Result<[usize; 2]> {
        let pair = [self.bind_within(Vec::new())?, self.bind_within(Vec::new())?];
        for (one, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            self.unix_datagram_socket(one)?.peer = Some((other, Vec::new()));
        }
        Ok(pair)
    }

    pub(super) fn unix_datagram_socket(&mut self, id: usize) -> io::Result<&mut UnixDatagramSocket> {
        self.unix_datagrams.get_mut(id).ok_or_else(|| ErrorKind::NetworkDown.into())
    }

    /// Closes a socket. Senders that wait for room are woken, and learn that the socket is gone.
    pub(super) fn close_unix_datagrams(&mut self, id: usize) {
        let Some(socket) = self.unix_datagrams.remove(id) else { return };
        self.taken.remove(&(socket.host, Taken::UnixDatagram(socket.local)));
        self.tell_senders(socket.waiting_senders);
    }

    fn tell_senders(&mut self, senders: BTreeSet<usize>) {
        for sender in senders {
            let token = self.unix_datagrams.get(sender).and_then(|sender| sender.token);
            self.report(token, Ready::WRITABLE);
        }
    }

    /// Returns the socket with this name on a host.
    fn named(&self, host: usize, name: &[u8]) -> io::Result<usize> {
        let key = (host, Taken::UnixDatagram(name.to_vec()));
        self.taken.get(&key).copied().ok_or_else(|| ErrorKind::NotFound.into())
    }

    pub(super) fn connect_unix_datagrams(&mut self, id: usize, to: Vec<u8>) -> io::Result<()> {
        let host = self.unix_datagram_socket(id)?.host;
        let peer = self.named(host, &to)?;
        self.check_may_send(id, peer)?;
        self.unix_datagram_socket(id)?.peer = Some((peer, to));
        Ok(())
    }

    /// Returns an error if the socket `to` is connected to a socket other than `from`.
    fn check_may_send(&self, from: usize, to: usize) -> io::Result<()> {
        let peer = self.unix_datagrams.get(to).ok_or(ErrorKind::ConnectionRefused)?.peer.as_ref();
        match peer.is_none_or(|(peer, _)| *peer == from) {
            true => Ok(()),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }

    pub(super) fn receive_unix_datagram(
        &mut self,
        id: usize,
        room: usize,
        peeks: bool,
        into: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(usize, Vec<u8>)> {
        let socket = self.unix_datagram_socket(id)?;
        let (from, bytes) = socket.inbox.front().ok_or(ErrorKind::WouldBlock)?;
        let (from, count) = (from.clone(), bytes.len().min(room));
        into(&bytes[..count]);
        if !peeks {
            socket.inbox.pop_front();
            let senders = std::mem::take(&mut socket.waiting_senders);
            self.tell_senders(senders);
        }
        Ok((count, from))
    }

    pub(super) fn send_unix_datagram(
        &mut self,
        id: usize,
        bufs: &[IoSlice<'_>],
        to: Option<Vec<u8>>,
    ) -> io::Result<usize> {
        let socket = self.unix_datagram_socket(id)?;
        let (host, from, writes, room) = (socket.host, socket.local.clone(), socket.writes, socket.room);
        let receiver = match (to, &socket.peer) {
            (Some(name), _) => self.named(host, &name)?,
            (None, Some((peer, _))) => *peer,
            (None, None) => return Err(ErrorKind::NotConnected.into()),
        };
        if !writes {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let bytes: Vec<u8> = bufs.iter().flat_map(|buf| buf.iter().copied()).collect();
        if bytes.len() > LONGEST {
            return Err(io::Error::new(ErrorKind::InvalidInput, "a datagram is too long"));
        }
        self.check_may_send(id, receiver)?;
        let receiver = self.unix_datagram_socket(receiver)?;
        if !receiver.reads {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if receiver.inbox.len() >= MOST_WAITING {
            receiver.waiting_senders.insert(id);
            return Err(ErrorKind::WouldBlock.into());
        }
        if !room.is_there() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = bytes.len();
        receiver.inbox.push_back((from, bytes));
        let token = receiver.token;
        self.report(token, Ready::READABLE);
        self.use_room(SocketKind::UnixDatagrams, id, 1);
        Ok(count)
    }

    pub(super) fn shut_down_unix_datagrams(&mut self, id: usize, how: Shutdown) -> io::Result<()> {
        let socket = self.unix_datagram_socket(id)?;
        socket.reads &= how == Shutdown::Write;
        socket.writes &= how == Shutdown::Read;
        Ok(())
    }
}
