//! Utilities for time: sleeping, timeouts, intervals, and a clock that tests can control.
//!
//! | To … | use |
//! |---|---|
//! | wait | [`sleep()`], [`sleep_until`] |
//! | give up on a future | [`timeout()`], [`timeout_at`] |
//! | know how much time a caller's limit leaves | [`deadline()`] |
//! | repeat something at a steady rate | [`interval()`], [`interval_at`] |
//! | read the clock that timers follow | [`Instant::now`] |
//! | test timers without waiting | [`pause`], [`advance`], [`resume`] |
//!
//! No wait ever ends early, and deadlines have nanosecond precision. How late a wait ends depends
//! on the tasks that run before the waiting task. On a free processor, the delay is the time that
//! the operating system takes to wake a thread: some tens of microseconds on Linux, and up to a
//! millisecond elsewhere. When four or more timers are due at nearly the same time, they share one
//! wake-up, and the first timer waits for the last: for about 100 µs where a wake-up is cheap, and
//! for up to a millisecond on virtual machines where a wake-up is expensive. Sharing keeps the cost
//! of wake-ups down to a few hundredths of a core.
//!
//! Creating any of these futures needs no runtime; only waiting does. A [`Sleep`] can therefore be
//! built in a synchronous constructor. The first poll that has to wait creates the timer, in the
//! runtime of the poll or, outside any runtime, in the runtime in which the future was built. A
//! timeout around a future that is ready immediately costs one read of the clock.
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use wsrt::time::{sleep, timeout};
//!
//! # let runtime = wsrt::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! let slow = sleep(Duration::from_secs(60));
//! assert!(timeout(Duration::from_millis(1), slow).await.is_err());
//! # });
//! ```

mod deadline;
mod instant;
mod interval;
mod paused;
mod sleep;
#[cfg(test)]
mod tests;
mod timeout;

pub use self::instant::Instant;
pub use self::interval::{Interval, MissedTickBehavior, interval, interval_at};
pub use self::paused::{advance, pause, resume};
pub use self::sleep::{Sleep, sleep, sleep_until};
pub use self::timeout::{Timeout, deadline, timeout, timeout_at};

/// The error that a timeout returns.
pub mod error {
    pub use super::timeout::Elapsed;
}

#[doc(no_inline)]
pub use std::time::Duration;
