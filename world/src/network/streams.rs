//! The endpoints of streams: two queues of bytes, and the data in flight between them.
//!
//! An endpoint has *credit* for as many bytes as its peer has room for. Parcels arrive in the order
//! in which they were sent. If the link is cut or the host is down, the first parcel is
//! retransmitted after increasing pauses, until the stream is given up.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice};
use std::net::Shutdown;

use wsrt_reactor::Ready;
use wsrt_reactor::simulated_net::SimulatedAddress;

use super::Net;
use super::buffers::BufferSpace;
use super::links::MOST_LOSSES;
use super::socket::SocketKind;
use super::wire::Arrival;

/// The size of an endpoint's receive buffer, in bytes.
pub(super) const ROOM: usize = 64 * 1_024;
/// The range of pauses before a retransmission, in nanoseconds. Each pause is twice as long as the
/// one before.
const FIRST_PAUSE: u64 = 200_000_000;
const LONGEST_PAUSE: u64 = 60_000_000_000;
/// The number of transmissions after which a stream is given up: about a quarter of an hour, as on
/// Linux.
const MOST_TRIES: u32 = 20;

pub(super) struct StreamEnd {
    pub(super) host: usize,
    pub(super) peer_host: usize,
    pub(super) local: SimulatedAddress,
    pub(super) peer: SimulatedAddress,
    pub(super) other: Option<usize>,
    pub(super) token: Option<usize>,
    pub(super) phase: StreamPhase,
    inbox: VecDeque<u8>,
    /// True if the peer has shut down its direction.
    is_ended: bool,
    credit: usize,
    pub(super) room: BufferSpace,
    /// The number of bytes read for which the peer has not been given credit yet.
    unpaid: usize,
    outbox: VecDeque<Sent>,
    is_scheduled: bool,
    last_due: u64,
    tries: u32,
    has_ended: bool,
    reads_no_more: bool,
    pub(super) is_dropped: bool,
    /// True if the host has crashed. Data in flight still arrives, but nothing is retransmitted.
    is_orphan: bool,
    /// True if the port was assigned to this endpoint.
    pub(super) has_own_port: bool,
}

/// A parcel in flight.
struct Sent {
    due: u64,
    /// The number of times the parcel was lost.
    losses: u32,
    parcel: Parcel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamPhase {
    Connecting,
    Open,
    /// The stream has ended, with the error that the owner has not seen yet.
    Over(Option<ErrorKind>),
}

pub(super) enum Parcel {
    /// Accepts the stream at this end.
    Hello(usize),
    Bytes(Vec<u8>),
    /// Tells the peer that the sender has read this many bytes.
    Credit(usize),
    End,
    Reset,
}

impl StreamEnd {
    pub(super) fn new(
        hosts: (usize, usize),
        local: SimulatedAddress,
        peer: SimulatedAddress,
        phase: StreamPhase,
        other: Option<usize>,
    ) -> Self {
        Self {
            host: hosts.0,
            peer_host: hosts.1,
            local,
            peer,
            other,
            token: None,
            phase,
            inbox: VecDeque::new(),
            is_ended: false,
            credit: ROOM,
            room: BufferSpace::default(),
            unpaid: 0,
            outbox: VecDeque::new(),
            is_scheduled: false,
            last_due: 0,
            tries: 0,
            has_ended: false,
            reads_no_more: false,
            is_dropped: false,
            is_orphan: false,
            has_own_port: false,
        }
    }

    /// Reschedules the stream's greeting to arrive at `due`, if the greeting was lost and is
    /// waiting for its retransmission.
    pub(super) fn greet_again(&mut self, due: u64) -> bool {
        let tries = self.tries;
        match self.outbox.front_mut() {
            Some(Sent { due: later, losses, parcel: Parcel::Hello(_) }) if tries > 0 => {
                (*later, *losses) = (due, 0);
                true
            }
            _ => false,
        }
    }

    pub(super) fn conditions(&self) -> Ready {
        let when = |holds: bool, ready| if holds { ready } else { Ready::EMPTY };
        match self.phase {
            StreamPhase::Connecting => Ready::EMPTY,
            StreamPhase::Over(_) => Ready::READABLE | Ready::WRITABLE | Ready::READ_CLOSED | Ready::WRITE_CLOSED,
            StreamPhase::Open => {
                when(!self.inbox.is_empty() || self.is_ended, Ready::READABLE)
                    | when(self.is_ended, Ready::READ_CLOSED)
                    | when(self.credit > 0 && self.room.is_there(), Ready::WRITABLE)
            }
        }
    }

    /// Returns the pending error, and clears it.
    fn take_error(&mut self) -> io::Result<()> {
        match self.phase {
            StreamPhase::Over(Some(why)) => {
                self.phase = StreamPhase::Over(None);
                Err(why.into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn outcome(&mut self) -> io::Result<()> {
        self.take_error()?;
        match self.phase {
            StreamPhase::Connecting => Err(ErrorKind::WouldBlock.into()),
            StreamPhase::Open | StreamPhase::Over(_) => Ok(()),
        }
    }

    /// Shows up to `room` of the first bytes to `into`, and returns their number.
    fn show(&self, room: usize, into: &mut dyn FnMut(&[u8])) -> usize {
        let (first, second) = self.inbox.as_slices();
        let in_first = first.len().min(room);
        let in_second = second.len().min(room - in_first);
        into(&first[..in_first]);
        into(&second[..in_second]);
        in_first + in_second
    }

    /// Returns whether the stream is no longer needed.
    fn is_done(&self) -> bool {
        let is_over = matches!(self.phase, StreamPhase::Over(_)) || (self.has_ended && self.is_ended);
        let is_left = self.is_orphan || (self.is_dropped && is_over);
        is_left && self.outbox.is_empty()
    }
}

/// Returns the pause after this many consecutive losses, in nanoseconds.
fn pause_after(tries: u32) -> u64 {
    (FIRST_PAUSE << tries.min(16)).min(LONGEST_PAUSE)
}

impl Net {
    pub(super) fn add_end(&mut self, end: StreamEnd) -> usize {
        let host = end.host;
        let id = self.ends.add(end);
        self.begin_room(host, SocketKind::End, id);
        id
    }

    pub(super) fn end(&mut self, id: usize) -> io::Result<&mut StreamEnd> {
        self.ends.get_mut(id).filter(|end| !end.is_orphan).ok_or_else(|| ErrorKind::NetworkDown.into())
    }

    /// Closes the endpoints of a crashed host, but keeps the parcels in flight.
    pub(super) fn orphan_ends(&mut self, host: usize) {
        for id in self.ends.ids_of(|end| end.host == host) {
            let Some(end) = self.ends.get_mut(id) else { continue };
            end.is_orphan = true;
            end.token = None;
            if end.peer_host == host || end.outbox.is_empty() {
                self.ends.remove(id);
            }
        }
    }

    fn report_end(&mut self, id: usize) {
        if let Some(end) = self.ends.get(id) {
            let (token, ready) = (end.token, end.conditions());
            self.report(token, ready);
        }
    }

    pub(super) fn receive(
        &mut self,
        id: usize,
        room: usize,
        peeks: bool,
        into: &mut dyn FnMut(&[u8]),
    ) -> io::Result<usize> {
        let end = self.end(id)?;
        if end.inbox.is_empty() {
            end.take_error()?;
            let is_closed = end.is_ended || end.reads_no_more || matches!(end.phase, StreamPhase::Over(_));
            return if is_closed || room == 0 { Ok(0) } else { Err(ErrorKind::WouldBlock.into()) };
        }
        let count = end.show(room, into);
        if !peeks {
            end.inbox.drain(..count);
            end.unpaid += count;
            if end.unpaid >= ROOM / 2 && end.phase == StreamPhase::Open && !end.is_ended {
                let unpaid = std::mem::take(&mut end.unpaid);
                self.post(id, Parcel::Credit(unpaid));
            }
        }
        Ok(count)
    }

    pub(super) fn send(&mut self, id: usize, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        let end = self.end(id)?;
        end.take_error()?;
        match end.phase {
            StreamPhase::Connecting => return Err(ErrorKind::WouldBlock.into()),
            StreamPhase::Over(_) => return Err(ErrorKind::BrokenPipe.into()),
            StreamPhase::Open if end.has_ended => return Err(ErrorKind::BrokenPipe.into()),
            StreamPhase::Open => {}
        }
        let asked: usize = bufs.iter().map(|buf| buf.len()).sum();
        if asked == 0 {
            return Ok(0);
        }
        let count = end.room.part_of(asked.min(end.credit));
        if count == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        end.credit -= count;
        let mut bytes = Vec::with_capacity(count);
        for buf in bufs {
            bytes.extend_from_slice(&buf[..buf.len().min(count - bytes.len())]);
        }
        self.post(id, Parcel::Bytes(bytes));
        self.use_room(SocketKind::End, id, count);
        Ok(count)
    }

    pub(super) fn shut_down(&mut self, id: usize, how: Shutdown) -> io::Result<()> {
        let end = self.end(id)?;
        if end.phase != StreamPhase::Open {
            return Err(ErrorKind::NotConnected.into());
        }
        if how != Shutdown::Write {
            end.reads_no_more = true;
        }
        if how != Shutdown::Read && !std::mem::replace(&mut end.has_ended, true) {
            self.post(id, Parcel::End);
        }
        Ok(())
    }

    /// Closes an endpoint that its owner has dropped.
    pub(super) fn close_end(&mut self, id: usize) {
        let Ok(end) = self.end(id) else { return };
        end.is_dropped = true;
        end.token = None;
        match end.phase {
            StreamPhase::Connecting => end.phase = StreamPhase::Over(None),
            StreamPhase::Over(_) => {}
            // Bytes that were not read: the other end is to know.
            StreamPhase::Open if !end.inbox.is_empty() => self.reset(id),
            StreamPhase::Open if !end.has_ended => {
                end.has_ended = true;
                self.post(id, Parcel::End);
            }
            StreamPhase::Open => {}
        }
        self.collect(id);
    }

    /// Closes an endpoint that no owner has accepted or will accept.
    pub(super) fn abandon_end(&mut self, id: usize) {
        if self.end(id).is_ok_and(|end| end.phase == StreamPhase::Open) {
            self.reset(id);
        }
        self.close_end(id);
    }

    /// Ends the stream at once, and notifies the peer.
    fn reset(&mut self, id: usize) {
        self.post(id, Parcel::Reset);
        if let Some(end) = self.ends.get_mut(id) {
            end.phase = StreamPhase::Over(None);
        }
    }

    /// Ends the stream at this endpoint, because of a notification from outside.
    pub(super) fn fail(&mut self, id: usize, why: ErrorKind) {
        let Some(end) = self.ends.get_mut(id) else { return };
        if !matches!(end.phase, StreamPhase::Over(_)) {
            end.phase = StreamPhase::Over(Some(why));
            end.outbox.clear();
            self.report_end(id);
        }
        self.collect(id);
    }

    fn collect(&mut self, id: usize) {
        if self.ends.get(id).is_some_and(StreamEnd::is_done) {
            let end = self.ends.remove(id).expect("it was there");
            self.give_port_back(id, &end);
        }
    }

    /// Sends a parcel to the other end.
    pub(super) fn post(&mut self, id: usize, parcel: Parcel) {
        let Some(end) = self.ends.get_mut(id) else { return };
        let bytes = if let Parcel::Bytes(bytes) = &parcel { bytes.len() } else { 0 };
        let (due, losses) = self.links.arrival_at_last(end.host, end.peer_host, bytes, self.now);
        let due = due.max(end.last_due);
        end.last_due = due;
        end.outbox.push_back(Sent { due, losses, parcel });
        if !std::mem::replace(&mut end.is_scheduled, true) {
            self.wire.send(due, Arrival::Parcels { from: id });
        }
    }

    /// Delivers the parcels at the front of an endpoint's queue that are due.
    pub(super) fn deliver_parcels(&mut self, id: usize) {
        loop {
            let now = self.now;
            let Some(end) = self.ends.get_mut(id) else { return };
            end.is_scheduled = false;
            let Some(sent) = end.outbox.front() else { break };
            if sent.due > now {
                end.is_scheduled = true;
                self.wire.send(sent.due, Arrival::Parcels { from: id });
                return;
            }
            let is_lost = sent.losses >= MOST_LOSSES
                || self.links.is_cut(end.host, end.peer_host)
                || !self.hosts.is_up(end.peer_host);
            if is_lost || (end.is_orphan && sent.losses > 0) {
                return self.try_again(id);
            }
            end.tries = 0;
            let (other, parcel) = (end.other, end.outbox.pop_front().expect("one is there").parcel);
            self.hand_over(id, other, parcel);
        }
        self.collect(id);
    }

    /// Handles the loss of the first parcel.
    fn try_again(&mut self, id: usize) {
        let Some(end) = self.ends.get_mut(id) else { return };
        if end.is_orphan {
            end.outbox.clear();
            return self.collect(id);
        }
        end.tries += 1;
        if let Some(sent) = end.outbox.front_mut() {
            sent.losses = if self.links.is_lost(end.host, end.peer_host) { MOST_LOSSES } else { 1 };
        }
        if end.tries > MOST_TRIES {
            return self.fail(id, ErrorKind::TimedOut);
        }
        end.is_scheduled = true;
        let pause = pause_after(end.tries);
        self.wire.send(self.now + pause, Arrival::Parcels { from: id });
    }

    /// Delivers a parcel from the endpoint `from` to the endpoint `to`.
    fn hand_over(&mut self, from: usize, to: Option<usize>, parcel: Parcel) {
        let knows = |end: &&mut StreamEnd| {
            let is_answer = end.phase == StreamPhase::Connecting && matches!(parcel, Parcel::Hello(_));
            !end.is_orphan && (is_answer || end.other == Some(from))
        };
        let target = to.and_then(|to| self.ends.get_mut(to).filter(knows).map(|end| (to, end)));
        let Some((to, end)) = target else {
            // The host has crashed, or another end has answered the call first.
            if !matches!(parcel, Parcel::Credit(_) | Parcel::Reset) {
                self.refuse(from, ErrorKind::ConnectionReset);
            }
            return;
        };
        match parcel {
            Parcel::Hello(other) if end.phase == StreamPhase::Connecting => {
                end.phase = StreamPhase::Open;
                end.other = Some(other);
            }
            Parcel::Reset => return self.fail(to, ErrorKind::ConnectionReset),
            _ if end.phase != StreamPhase::Open => return self.refuse(from, ErrorKind::ConnectionReset),
            Parcel::Hello(_) => {}
            Parcel::Bytes(_) if end.is_dropped || end.reads_no_more => {
                self.reset(to);
                return self.collect(to);
            }
            Parcel::Bytes(bytes) => end.inbox.extend(bytes),
            Parcel::Credit(count) => end.credit += count,
            Parcel::End => end.is_ended = true,
        }
        self.report_end(to);
        self.collect(to);
    }

    /// Notifies an endpoint that its stream has ended.
    pub(super) fn refuse(&mut self, to: usize, why: ErrorKind) {
        let Some(end) = self.ends.get(to) else { return };
        let due = self.links.arrival(end.peer_host, end.host, 0, self.now);
        self.wire.send(due, Arrival::Refusal { to, why, tries: 0 });
    }

    /// Handles a notification that has arrived or was lost on its way. If it was lost, the endpoint
    /// tries again: with another connection request while it connects, and by retransmitting the
    /// parcel otherwise.
    pub(super) fn deliver_refusal(&mut self, to: usize, why: ErrorKind, tries: u32) {
        let Some(end) = self.ends.get(to) else { return };
        let (from, own) = (end.peer_host, end.host);
        let is_lost = self.links.is_cut(from, own) || self.links.is_lost(from, own);
        match (is_lost, end.phase) {
            // Of a call that was repeated, and answered since.
            (_, StreamPhase::Open) if why == ErrorKind::ConnectionRefused => {}
            (false, _) => self.fail(to, why),
            (true, StreamPhase::Connecting | StreamPhase::Over(_)) => {}
            (true, StreamPhase::Open) if tries == MOST_TRIES => self.fail(to, ErrorKind::TimedOut),
            (true, StreamPhase::Open) => {
                let tries = tries + 1;
                self.wire.send(self.now + pause_after(tries), Arrival::Refusal { to, why, tries });
            }
        }
    }

    /// Resets the streams between two hosts, as a middlebox might. Both endpoints are notified.
    pub(super) fn reset_between(&mut self, one: usize, other: usize) {
        let is_between = |end: &StreamEnd| [(one, other), (other, one)].contains(&(end.host, end.peer_host));
        for id in self.ends.ids_of(is_between) {
            self.fail(id, ErrorKind::ConnectionReset);
        }
    }
}
