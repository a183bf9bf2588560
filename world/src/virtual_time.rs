//! Time that a simulation gives: the clocks of the system, for the thread that drives it.

use std::cell::Cell;

use crate::given::{Given, Slot};

/// A thread may read the clock so often without moving it: more than a turn reads that does not
/// wait for a moment to come. An observer's reads change no run this way.
const FREE_READS: u32 = 1_000;
/// How far each further read moves the clock, in nanoseconds: a loop that waits for a moment ends.
const READ_TAKES: u64 = 1_000;

thread_local! {
    /// The nanoseconds since the simulation began, while they are given.
    static NOW: Slot = const { Slot::new(None) };
    /// The reading of the clock since the start of the computer then, in nanoseconds.
    static BEGAN: Cell<u64> = const { Cell::new(0) };
    /// The reads since the clock was moved last.
    static READS: Cell<u32> = const { Cell::new(0) };
}

/// Reads the simulated clock, if this thread has one. Safe on a thread that ends: nothing of it is
/// ever dropped.
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

/// This thread is given a clock, until this is dropped.
#[must_use = "it lasts until the guard is dropped"]
#[derive(Debug)]
pub struct GivenTime {
    _now: Given,
    began_before: u64,
}

/// Gives this thread a clock that shows `now` nanoseconds since a simulation began, which it did
/// when the clock since the start of the computer showed `began`.
pub fn give_time(began: u64, now: u64) -> GivenTime {
    READS.set(0);
    GivenTime { _now: Given::begin(&NOW, now), began_before: BEGAN.replace(began) }
}

impl Drop for GivenTime {
    fn drop(&mut self) {
        BEGAN.set(self.began_before);
    }
}

/// Returns this thread's reading of the clock since the start of the computer when the simulation
/// began.
pub fn began() -> u64 {
    BEGAN.get()
}

/// Moves the clock that this thread is given on to `now`, unless it shows more.
pub fn move_to(now: u64) {
    READS.set(0);
    NOW.set(NOW.get().map(|shown| shown.max(now)));
}

/// Moves the clock that this thread is given on to this reading of the clock since the start of the
/// computer, unless it shows more.
pub fn move_to_uptime(uptime: u64) {
    move_to(uptime.saturating_sub(BEGAN.get()));
}

/// Returns the simulation's reading of the clock since the start of the computer, without a read,
/// if this thread has a simulated clock.
pub fn uptime() -> Option<u64> {
    NOW.get().map(|now| BEGAN.get().saturating_add(now))
}

/// Returns the reading of this thread's simulated clock, without a read.
pub fn shown() -> Option<u64> {
    NOW.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_until_it_is_moved_or_waited_for() {
        assert_eq!((read(), shown()), (None, None));
        let _given = give_time(3, 5);
        assert_eq!(began(), 3);
        assert!((0..FREE_READS).all(|_| read() == Some(5)));
        assert_eq!((read(), shown()), (Some(5), Some(5 + READ_TAKES)));
        move_to(7);
        assert_eq!(read(), Some(5 + READ_TAKES), "it does not go back");
        move_to(9_000);
        assert_eq!((read(), shown()), (Some(9_000), Some(9_000)));
    }
}
