//! Virtual time: the clock that a simulation provides to the thread that drives it, in place of the
//! system's clocks.

use std::cell::Cell;

use crate::sequence_override::{SequenceOverride, Slot};

/// How often a thread may read the clock before reads begin to move it: more often than a turn
/// reads the clock unless it waits for a moment to come. The reads of an observer therefore change
/// no run.
const FREE_READS: u32 = 1_000;
/// How far each further read moves the clock, in nanoseconds, so that a loop that waits for a
/// moment ends.
const READ_TAKES: u64 = 1_000;

thread_local! {
    /// The number of nanoseconds since the simulation began, while a simulation provides the time.
    static NOW: Slot = const { Slot::new(None) };
    /// The reading of the monotonic clock when the simulation began, in nanoseconds.
    static BEGAN: Cell<u64> = const { Cell::new(0) };
    /// The number of reads since the clock was last moved.
    static READS: Cell<u32> = const { Cell::new(0) };
}

/// Returns the simulated time, in nanoseconds since the simulation began, or `None` if this thread
/// has no simulated clock.
///
/// After many reads without progress, each further read moves the clock forward a little, so that a
/// loop that polls the clock comes to an end. Safe to call on a thread that is exiting.
pub fn read() -> Option<u64> {
    let now = NOW.get()?;
    let reads = READS.get().saturating_add(1);
    READS.set(reads);
    if reads <= FREE_READS {
        return Some(now);
    }
    NOW.set(Some(now.saturating_add(READ_TAKES)));
    Some(now)
}

/// A guard that provides the current thread with a simulated clock, as returned by
/// [`override_time`].
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct TimeOverride {
    _now: SequenceOverride,
    began_before: u64,
}

/// Provides the current thread with a simulated clock, until the returned guard is dropped.
///
/// The clock shows `now` nanoseconds since the simulation began. `began` is the reading of the
/// monotonic clock at that beginning.
pub fn override_time(began: u64, now: u64) -> TimeOverride {
    READS.set(0);
    TimeOverride { _now: SequenceOverride::begin(&NOW, now), began_before: BEGAN.replace(began) }
}

impl Drop for TimeOverride {
    fn drop(&mut self) {
        BEGAN.set(self.began_before);
    }
}

/// Returns the reading of the monotonic clock when this thread's simulation began, in nanoseconds.
pub fn began() -> u64 {
    BEGAN.get()
}

/// Moves this thread's simulated clock forward to `now`, in nanoseconds. Has no effect if the clock
/// already shows a later time.
pub fn move_to(now: u64) {
    READS.set(0);
    NOW.set(NOW.get().map(|shown| shown.max(now)));
}

/// Moves this thread's simulated clock forward to a reading of the monotonic clock, in nanoseconds.
/// Has no effect if the clock already shows a later time.
pub fn move_to_uptime(uptime: u64) {
    move_to(uptime.saturating_sub(BEGAN.get()));
}

/// Returns the simulated reading of the monotonic clock, in nanoseconds, or `None` if this thread
/// has no simulated clock. Unlike [`read`], this function never moves the clock.
pub fn uptime() -> Option<u64> {
    NOW.get().map(|now| BEGAN.get().saturating_add(now))
}

/// Returns the simulated time, in nanoseconds since the simulation began, or `None` if this thread
/// has no simulated clock. Unlike [`read`], this function never moves the clock.
pub fn shown() -> Option<u64> {
    NOW.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_until_it_is_moved_or_waited_for() {
        assert_eq!((read(), shown()), (None, None));
        let _given = override_time(3, 5);
        assert_eq!(began(), 3);
        assert!((0..FREE_READS).all(|_| read() == Some(5)));
        assert_eq!((read(), shown()), (Some(5), Some(5 + READ_TAKES)));
        move_to(7);
        assert_eq!(read(), Some(5 + READ_TAKES), "it does not go back");
        move_to(9_000);
        assert_eq!((read(), shown()), (Some(9_000), Some(9_000)));
    }
}
