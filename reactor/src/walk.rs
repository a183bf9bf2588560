//! The walk over registered sources for dumps: which waker waits for which source.
//!
//! Walking changes nothing and wakes no task. The walks
//! ([`Netpoller::for_each_waiter`](crate::Netpoller::for_each_waiter),
//! [`TimerQueue::for_each_waiter`](crate::timer::TimerQueue::for_each_waiter)) hold the locks that
//! sockets and timers need for some microseconds at a time, so that other threads get in between.
//! A walk is therefore no snapshot.

use crate::address::Address;
use crate::descriptor::{self, RawDescriptor};
use crate::interest::Interest;
use crate::simulated_net::SimulatedSocket;
use socket2::SockAddr;
use std::io;
use std::sync::{Arc, Weak};

/// The facts about a source that are known from its registration on.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    kind: &'static str,
    descriptor: Option<LabelDescriptor>,
}

#[derive(Clone, Debug)]
enum LabelDescriptor {
    /// Owned by the registered source, and open for as long as that is registered.
    Socket(RawDescriptor),
    /// The user's: it may be closed by now, and its number may stand for another file.
    #[cfg(unix)]
    Foreign(RawDescriptor),
    /// A simulated one, instead of the OS socket beside it. Its owner may have closed it by now.
    Simulated(Weak<dyn SimulatedSocket>),
}

impl Label {
    /// A source of which only the kind is known.
    pub(crate) fn of_kind(kind: &'static str) -> Self {
        Self { kind, descriptor: None }
    }

    /// A socket whose owner closes it after taking it out of the poll.
    pub(crate) fn of_socket(kind: &'static str, descriptor: RawDescriptor) -> Self {
        Self { kind, descriptor: Some(LabelDescriptor::Socket(descriptor)) }
    }

    /// A socket of a simulated network.
    #[allow(dead_code, reason = "without feature `sim` there is none")]
    pub(crate) fn of_simulated(kind: &'static str, socket: &Arc<dyn SimulatedSocket>) -> Self {
        Self { kind, descriptor: Some(LabelDescriptor::Simulated(Arc::downgrade(socket))) }
    }

    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns whether the source belongs to a simulated socket.
    pub(crate) fn is_simulated(&self) -> bool {
        matches!(self.descriptor, Some(LabelDescriptor::Simulated(_)))
    }

    /// The descriptor of an OS socket that the registered source owns.
    #[cfg(unix)]
    pub(crate) fn own_descriptor(&self) -> Option<RawDescriptor> {
        match self.descriptor {
            Some(LabelDescriptor::Socket(raw)) => Some(raw),
            _ => None,
        }
    }

    /// Asks the OS whether it is a socket that is not connected to a peer.
    pub(crate) fn is_unconnected(&self) -> bool {
        match self.descriptor {
            Some(LabelDescriptor::Socket(raw)) => descriptor::is_unconnected(raw),
            #[cfg(unix)]
            Some(LabelDescriptor::Foreign(raw)) => descriptor::is_unconnected(raw),
            Some(LabelDescriptor::Simulated(_)) => false,
            None => false,
        }
    }

    /// A descriptor that the user may close at any time.
    #[cfg(unix)]
    pub(crate) fn of_foreign(kind: &'static str, descriptor: RawDescriptor) -> Self {
        Self { kind, descriptor: Some(LabelDescriptor::Foreign(descriptor)) }
    }
}

/// A source of events that a task waits for, as passed to the closure of a walk over all waiters.
#[derive(Debug)]
pub struct WatchedSource<'a> {
    label: &'a Label,
    interest: Interest,
}

impl<'a> WatchedSource<'a> {
    /// The caller keeps the source registered while the value is used.
    pub(crate) fn new(label: &'a Label, interest: Interest) -> Self {
        Self { label, interest }
    }

    /// Returns the kind of the source: a type name such as `TcpStream`, or the name under which the
    /// source was registered.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.label.kind
    }

    /// Returns the directions that the task waits for.
    #[must_use]
    pub fn interest(&self) -> Interest {
        self.interest
    }

    /// Returns the number of the source's file descriptor or Windows socket, or `None` if the
    /// number is not known.
    #[must_use]
    pub fn descriptor(&self) -> Option<u64> {
        let raw = match self.label.descriptor.as_ref()? {
            LabelDescriptor::Socket(raw) => *raw,
            #[cfg(unix)]
            LabelDescriptor::Foreign(raw) => *raw,
            LabelDescriptor::Simulated(_) => return None,
        };
        u64::try_from(raw).ok()
    }

    /// Returns the address that the source is bound to, as reported by the OS or the simulated
    /// network. Returns `None` if the source has no address or is not a socket.
    #[must_use]
    pub fn local_addr(&self) -> Option<Address> {
        if let Some(simulated) = self.simulated() {
            return Address::of_place(simulated?.local().ok()?);
        }
        self.ask(|socket| socket.local_addr())
    }

    /// Returns the address that the source is connected to, as reported by the OS or the simulated
    /// network. Returns `None` if the source is not connected, its peer has no name, or the source
    /// is not a socket.
    #[must_use]
    pub fn peer_addr(&self) -> Option<Address> {
        if let Some(simulated) = self.simulated() {
            return Address::of_place(simulated?.peer().ok()?);
        }
        self.ask(|socket| socket.peer_addr())
    }

    /// The simulated socket, if it is one: `Some(None)` once its owner has closed it.
    fn simulated(&self) -> Option<Option<Arc<dyn SimulatedSocket>>> {
        match &self.label.descriptor {
            Some(LabelDescriptor::Simulated(socket)) => Some(socket.upgrade()),
            _ => None,
        }
    }

    fn ask(&self, question: impl FnOnce(&socket2::SockRef<'_>) -> io::Result<SockAddr>) -> Option<Address> {
        let Some(LabelDescriptor::Socket(raw)) = &self.label.descriptor else { return None };
        // SAFETY: the source is registered, so its owner has not closed the socket yet.
        let answer = unsafe { descriptor::with_socket(*raw, question) };
        Address::from_system(&answer.ok()?)
    }
}
