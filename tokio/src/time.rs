//! Timers.

pub use wsrt::time::{
    Duration, Instant, Interval, MissedTickBehavior, Sleep, Timeout, error, interval, interval_at, sleep, sleep_until,
    timeout, timeout_at,
};
#[cfg(feature = "test-util")]
pub use wsrt::time::{advance, pause, resume};
