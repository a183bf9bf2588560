//! Per-host clock errors: how far each host's clocks differ from the simulation's clock.
//!
//! A host clock is only a view. The scheduler, the timers and the record all use the simulation's
//! clock. A task that asks for the time is shown the clock of its own host, and its timer deadlines
//! are moments on that host's clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::network::Network;
use crate::host_clock::{HostClock, HostClocks};
use parking_lot::Mutex;

/// The error of a host's clocks, relative to the simulation's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockSkew {
    /// How far the wall clock is ahead, in nanoseconds. Negative if the wall clock is behind.
    pub ahead: i64,
    /// How much too fast all clocks of the host run, in parts per million. Negative if the clocks
    /// run too slow.
    pub drift: i32,
}

impl ClockSkew {
    /// Adds two clock errors. The drift is limited so that no clock stops or runs backwards.
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

/// The clocks of all hosts whose time differs from the simulation's.
#[derive(Debug)]
pub struct Clocks {
    network: Arc<Network>,
    /// True if any host's clock is wrong. Relaxed: written and read by the thread that drives the
    /// simulation.
    any: AtomicBool,
    skewed: Mutex<BTreeMap<usize, SkewedClocks>>,
}

impl Clocks {
    pub(super) fn new(network: Arc<Network>) -> Arc<Self> {
        Arc::new(Self { network, any: AtomicBool::new(false), skewed: Mutex::new(BTreeMap::new()) })
    }

    /// Sets the error that the program asks for on a host's clocks, from `now` (in nanoseconds)
    /// onwards.
    ///
    /// Faults of the run are added to this error. A later call replaces the error of an earlier
    /// call.
    pub fn skew(&self, host: usize, now: u64, skew: ClockSkew) {
        self.change(host, now, |clocks| clocks.by_program = skew);
    }

    /// Sets the error that the faults of the run cause on a host's clocks.
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
