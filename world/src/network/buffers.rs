//! Full socket buffers: for a while, the sockets of a host accept only a little data at a time,
//! with pauses in between.
//!
//! Data that a socket has accepted is delivered as usual. The pauses and the amounts are drawn from
//! a random generator of their own, so that a run without this fault draws the same numbers for
//! everything else.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::set_by::SetBy;
use super::socket::SocketKind;
use super::wire::Arrival;
use super::{Net, Network};
use wsrt_sync::rng::FastRand;

/// The number of bytes that a stream accepts between two pauses.
const BYTES: RangeInclusive<usize> = 1..=64;
/// The number of datagrams that a socket accepts between two pauses.
const DATAGRAMS: RangeInclusive<usize> = 1..=2;
/// The durations of the pauses during which a socket accepts nothing, in nanoseconds.
const PAUSES: RangeInclusive<usize> = 1_000_000..=50_000_000;

pub(super) struct Buffers {
    rng: FastRand,
    full: BTreeSet<(usize, SetBy)>,
}

impl Buffers {
    pub(super) fn new(seed: u64) -> Self {
        let rng = FastRand::from_seed(FastRand::from_seed(seed.rotate_left(24)).next_u64());
        Self { rng, full: BTreeSet::new() }
    }

    fn are_full(&self, host: usize) -> bool {
        SetBy::ALL.iter().any(|by| self.full.contains(&(host, *by)))
    }

    fn draw(&mut self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.rng.below(range.end() - range.start() + 1)
    }
}

/// The number of bytes or datagrams that a socket accepts before the next pause. The number is
/// unlimited unless the host's buffers are full.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BufferSpace(Option<usize>);

impl BufferSpace {
    pub(super) fn is_there(self) -> bool {
        self.0 != Some(0)
    }

    /// Returns how much of `asked` there is room for.
    pub(super) fn part_of(self, asked: usize) -> usize {
        self.0.map_or(asked, |left| left.min(asked))
    }
}

impl Net {
    fn room_of(&mut self, kind: SocketKind, id: usize) -> Option<&mut BufferSpace> {
        match kind {
            SocketKind::End => self.ends.get_mut(id).map(|end| &mut end.room),
            SocketKind::Datagrams => self.datagrams.get_mut(id).map(|socket| &mut socket.room),
            SocketKind::UnixDatagrams => self.unix_datagrams.get_mut(id).map(|socket| &mut socket.room),
            SocketKind::Listener => None,
        }
    }

    /// Sets the room of a new socket on a host.
    pub(super) fn begin_room(&mut self, host: usize, kind: SocketKind, id: usize) {
        if self.buffers.are_full(host) {
            self.pause(kind, id);
        }
    }

    /// Subtracts data that a socket has accepted from the socket's room.
    pub(super) fn use_room(&mut self, kind: SocketKind, id: usize, count: usize) {
        let Some(BufferSpace(Some(left))) = self.room_of(kind, id) else { return };
        *left -= count;
        if *left == 0 {
            self.pause(kind, id);
        }
    }

    /// Starts a pause, during which the socket accepts nothing.
    fn pause(&mut self, kind: SocketKind, id: usize) {
        let pause = self.buffers.draw(PAUSES) as u64;
        self.wire.send(self.now + pause, Arrival::BufferSpace { kind, id });
        if let Some(room) = self.room_of(kind, id) {
            *room = BufferSpace(Some(0));
        }
    }

    /// Ends a socket's pause.
    pub(super) fn deliver_room(&mut self, kind: SocketKind, id: usize) {
        let range = if kind == SocketKind::End { BYTES } else { DATAGRAMS };
        let drawn = self.buffers.draw(range);
        let Some(room) = self.room_of(kind, id).filter(|room| !room.is_there()) else { return };
        *room = BufferSpace(Some(drawn));
        self.report_writable(kind, id);
    }

    fn report_writable(&mut self, kind: SocketKind, id: usize) {
        let socket = match kind {
            SocketKind::End => self.ends.get(id).map(|end| (end.token, end.conditions())),
            SocketKind::Datagrams => self.datagrams.get(id).map(|socket| (socket.token, socket.conditions())),
            SocketKind::UnixDatagrams => self.unix_datagrams.get(id).map(|socket| (socket.token, socket.conditions())),
            SocketKind::Listener => None,
        };
        if let Some((token, ready)) = socket {
            self.report(token, ready);
        }
    }

    fn fill_buffers(&mut self, host: usize, by: SetBy, is_full: bool) {
        let were_full = self.buffers.are_full(host);
        match is_full {
            true => _ = self.buffers.full.insert((host, by)),
            false => _ = self.buffers.full.remove(&(host, by)),
        }
        let are_full = self.buffers.are_full(host);
        if were_full == are_full {
            return;
        }
        for (kind, id) in self.senders_of(host) {
            match are_full {
                true => self.pause(kind, id),
                false => {
                    self.room_of(kind, id).into_iter().for_each(|room| *room = BufferSpace::default());
                    self.report_writable(kind, id);
                }
            }
        }
    }

    /// Returns the sockets with which a host can send.
    fn senders_of(&self, host: usize) -> Vec<(SocketKind, usize)> {
        let ends = self.ends.ids_of(|end| end.host == host);
        let datagrams = self.datagrams.ids_of(|socket| socket.is_of(host));
        let unix_datagrams = self.unix_datagrams.ids_of(|socket| socket.is_of(host));
        let of_kind = |kind: SocketKind, ids: Vec<usize>| ids.into_iter().map(move |id| (kind, id));
        let ends = of_kind(SocketKind::End, ends).chain(of_kind(SocketKind::Datagrams, datagrams));
        ends.chain(of_kind(SocketKind::UnixDatagrams, unix_datagrams)).collect()
    }
}

impl Network {
    /// Fills or frees the socket buffers of a host, on behalf of `by`.
    ///
    /// If both the program and a fault have filled the buffers, the buffers stay full until both
    /// have freed them.
    pub fn fill_buffers(&self, host: usize, by: SetBy, is_full: bool) {
        self.lock().fill_buffers(host, by, is_full);
    }
}
