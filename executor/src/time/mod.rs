//! Time: waits for a moment, gives up after a while, does something again and again.
//!
//! | to | use |
//! |---|---|
//! | wait | [`sleep()`], [`sleep_until`] |
//! | give up on a future | [`timeout()`], [`timeout_at`] |
//! | do something at a steady rate | [`interval()`], [`interval_at`] |
//! | read the clock that these go by | [`Instant::now`] |
//! | test all that without waiting | [`pause`], [`advance`], [`resume`] |
//!
//! Nothing here is ever early, and deadlines count nanoseconds. How late a wait ends depends on how
//! long the tasks before it take; on a free processor it depends on the time in which the operating
//! system wakes a thread: some tens of microseconds on Linux, up to a millisecond elsewhere. Timers
//! that come in crowds, four and more at nearly the same time, share that wake, and the first of
//! them waits for the last: some 100 µs where a wake is cheap, up to a millisecond on virtual
//! machines where it is expensive. So the wakes take no more than some hundredths of a core.
//!
//! Making any of these needs no runtime, only waiting does: a [`Sleep`] can be built in a
//! constructor that knows nothing of async, and the first poll that has to wait
//! makes the timer: in the runtime around it, or else in that in which it was built. A timeout
//! around a future that is ready at once costs one read of the clock.
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
pub mod error;
mod instant;
mod interval;
mod missed;
mod paused;
mod sleep;
#[cfg(test)]
mod tests;
mod timeout;

pub use self::instant::Instant;
pub use self::interval::{Interval, interval, interval_at};
pub use self::missed::MissedTickBehavior;
pub use self::paused::{advance, pause, resume};
pub use self::sleep::{Sleep, sleep, sleep_until};
pub use self::timeout::{Timeout, timeout, timeout_at};
#[doc(no_inline)]
pub use std::time::Duration;
