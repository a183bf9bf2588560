//! The interface of a network that a simulated runtime lends to its sockets.
//!
//! A socket that is made in such a runtime is [lent](Socket) by its [`Network`]. It is registered
//! as others are, and waits as they do; its events come from the network, and the netpoller asks
//! that for them in each turn.

use crate::readiness::EventBits;
use crate::ready::Ready;
use crate::registry::SourceToken;
use crate::services::Services;
use std::fmt;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

/// A socket as the system numbers it.
#[cfg(unix)]
pub type RawDescriptor = std::os::fd::RawFd;
/// A socket as the system numbers it.
#[cfg(windows)]
pub type RawDescriptor = std::os::windows::io::RawSocket;

/// An address of a lent socket.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A socket of TCP or UDP.
    Ip(SocketAddr),
    /// The bytes of a path, or of an abstract name, with the zero before it; empty for a socket
    /// without a name.
    Unix(Vec<u8>),
}

/// Something has happened to a lent socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number that the socket was [attached](Socket::attach) with.
    pub token: usize,
    /// The conditions that hold from now on.
    pub ready: Ready,
}

/// Lends sockets.
pub trait Network: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the addresses of a host.
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;

    /// Begins to connect a stream to `to`. [`Socket::outcome`] tells how that ends.
    fn connect(&self, from: Option<Place>, to: Place) -> io::Result<Arc<dyn Socket>>;

    /// Listens for streams at `at`; `backlog` of them may wait to be accepted.
    fn listen(&self, at: Place, backlog: usize) -> io::Result<Arc<dyn Socket>>;

    /// Binds a socket for datagrams to `at`. The system's socket that stands beside it is
    /// `beside`.
    fn bind(&self, at: SocketAddr, beside: RawDescriptor) -> io::Result<Arc<dyn Socket>>;

    /// Makes a socket for datagrams within a host, at a name like a [`Place::Unix`]'s, or at
    /// none where that is empty.
    fn bind_within(&self, name: Vec<u8>) -> io::Result<Arc<dyn Socket>>;

    /// Returns the listener that stands for a socket of the system, if the network has bound that
    /// in the system's place, and it listens; with a `backlog` it does so from now on.
    fn listener_of(&self, descriptor: RawDescriptor, backlog: Option<usize>) -> Option<Arc<dyn Socket>>;

    /// Returns the socket for datagrams that stands for one of the system's likewise.
    fn datagrams_of(&self, descriptor: RawDescriptor) -> Option<Arc<dyn Socket>>;

    /// Returns two streams that are connected to each other, on one host.
    fn pair(&self) -> io::Result<[Arc<dyn Socket>; 2]>;

    /// Returns two sockets for datagrams likewise.
    fn datagram_pair(&self) -> io::Result<[Arc<dyn Socket>; 2]>;

    /// Hands the events since the last call to `each`.
    fn take_events(&self, each: &mut dyn FnMut(Event));
}

/// A lent socket of any kind. A call that does not fit its kind is an error. Dropping it closes it.
pub trait Socket: Send + Sync + UnwindSafe + RefUnwindSafe + fmt::Debug {
    /// Reports events under `token` from now on, the present conditions first.
    fn attach(&self, token: usize);

    /// Reports no more events.
    fn detach(&self);

    /// Returns the local address of this socket.
    fn local(&self) -> io::Result<Place>;

    /// Returns the address of the remote peer.
    fn peer(&self) -> io::Result<Place>;

    /// Takes a connection that waits to be accepted, with its peer's address.
    fn accept(&self) -> io::Result<(Arc<dyn Socket>, Place)>;

    /// Returns how connecting has ended; `WouldBlock` while it has not.
    fn outcome(&self) -> io::Result<()>;

    /// Connects the socket: datagrams go to `to`, and come from nowhere else.
    fn connect(&self, to: Place) -> io::Result<()>;

    /// Shows `into` the bytes, or the datagram, that have come, up to `room` bytes, and takes them
    /// unless it `peeks`. Returns how many bytes those were, and the sender of a datagram.
    fn receive(&self, room: usize, peeks: bool, into: &mut dyn FnMut(&[u8])) -> io::Result<(usize, Option<Place>)>;

    /// Sends as much of `bufs` as there is room for; a datagram whole, to `to` if that is given.
    fn send(&self, bufs: &[IoSlice<'_>], to: Option<Place>) -> io::Result<usize>;

    /// Sends `bytes` as datagrams of `length` bytes, and a shorter one for the rest, to `to` if
    /// that is given: all of them, or none.
    fn send_segments(&self, bytes: &[u8], length: usize, to: Option<Place>) -> io::Result<usize>;

    /// Ends one direction, or both.
    fn shut_down(&self, how: Shutdown) -> io::Result<()>;
}

/// Where a netpoller has its network.
pub(crate) struct Lender(OnceLock<Arc<dyn Network>>);

impl Lender {
    pub(crate) fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Makes `network` lend the sockets, if there is none yet.
    pub(crate) fn begin(&self, network: Arc<dyn Network>) {
        let _ = self.0.set(network);
    }

    /// The events since the last call; `None` where the system reports them.
    pub(crate) fn take_events(&self) -> Option<impl Iterator<Item = (SourceToken, EventBits)>> {
        let network = self.0.get()?;
        let mut events = Vec::new();
        network.take_events(&mut |event| {
            events.push((SourceToken::from(mio::Token(event.token)), EventBits::of_lent(event.ready)));
        });
        Some(events.into_iter())
    }
}

impl fmt::Debug for Lender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lender").field(&self.0.get().is_some()).finish()
    }
}

/// The addresses of `host`, by the network of `services`, if it has one.
pub(crate) fn look_up(host: &str, port: u16, services: &dyn Services) -> Option<io::Result<Vec<SocketAddr>>> {
    let found = services.network()?.resolve(host);
    Some(found.map(|addresses| addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect()))
}
