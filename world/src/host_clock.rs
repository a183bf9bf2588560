//! The clock of a simulated host, which may be ahead or behind, and may run too fast or too slow.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// The number of parts in a million.
const MILLION: i128 = 1_000_000;

/// How a host's clocks differ from the simulation's clock. All times are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostClock {
    /// How far the wall clock is ahead.
    ahead: i64,
    /// The simulated time at which the current drift began, followed by the reading at that time.
    since: u64,
    showed: u64,
    /// How much too fast the clock runs, in parts per million.
    drift: i32,
}

impl HostClock {
    /// Returns this clock with a new wall-clock offset and a new drift from `now` onwards. The
    /// reading at `now` does not change.
    pub fn turned(self, now: u64, ahead: i64, drift: i32) -> Self {
        Self { ahead, since: now, showed: self.shown(now), drift }
    }

    /// Returns the clock's reading at the simulated time `now`.
    pub fn shown(self, now: u64) -> u64 {
        let passed = i128::from(now.saturating_sub(self.since));
        let shown = i128::from(self.showed) + passed * (MILLION + i128::from(self.drift)) / MILLION;
        u64::try_from(shown).unwrap_or(u64::MAX)
    }

    /// Returns the earliest simulated time at which the clock shows at least `shown`.
    pub fn moment(self, shown: u64) -> u64 {
        if shown == u64::MAX {
            return shown;
        }
        let to_pass = i128::from(shown.saturating_sub(self.showed)) * MILLION;
        let rate = MILLION + i128::from(self.drift);
        u64::try_from(i128::from(self.since) + (to_pass + rate - 1) / rate).unwrap_or(u64::MAX)
    }

    /// Returns how far the host's wall clock is ahead of the other clocks, in nanoseconds.
    pub fn ahead(self) -> i64 {
        self.ahead
    }
}

/// A source of the clocks of all hosts of a simulation.
pub trait HostClocks: fmt::Debug + Send + Sync {
    /// Returns the clock of the current task's host, or `None` if that clock agrees with the
    /// simulation's.
    fn of_current_task(&self) -> Option<HostClock>;
}

thread_local! {
    /// The host clocks of the simulation that this thread drives.
    static CLOCKS: RefCell<Option<Arc<dyn HostClocks>>> = const { RefCell::new(None) };
}

/// A guard that provides the current thread with host clocks, as returned by [`override_clocks`].
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct ClocksOverride(Option<Arc<dyn HostClocks>>);

/// Provides the current thread with the clocks of a simulation's hosts, until the returned guard is
/// dropped.
pub fn override_clocks(clocks: Arc<dyn HostClocks>) -> ClocksOverride {
    ClocksOverride(CLOCKS.replace(Some(clocks)))
}

impl Drop for ClocksOverride {
    fn drop(&mut self) {
        CLOCKS.set(self.0.take());
    }
}

/// Returns the clock of the current task's host.
///
/// Returns `None` if this thread drives no simulation, if the clock agrees with the simulation's,
/// or if the thread is exiting.
pub fn of_current_task() -> Option<HostClock> {
    let clocks = CLOCKS.try_with(|clocks| clocks.try_borrow().ok()?.clone()).ok()??;
    clocks.of_current_task()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_first_that_shows_the_time() {
        for drift in [-900_000, -30, 0, 50, 7_000_000] {
            let clock = HostClock::default().turned(1_000, 0, 200).turned(5_000, -7, drift);
            assert_eq!((clock.shown(5_000), clock.ahead()), (5_000, -7));
            for shown in [5_001, 5_017, 6_000, 123_456_789] {
                let moment = clock.moment(shown);
                assert!(clock.shown(moment) >= shown && clock.shown(moment - 1) < shown, "{drift} {shown} {moment}");
            }
        }
    }

    #[test]
    fn a_clock_goes_on_when_its_drift_changes() {
        let fast = HostClock::default().turned(0, 0, 1_000_000);
        assert_eq!(fast.shown(500), 1_000);
        let slow = fast.turned(500, 0, -500_000);
        assert_eq!((slow.shown(500), slow.shown(700), slow.moment(1_100)), (1_000, 1_100, 700));
        assert_eq!(slow.moment(u64::MAX), u64::MAX, "never");
    }
}
