//! Converts counter stamps to nanoseconds of the system's monotonic clock.
//!
//! The counter and the clock are read together from time to time, and stamps in between are
//! interpolated linearly. Errors therefore do not accumulate: a converted time is off by the error
//! of the two readings, some tens of nanoseconds, plus the clock's adjustment within a second.

use crate::{StampCounter, monotonic_nanos};

/// Converts stamps to nanoseconds of the monotonic clock, by interpolating between earlier readings
/// of both.
#[derive(Clone, Debug)]
pub struct ClockSync {
    /// About one reading per second, the oldest first.
    kept: Vec<ClockReading>,
    latest: ClockReading,
}

/// A reading of the counter and of the monotonic clock at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    stamp: u64,
    nanos: u64,
}

/// The number of nanoseconds between two readings that are kept.
const APART: u64 = 1_000_000_000;
/// An hour of readings. Older stamps are converted with the oldest readings.
const MOST: usize = 3_600;
/// The number of attempts to read both clocks without an interruption in between.
const ATTEMPTS: usize = 3;

impl ClockReading {
    /// Reads the counter and the clock several times, and returns the reading that took the least
    /// time and is therefore the most precise.
    pub fn now() -> Self {
        let attempts = (0..ATTEMPTS).map(|_| {
            let before = StampCounter::read();
            let nanos = monotonic_nanos();
            let took = StampCounter::read().saturating_sub(before);
            (took, Self { stamp: before + took / 2, nanos })
        });
        attempts.min_by_key(|(took, _)| *took).map(|(_, reading)| reading).expect("there is more than one attempt")
    }
}

impl ClockSync {
    /// Takes a first reading, and a second one half a millisecond later. Blocks the thread in
    /// between.
    pub fn begin() -> Self {
        let first = ClockReading::now();
        std::thread::sleep(std::time::Duration::from_micros(500));
        Self { kept: vec![first], latest: ClockReading::now() }
    }

    /// Returns a converter for stamps that already count nanoseconds.
    pub fn of_nanos() -> Self {
        let reading = |nanos| ClockReading { stamp: nanos, nanos };
        Self { kept: vec![reading(0)], latest: reading(1) }
    }

    /// Adds the most recent reading of the counter and the clock.
    pub fn add(&mut self, reading: ClockReading) {
        let last = self.kept[self.kept.len() - 1];
        if self.latest.nanos.saturating_sub(last.nanos) >= APART {
            self.kept.push(self.latest);
            if self.kept.len() > MOST {
                self.kept.remove(0);
            }
        }
        self.latest = reading;
    }

    /// Returns the time of the monotonic clock at `stamp`, in nanoseconds.
    pub fn nanos(&self, stamp: u64) -> u64 {
        let next = self.kept.partition_point(|reading| reading.stamp <= stamp);
        let from = self.kept[next.saturating_sub(1)];
        let to = self.kept.get(next.max(1)).copied().unwrap_or(self.latest);
        let (ticks, nanos) = (to.stamp.wrapping_sub(from.stamp), to.nanos.wrapping_sub(from.nanos));
        if ticks == 0 {
            return from.nanos;
        }
        // Exact to the nanosecond for ten weeks.
        let away = stamp.wrapping_sub(from.stamp) as i64 as f64 * (nanos as f64 / ticks as f64);
        from.nanos.saturating_add_signed(away as i64)
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    fn clock(points: &[(u64, u64)]) -> ClockSync {
        let mut points = points.iter().map(|&(stamp, nanos)| ClockReading { stamp, nanos });
        let first = points.next().expect("one at least");
        let mut clock = ClockSync { kept: vec![first], latest: first };
        points.for_each(|reading| clock.add(reading));
        clock
    }

    #[test]
    fn times_lie_on_the_line_between_their_readings() {
        let clock = clock(&[(1_000, 0), (3_001_000, 1_000_000_000), (9_001_000, 2_000_000_000)]);
        assert_eq!(clock.nanos(1_000), 0);
        assert_eq!(clock.nanos(1_501_000), 500_000_000);
        assert_eq!(clock.nanos(3_001_000), 1_000_000_000);
        assert_eq!(clock.nanos(6_001_000), 1_500_000_000, "the second second has a rate of its own");
        assert_eq!(clock.nanos(12_001_000), 2_500_000_000, "later stamps go on at the last rate");
    }

    #[test]
    fn a_ready_time_before_the_first_reading_is_valid() {
        let clock = clock(&[(1_000_000, 5_000), (2_000_000, 6_000)]);
        assert_eq!(clock.nanos(0), 4_000);
    }

    #[test]
    fn converted_stamps_are_close_to_the_clock() {
        StampCounter::choose(None);
        let mut clock = ClockSync::begin();
        for _ in 0..20 {
            let (before, stamp, after) = (monotonic_nanos(), StampCounter::read(), monotonic_nanos());
            clock.add(ClockReading::now());
            let nanos = clock.nanos(stamp);
            assert!((before - 50_000..after + 50_000).contains(&nanos), "{before} {nanos} {after}");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}
