//! The clocks of hosts, as far as they differ from the simulation's.
//!
//! Host clocks are a view: machines, timers and the record go by the simulation's clock. A task of
//! a host is shown its host's when it asks for the time, and the deadlines of its timers are
//! moments on that.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::network::Network;
use crate::util::host_clock::{HostClock, HostClocks};
use crate::util::sync::Mutex;

/// The clocks that differ.
pub(crate) struct Clocks {
    network: Arc<Network>,
    /// Whether there are any. Relaxed: written and read by the thread that drives the simulation.
    any: AtomicBool,
    skewed: Mutex<BTreeMap<usize, HostClock>>,
}

impl Clocks {
    pub(super) fn new(network: Arc<Network>) -> Arc<Self> {
        Arc::new(Self { network, any: AtomicBool::new(false), skewed: Mutex::new(BTreeMap::new()) })
    }

    /// Has a host's calendar be ahead, and its clocks run too fast by so many parts in a million,
    /// from now on: both may be negative.
    pub(crate) fn skew(&self, host: usize, now: u64, ahead: i64, drift: i32) {
        let mut skewed = self.skewed.lock();
        let before = skewed.get(&host).copied().unwrap_or_default();
        skewed.insert(host, before.turned(now, ahead, drift));
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
        self.skewed.try_lock()?.get(&host).copied()
    }
}
