//! Who waits for what, shown to whoever asks: what a dump of a runtime is made of.
//!
//! To look changes nothing and wakes nobody. The walks
//! ([`Netpoller::for_each_waiter`](crate::Netpoller::for_each_waiter),
//! [`TimerQueue::for_each_waiter`](crate::timer::TimerQueue::for_each_waiter)) hold the locks that
//! sockets and timers need for some microseconds at a time, so that others get in between, and so
//! what they show is no snapshot.

use crate::interest::Interest;
use crate::net::system::{self, RawDescriptor};
use socket2::SockAddr;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What is known of a source from its registration on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    kind: &'static str,
    descriptor: Option<Descriptor>,
}

#[derive(Clone, Copy, Debug)]
enum Descriptor {
    /// It is the registered source's own, and open for as long as that is registered.
    Socket(RawDescriptor),
    /// The user's: it may be closed by now, and be somebody else's.
    #[cfg(unix)]
    Foreign(RawDescriptor),
}

impl Label {
    /// A source of which nothing else is known.
    pub(crate) fn of_kind(kind: &'static str) -> Self {
        Self { kind, descriptor: None }
    }

    /// A socket that is closed by whoever has registered it, after it was taken out of the poll.
    pub(crate) fn of_socket(kind: &'static str, descriptor: RawDescriptor) -> Self {
        Self { kind, descriptor: Some(Descriptor::Socket(descriptor)) }
    }

    /// A descriptor that others may close.
    #[cfg(unix)]
    pub(crate) fn of_foreign(kind: &'static str, descriptor: RawDescriptor) -> Self {
        Self { kind, descriptor: Some(Descriptor::Foreign(descriptor)) }
    }
}

/// A source of events that somebody waits for, for as long as a walk shows it.
#[derive(Debug)]
pub struct WatchedSource<'a> {
    label: &'a Label,
    interest: Interest,
}

impl<'a> WatchedSource<'a> {
    /// The source is registered while the answer is used.
    pub(crate) fn new(label: &'a Label, interest: Interest) -> Self {
        Self { label, interest }
    }

    /// Returns what kind of source it is: the name of a type, such as `TcpStream`, or what it was
    /// registered as.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.label.kind
    }

    /// Returns what it is waited for.
    #[must_use]
    pub fn interest(&self) -> Interest {
        self.interest
    }

    /// Returns the number of its descriptor, or socket, where that is known.
    #[must_use]
    pub fn descriptor(&self) -> Option<u64> {
        let raw = match self.label.descriptor? {
            Descriptor::Socket(raw) => raw,
            #[cfg(unix)]
            Descriptor::Foreign(raw) => raw,
        };
        u64::try_from(raw).ok()
    }

    /// Asks the system for the address that it is bound to; `None` if it has none, or is no socket.
    #[must_use]
    pub fn local_addr(&self) -> Option<Address> {
        self.ask(|socket| socket.local_addr())
    }

    /// Asks the system for the address that it is connected to; `None` if it is not connected, its
    /// peer has no name, or it is no socket.
    #[must_use]
    pub fn peer_addr(&self) -> Option<Address> {
        self.ask(|socket| socket.peer_addr())
    }

    fn ask(&self, question: impl FnOnce(&socket2::SockRef<'_>) -> io::Result<SockAddr>) -> Option<Address> {
        let Some(Descriptor::Socket(raw)) = self.label.descriptor else { return None };
        // SAFETY: the source is registered, so that its socket has yet to be closed.
        let answer = unsafe { system::with_socket(raw, question) };
        Address::from_system(&answer.ok()?)
    }
}

/// Where a socket is, or its peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Address {
    /// An internet address and a port.
    Ip(SocketAddr),
    /// The path of a Unix socket.
    Path(PathBuf),
    /// The name of a Unix socket in Linux's abstract namespace.
    Abstract(Vec<u8>),
}

impl Address {
    fn from_system(address: &SockAddr) -> Option<Self> {
        address.as_socket().map(Self::Ip).or_else(|| system::unix_address(address))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Path(path) => path.display().fmt(f),
            Self::Abstract(name) => write!(f, "@{}", name.escape_ascii()),
        }
    }
}
