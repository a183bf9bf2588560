//! The clock of a store in memory, by which leases end.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that shows the time since a moment of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// It goes on evenly, though the computer's calendar is set.
    Steady(Instant),
    /// The computer's calendar, which may be set ahead or back.
    Calendar,
}

impl Default for Clock {
    fn default() -> Self {
        Self::Steady(Instant::now())
    }
}

impl Clock {
    pub(super) fn now(self) -> Duration {
        match self {
            Self::Steady(since) => since.elapsed(),
            Self::Calendar => SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        }
    }
}
