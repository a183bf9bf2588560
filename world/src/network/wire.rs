//! The wire: everything in flight, in order of arrival.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::net::SocketAddr;

use super::socket::SocketKind;

/// Something that arrives at a certain time, or has to be checked at that time.
#[derive(Debug)]
pub(super) enum Arrival {
    /// The first packet of a stream, which requests a connection.
    Call { from: usize },
    /// The first parcels from this endpoint to its peer.
    Parcels { from: usize },
    /// A connection request is repeated if it is still unanswered.
    CallUnanswered { from: usize, tries: u32 },
    /// A notification for an endpoint that its stream has ended. `tries` is the number of times the
    /// notification was lost.
    Refusal { to: usize, why: io::ErrorKind, tries: u32 },
    /// A datagram for an address on a host.
    Datagram { from: (usize, SocketAddr), to: (usize, SocketAddr), bytes: Vec<u8> },
    /// A notification for a connected datagram socket that no socket has its peer's address.
    NoReceiver { sender: (usize, SocketAddr), receiver: (usize, SocketAddr) },
    /// A full socket buffer gains some room.
    BufferSpace { kind: SocketKind, id: usize },
}

/// Everything in flight, ordered by time and, at the same time, by the order of sending.
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
