//! The clocks of hosts, as far as they differ from the simulation's.
//!
//! Host clocks are a view: machines, timers and the record go by the simulation's clock. A task of
//! a host is shown its host's when it asks for the time, and the deadlines of its timers are
//! moments on that.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::network::Network;
use crate::host_clock::{HostClock, HostClocks};
use parking_lot::Mutex;

/// The error of clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockSkew {
    /// How far the calendar is ahead, in nanoseconds; negative if it is behind.
    pub ahead: i64,
    /// How much too fast all clocks run, in parts per million; negative if they are too slow.
    pub drift: i32,
}

impl ClockSkew {
    /// Both together. No clock stands or goes back.
    pub(super) fn and(self, other: Self) -> Self {
        let drift = self.drift.saturating_add(other.drift).max(-999_999);
        Self { ahead: self.ahead.saturating_add(other.ahead), drift }
    }
}

/// The clocks of one host.
#[derive(Debug, Default)]
struct SkewedClocks {
    by_program: ClockSkew,
    by_faults: ClockSkew,
    shown: HostClock,
}

/// The clocks that differ.
#[derive(Debug)]
pub struct Clocks {
    network: Arc<Network>,
    /// True if any clock is wrong. Relaxed: written and read by the thread that drives the
    /// simulation.
    any: AtomicBool,
    skewed: Mutex<BTreeMap<usize, SkewedClocks>>,
}

impl Clocks {
    pub(super) fn new(network: Arc<Network>) -> Arc<Self> {
        Arc::new(Self { network, any: AtomicBool::new(false), skewed: Mutex::new(BTreeMap::new()) })
    }

    /// Sets the error of a host's clocks, as the program asks, beside the faults of the run.
    pub fn skew(&self, host: usize, now: u64, skew: ClockSkew) {
        self.change(host, now, |clocks| clocks.by_program = skew);
    }

    /// Sets the error of a host's clocks by faults of the run.
    pub(super) fn inject(&self, host: usize, now: u64, skew: ClockSkew) {
        self.change(host, now, |clocks| clocks.by_faults = skew);
    }

    fn change(&self, host: usize, now: u64, change: impl FnOnce(&mut SkewedClocks)) {
        let mut skewed = self.skewed.lock();
        let clocks = skewed.entry(host).or_default();
        change(clocks);
        let ClockSkew { ahead, drift } = clocks.by_program.and(clocks.by_faults);
        clocks.shown = clocks.shown.turned(now, ahead, drift);
        self.any.store(true, Relaxed);
    }
}

impl HostClocks for Clocks {
    fn of_current_task(&self) -> Option<HostClock> {
        if !self.any.load(Relaxed) {
            return None;
        }
        // The thread may hold these locks: then it is the simulation that asks, not a task.
        let host = self.network.try_current_host()?;
        self.skewed.try_lock()?.get(&host).map(|clocks| clocks.shown)
    }
}
