//! The interface through which a simulated network provides the sockets of a simulated runtime.
//!
//! A socket that is created in such a runtime is a [`SimulatedSocket`] of the runtime's
//! [`SimulatedNetwork`]. The socket is registered and waited for like any other, but its events
//! come from the network, which the netpoller queries in each turn.

use crate::readiness::EventBits;
use crate::ready::Ready;
use crate::registry::SourceToken;
use std::fmt;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Shutdown, SocketAddr};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, OnceLock};

/// The OS's number of a socket.
#[cfg(unix)]
pub type RawDescriptor = std::os::fd::RawFd;
/// The OS's number of a socket.
#[cfg(windows)]
pub type RawDescriptor = std::os::windows::io::RawSocket;

/// The address of a socket in a simulated network.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SimulatedAddress {
    /// The IP address and port of a TCP or UDP socket.
    Ip(SocketAddr),
    /// The bytes of a Unix socket's path, or of its abstract name with the leading zero byte; empty
    /// for a socket without a name.
    Unix(Vec<u8>),
}

/// A change of the conditions of a simulated socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimulatedEvent {
    /// The token that the socket was [attached](SimulatedSocket::attach) with.
    pub token: usize,
    /// The conditions that hold from this event on.
    pub ready: Ready,
}

/// A simulated network, which provides the sockets of a simulated runtime.
pub trait SimulatedNetwork: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Returns the addresses of the host with the name `host`.
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;

    /// Starts to connect a stream to the address `to`. [`SimulatedSocket::outcome`] returns the
    /// result.
    fn connect(&self, from: Option<SimulatedAddress>, to: SimulatedAddress) -> io::Result<Arc<dyn SimulatedSocket>>;

    /// Creates a socket that listens for streams at the address `at`. At most `backlog` connections
    /// wait to be accepted.
    fn listen(&self, at: SimulatedAddress, backlog: usize) -> io::Result<Arc<dyn SimulatedSocket>>;

    /// Creates a datagram socket bound to `at`. `beside` is the OS socket that exists alongside the
    /// simulated one.
    fn bind(&self, at: SocketAddr, beside: RawDescriptor) -> io::Result<Arc<dyn SimulatedSocket>>;

    /// Creates a datagram socket within one host, bound to a name as in
    /// [`SimulatedAddress::Unix`]; an empty `name` leaves the socket unnamed.
    fn bind_within(&self, name: Vec<u8>) -> io::Result<Arc<dyn SimulatedSocket>>;

    /// Returns the listener that takes the place of the OS socket `descriptor`, or `None` if the
    /// network has not bound such a socket or it does not listen. With a `backlog`, the socket
    /// starts to listen.
    fn listener_of(&self, descriptor: RawDescriptor, backlog: Option<usize>) -> Option<Arc<dyn SimulatedSocket>>;

    /// Returns the datagram socket that takes the place of the OS socket `descriptor`, or `None` if
    /// there is none.
    fn datagrams_of(&self, descriptor: RawDescriptor) -> Option<Arc<dyn SimulatedSocket>>;

    /// Returns two streams on one host that are connected to each other.
    fn pair(&self) -> io::Result<[Arc<dyn SimulatedSocket>; 2]>;

    /// Returns two datagram sockets on one host that are connected to each other.
    fn datagram_pair(&self) -> io::Result<[Arc<dyn SimulatedSocket>; 2]>;

    /// Calls `each` with every event since the last call.
    fn take_events(&self, each: &mut dyn FnMut(SimulatedEvent));
}

/// A socket of a simulated network, of any kind. A call that does not fit the kind of the socket
/// returns an error. Dropping the socket closes it.
pub trait SimulatedSocket: Send + Sync + UnwindSafe + RefUnwindSafe + fmt::Debug {
    /// Starts to report events under `token`, beginning with the conditions that hold at present.
    fn attach(&self, token: usize);

    /// Stops reporting events.
    fn detach(&self);

    /// Returns the local address of this socket.
    fn local(&self) -> io::Result<SimulatedAddress>;

    /// Returns the address of the remote peer.
    fn peer(&self) -> io::Result<SimulatedAddress>;

    /// Accepts a waiting connection, and returns its socket together with the peer's address.
    fn accept(&self) -> io::Result<(Arc<dyn SimulatedSocket>, SimulatedAddress)>;

    /// Returns the result of connecting, or `WouldBlock` while the attempt is in progress.
    fn outcome(&self) -> io::Result<()>;

    /// Connects the socket to `to`: datagrams are sent to this address, and received only from it.
    fn connect(&self, to: SimulatedAddress) -> io::Result<()>;

    /// Passes the bytes that have arrived, or the next datagram, to `into`, at most `room` bytes.
    /// The bytes are consumed unless `peeks` is true. Returns the number of bytes and, for a
    /// datagram, the sender's address.
    fn receive(
        &self,
        room: usize,
        peeks: bool,
        into: &mut dyn FnMut(&[u8]),
    ) -> io::Result<(usize, Option<SimulatedAddress>)>;

    /// Sends as many bytes of `bufs` as there is room for, or one whole datagram, to the address
    /// `to` if it is given. Returns the number of bytes sent.
    fn send(&self, bufs: &[IoSlice<'_>], to: Option<SimulatedAddress>) -> io::Result<usize>;

    /// Sends `bytes` as datagrams of `length` bytes each, with a shorter last one for the rest, to
    /// the address `to` if it is given. Sends either all of the datagrams or none.
    fn send_segments(&self, bytes: &[u8], length: usize, to: Option<SimulatedAddress>) -> io::Result<usize>;

    /// Shuts down one direction of the connection, or both.
    fn shut_down(&self, how: Shutdown) -> io::Result<()>;
}

/// Where a netpoller has its network.
pub(crate) struct NetworkSlot(OnceLock<Arc<dyn SimulatedNetwork>>);

impl NetworkSlot {
    pub(crate) fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Makes `network` provide the sockets, if there is none yet.
    pub(crate) fn begin(&self, network: Arc<dyn SimulatedNetwork>) {
        let _ = self.0.set(network);
    }

    /// The events since the last call; `None` where the system reports them.
    pub(crate) fn take_events(&self) -> Option<impl Iterator<Item = (SourceToken, EventBits)>> {
        let network = self.0.get()?;
        let mut events = Vec::new();
        network.take_events(&mut |event| {
            events.push((SourceToken::from(mio::Token(event.token)), EventBits::of_simulated(event.ready)));
        });
        Some(events.into_iter())
    }
}

impl fmt::Debug for NetworkSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NetworkSlot").field(&self.0.get().is_some()).finish()
    }
}
