//! Draws random faults within the bounds that a program sets.

use std::ops::Range;
use std::time::Duration;

use super::network::Network;
use super::plan::{Fault, FaultEffect};
use wsrt_sync::rng::FastRand;

const MICRO: u64 = 1_000;

/// The bounds within which random faults are drawn: how often they begin, how long they last, how
/// severe they are, and of which kinds.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultBounds {
    /// How long new faults keep beginning, counted from the call that asked for them.
    pub within: Duration,
    /// The range from which the pause between the beginnings of two faults is drawn.
    pub every: Range<Duration>,
    /// The range from which the duration of a fault is drawn.
    pub lasting: Range<Duration>,
    /// The maximum number of hosts that are down at the same time.
    pub most_down: usize,
    /// The range of factors by which a slow link delays packets.
    pub factors: Range<u32>,
    /// The range of failure rates of a failing disk, in failed calls per million.
    pub failing: Range<u32>,
    /// The range of factors by which a slow disk delays calls.
    pub disk_factors: Range<u32>,
    /// The largest jump of a host's wall clock, forwards or backwards.
    pub jump: Duration,
    /// The largest drift of a host's clocks, in parts per million.
    pub drift: i32,
    /// The kinds of faults to draw from, each with equal probability. A kind that is listed twice
    /// is twice as likely.
    pub kinds: Vec<FaultKind>,
}

/// A kind of fault that a simulation can inject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// A host crashes, and restarts at the end of the fault.
    Crash,
    /// The link between two hosts is cut in both directions.
    Partition,
    /// The link between two hosts is cut in one direction.
    OneWay,
    /// The streams between two hosts are reset.
    Reset,
    /// The link between two hosts delays packets.
    Slow,
    /// A host's socket buffers are full, so that sockets accept only a little data at a time.
    BuffersFull,
    /// A host's disk is full.
    DiskFull,
    /// Some calls on a host's disk fail.
    DiskFailing,
    /// Calls on a host's disk take longer.
    DiskSlow,
    /// A host's wall clock jumps forwards or backwards.
    ClockJump,
    /// A host's clocks run too fast or too slow.
    ClockDrift,
}

/// Draws the faults of one `draw_faults` call, one after another. The drawer has random numbers of
/// its own, so that a run with a given plan draws the same numbers for everything else.
pub(super) struct Drawer {
    rng: FastRand,
    bounds: FaultBounds,
    /// The time at which the next fault begins.
    next: u64,
    /// The time by which the last fault has ended.
    end: u64,
}

impl Drawer {
    pub(super) fn new(seed: u64, bounds: FaultBounds, now: u64) -> Self {
        let within = u64::try_from(bounds.within.as_nanos()).unwrap_or(u64::MAX);
        let mut drawer = Self { rng: FastRand::from_seed(seed), bounds, next: now, end: now.saturating_add(within) };
        drawer.move_on();
        drawer
    }

    /// Returns when the next fault begins, or `None` if no more faults are drawn.
    pub(super) fn next_at(&self) -> Option<u64> {
        (self.next < self.end && !self.bounds.kinds.is_empty()).then_some(self.next)
    }

    /// Draws the fault that begins now, while `down` hosts are down. Returns `None` if the hosts do
    /// not allow the fault, or if it would change nothing.
    pub(super) fn draw(&mut self, network: &Network, down: usize) -> Option<Fault> {
        let at = self.next;
        let kind = self.bounds.kinds[self.rng.below(self.bounds.kinds.len())];
        let what = self.draw_hosts(network).and_then(|hosts| self.fault(kind, hosts, network, down));
        let lasting = self.time(self.bounds.lasting.clone()).min(self.end - at);
        self.move_on();
        let what = what.filter(|what| !what.is_nothing())?;
        let lasting = (!what.is_instant()).then_some(lasting);
        Some(Fault { at, what, lasting })
    }

    /// Draws two hosts, which may be the same.
    fn draw_hosts(&mut self, network: &Network) -> Option<[usize; 2]> {
        let count = network.host_count() - 1;
        (count > 0).then(|| [(); 2].map(|()| 1 + self.rng.below(count)))
    }

    fn fault(
        &mut self,
        kind: FaultKind,
        [one, other]: [usize; 2],
        network: &Network,
        down: usize,
    ) -> Option<FaultEffect> {
        let (first, second) = (network.host_name(one), network.host_name(other));
        match kind {
            FaultKind::Crash => {
                (down < self.bounds.most_down && network.is_up(one)).then_some(FaultEffect::Crash(first))
            }
            FaultKind::BuffersFull => Some(FaultEffect::BuffersFull(first)),
            FaultKind::DiskFull => Some(FaultEffect::DiskFull(first)),
            FaultKind::DiskFailing => Some(FaultEffect::DiskFailing(first, self.number(self.bounds.failing.clone()))),
            FaultKind::DiskSlow => {
                Some(FaultEffect::DiskSlow(first, self.number(self.bounds.disk_factors.clone()).max(1)))
            }
            FaultKind::ClockJump => {
                let jump = self.time(Duration::from_nanos(MICRO)..self.bounds.jump).min(nanos(self.bounds.jump));
                let jump = i64::try_from(jump).unwrap_or(i64::MAX);
                Some(FaultEffect::ClockJump(first, if self.is_negative() { -jump } else { jump }))
            }
            FaultKind::ClockDrift => {
                let drift = (1 + self.rng.below(self.bounds.drift.max(1) as usize) as i32).min(self.bounds.drift);
                Some(FaultEffect::ClockDrift(first, if self.is_negative() { -drift } else { drift }))
            }
            _ if one == other => None,
            FaultKind::Partition => Some(FaultEffect::Cut(first, second)),
            FaultKind::OneWay => Some(FaultEffect::CutOneWay(first, second)),
            FaultKind::Reset => Some(FaultEffect::Reset(first, second)),
            FaultKind::Slow => Some(FaultEffect::Slow(first, second, self.number(self.bounds.factors.clone()).max(1))),
        }
    }

    fn number(&mut self, Range { start, end }: Range<u32>) -> u32 {
        start.saturating_add(self.rng.below(end.saturating_sub(start).max(1) as usize) as u32)
    }

    fn is_negative(&mut self) -> bool {
        self.rng.below(2) == 0
    }

    /// Draws the pause before the next fault, which begins at a whole microsecond.
    fn move_on(&mut self) {
        let pause = self.time(self.bounds.every.clone()).max(MICRO);
        self.next = self.next.saturating_add(pause).next_multiple_of(MICRO);
    }

    /// Draws a duration, in whole microseconds if the range is wide enough.
    fn time(&mut self, range: Range<Duration>) -> u64 {
        let (start, end) = (nanos(range.start), nanos(range.end));
        let drawn = start + self.rng.below(end.saturating_sub(start).max(1) as usize) as u64;
        (drawn - drawn % MICRO).max(start)
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX / 4)
}
