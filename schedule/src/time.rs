//! The clock of a schedule.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::steps;

static ORIGIN: OnceLock<Instant> = OnceLock::new();

/// Returns the moment at which schedules begin.
pub(crate) fn origin() -> Instant {
    *ORIGIN.get_or_init(Instant::now)
}

/// Returns the schedule's time, or the system's outside a schedule.
#[must_use]
pub fn now() -> Instant {
    match steps::with_state(|state, _| state.now) {
        Some(now) => origin() + Duration::from_nanos(now),
        None => Instant::now(),
    }
}

/// Returns for how long no thread of the schedule could run, so that time had to jump. A program
/// that waits for no moment and no descriptor, and whose threads are all asleep at once, has lost a
/// wake, even if a timer helps it on later.
#[must_use]
pub fn idle() -> Duration {
    steps::with_state(|state, _| Duration::from_nanos(state.idle)).unwrap_or_default()
}

/// Returns `moment` in nanoseconds since a schedule's beginning; `None` is beyond what counts.
pub(crate) fn nanos(moment: Instant) -> Option<u64> {
    u64::try_from(moment.saturating_duration_since(origin()).as_nanos()).ok()
}

/// Returns the nanoseconds of a schedule at which a wait of `timeout` ends.
pub(crate) fn after(now: u64, timeout: Duration) -> Option<u64> {
    now.checked_add(u64::try_from(timeout.as_nanos()).ok()?)
}
