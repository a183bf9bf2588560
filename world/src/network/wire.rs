//! The wire: everything in flight, in order of arrival.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::net::SocketAddr;

use super::socket::SocketKind;

/// Something that arrives, or is to be looked at, at a moment.
#[derive(Debug)]
pub(super) enum Arrival {
    /// The first packet of a stream.
    Call { from: usize },
    /// The first parcels of this end of a stream, for the other.
    Parcels { from: usize },
    /// It is sent again if it has no answer.
    CallUnanswered { from: usize, tries: u32 },
    /// A notice for this end that the stream is over, which was lost so many times before.
    Refusal { to: usize, why: io::ErrorKind, tries: u32 },
    /// A datagram for a host and an address there.
    Datagram { from: (usize, SocketAddr), to: (usize, SocketAddr), bytes: Vec<u8> },
    /// A notice for a socket that no socket has the address to which it is connected.
    NoReceiver { sender: (usize, SocketAddr), receiver: (usize, SocketAddr) },
    /// The buffer of a socket, which is full, has room for a little.
    Room { kind: SocketKind, id: usize },
}

/// Ordered by time, and at the same time by the order in which they were sent.
#[derive(Default)]
pub(super) struct Wire {
    order: BinaryHeap<Reverse<(u64, u64)>>,
    arrivals: BTreeMap<u64, Arrival>,
    sent: u64,
}

impl Wire {
    pub(super) fn send(&mut self, due: u64, arrival: Arrival) {
        self.order.push(Reverse((due, self.sent)));
        self.arrivals.insert(self.sent, arrival);
        self.sent += 1;
    }

    pub(super) fn next_at(&self) -> Option<u64> {
        self.order.peek().map(|Reverse((due, _))| *due)
    }

    pub(super) fn take_next(&mut self) -> Option<Arrival> {
        let Reverse((_, number)) = self.order.pop()?;
        self.arrivals.remove(&number)
    }
}
