//! Links between hosts: how long packets take, and which packets are lost.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::latency::LatencyModel;
use super::set_by::SetBy;
use wsrt_sync::rng::FastRand;

/// The latency within a host, in nanoseconds.
const LOOPBACK: Range<u64> = 2_000..12_000;
/// The time after which the loss of a stream's packet is noticed, in nanoseconds.
const RETRANSMISSION: u64 = 200_000_000;
/// The number of consecutive losses after which a packet is retransmitted as at a cut link.
pub(super) const MOST_LOSSES: u32 = 8;
const SECOND: u64 = 1_000_000_000;

/// One direction of the connection between two hosts: the latency, the packet loss, and the
/// bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkProperties {
    /// The distribution of packet latencies.
    pub latency: LatencyModel,
    /// The fraction of packets that are lost, from 0 to 1.
    pub loss: f64,
    /// The bandwidth in bytes per second, or `None` for unlimited bandwidth.
    pub bandwidth: Option<u64>,
}

impl Default for LinkProperties {
    fn default() -> Self {
        Self { latency: LatencyModel::Uniform(200_000..1_000_000), loss: 0.0, bandwidth: None }
    }
}

pub(super) struct LinkTable {
    rng: FastRand,
    common: LinkProperties,
    own: BTreeMap<(usize, usize), LinkProperties>,
    cut: BTreeSet<(usize, usize, SetBy)>,
    /// The factors by which links are slowed down.
    slow: BTreeMap<(usize, usize), u32>,
    /// The time until which a link with limited bandwidth is busy.
    busy: BTreeMap<(usize, usize), u64>,
}

impl LinkTable {
    pub(super) fn new(seed: u64) -> Self {
        let rng = FastRand::from_seed(seed.rotate_left(48));
        Self {
            rng,
            common: LinkProperties::default(),
            own: BTreeMap::new(),
            cut: BTreeSet::new(),
            slow: BTreeMap::new(),
            busy: BTreeMap::new(),
        }
    }

    pub(super) fn set_common(&mut self, link: LinkProperties) {
        self.common = link;
    }

    /// Sets the properties of one direction.
    pub(super) fn set(&mut self, from: usize, to: usize, link: LinkProperties) {
        self.own.insert((from, to), link);
    }

    pub(super) fn cut(&mut self, from: usize, to: usize, by: SetBy) {
        self.cut.insert((from, to, by));
    }

    pub(super) fn heal(&mut self, from: usize, to: usize, by: SetBy) {
        self.cut.remove(&(from, to, by));
    }

    pub(super) fn heal_all(&mut self) {
        self.cut.clear();
    }

    pub(super) fn is_cut(&self, from: usize, to: usize) -> bool {
        from != to && SetBy::ALL.iter().any(|by| self.cut.contains(&(from, to, *by)))
    }

    /// Slows the packets of one direction down by a factor.
    pub(super) fn slow(&mut self, from: usize, to: usize, factor: u32) {
        match factor {
            0 | 1 => _ = self.slow.remove(&(from, to)),
            _ => _ = self.slow.insert((from, to), factor),
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        let scaled = u128::from(self.rng.next_u64()) * u128::from(bound);
        (scaled >> 64) as u64
    }

    /// Returns `true` with the given probability.
    fn happens(&mut self, probability: f64) -> bool {
        const PARTS: u64 = 1 << 32;
        probability > 0.0 && (self.below(PARTS) as f64) < probability * PARTS as f64
    }

    /// Draws whether a packet is lost.
    pub(super) fn is_lost(&mut self, from: usize, to: usize) -> bool {
        let loss = self.own.get(&(from, to)).unwrap_or(&self.common).loss;
        from != to && self.happens(loss)
    }

    /// Draws the time at which a packet that is sent now arrives.
    pub(super) fn arrival(&mut self, from: usize, to: usize, bytes: usize, now: u64) -> u64 {
        if from == to {
            return now + LOOPBACK.start + self.below(LOOPBACK.end - LOOPBACK.start);
        }
        let link = self.own.get(&(from, to)).unwrap_or(&self.common);
        let (latency, bandwidth) = (link.latency.clone(), link.bandwidth);
        let mut sent = now;
        if let Some(bandwidth) = bandwidth {
            let busy = self.busy.entry((from, to)).or_insert(0);
            sent = now.max(*busy) + bytes as u64 * SECOND / bandwidth.max(1);
            *busy = sent;
        }
        let factor = self.slow.get(&(from, to)).copied().unwrap_or(1);
        sent.saturating_add(latency.draw(self.rng.next_u64()).saturating_mul(factor.into()))
    }

    /// Draws the arrival time of a stream's packet, including retransmissions, and the number of
    /// losses. After [`MOST_LOSSES`] losses, the packet is given up.
    pub(super) fn arrival_at_last(&mut self, from: usize, to: usize, bytes: usize, now: u64) -> (u64, u32) {
        let mut lost = 0;
        while lost < MOST_LOSSES && self.is_lost(from, to) {
            lost += 1;
        }
        let late = ((1 << lost) - 1) * RETRANSMISSION;
        (self.arrival(from, to, bytes, now).saturating_add(late), lost)
    }
}
