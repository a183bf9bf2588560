//! Whose turn it is on a busy processor: its own tasks', or the injector's.
//!
//! Neither may starve. So one tick in an interval, the 61st, is the injector's, as in Go; and the
//! first after [`LONGEST_TURN`], at the next reading of the clock: beside polls of 10 µs, 61 ticks
//! are long for the tasks that wait outside. A processor without tasks of its own takes a batch
//! from the injector, and needs no turns.

use crate::scheduler::core::limits::LONGEST_TURN;

/// Is due at one tick in so many.
///
/// Counted up, since a remainder at each poll costs more than the rest of the look at the clock.
#[derive(Debug, Default)]
pub(crate) struct Every(u32);

impl Every {
    /// Counts a tick. Returns whether it is the one in `interval`.
    #[inline]
    pub(crate) fn is_now(&mut self, interval: u32) -> bool {
        self.0 += 1;
        if self.0 < interval {
            return false;
        }
        self.0 = 0;
        true
    }

    /// Makes the next tick the one, whatever the interval.
    pub(in crate::scheduler) fn hurry(&mut self) {
        self.0 = u32::MAX - 1;
    }
}

/// The turns on one processor.
#[derive(Debug, Default)]
pub(crate) struct Fairness {
    /// Ticks of the processor's own turn.
    own: Every,
    /// When that turn began, in nanoseconds of the scheduler's clock.
    began: u64,
}

impl Fairness {
    /// Counts a tick. Returns whether it is the injector's.
    #[inline]
    pub(crate) fn tick(&mut self, interval: u32) -> bool {
        self.own.is_now(interval)
    }

    /// Takes note of a reading of the clock.
    #[inline]
    pub(crate) fn note_time(&mut self, now: u64) {
        if now.saturating_sub(self.began) >= LONGEST_TURN {
            self.own.hurry();
        }
    }

    /// The processor's own turn begins.
    pub(crate) fn begin_own(&mut self, now: u64) {
        self.began = now;
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    /// Counts the processor's own polls of `nanos` before each of the injector's. The clock is read
    /// at each.
    fn own_polls(interval: u32, nanos: u64) -> Vec<usize> {
        let (mut fairness, mut now) = (Fairness::default(), 0);
        let is_injectors = |_| {
            fairness.note_time(now);
            let is_injectors = fairness.tick(interval);
            if is_injectors {
                fairness.begin_own(now);
            }
            now += nanos;
            is_injectors
        };
        let polls: Vec<_> = (0..1_000).map(is_injectors).collect();
        polls.split(|is_injectors| *is_injectors).skip(1).map(<[bool]>::len).collect()
    }

    #[test]
    fn one_tick_in_the_interval_is_the_injectors() {
        let turns = own_polls(61, 10);
        assert!(turns[..turns.len() - 1].iter().all(|polls| *polls == 60), "{turns:?}");
        assert!(own_polls(1, 10).iter().all(|polls| *polls == 0));
    }

    #[test]
    fn a_turn_of_heavy_polls_ends_by_its_time() {
        let turns = own_polls(61, LONGEST_TURN / 4);
        assert!(turns[..turns.len() - 1].iter().all(|polls| *polls == 3), "{turns:?}");
        assert!(own_polls(61, LONGEST_TURN).iter().all(|polls| *polls == 0));
    }

    #[test]
    fn any_interval_there_is_comes_round() {
        let mut every = Every(u32::MAX - 2);
        assert!(!every.is_now(u32::MAX) && every.is_now(u32::MAX) && !every.is_now(u32::MAX));
        every.hurry();
        assert!(every.is_now(u32::MAX));
    }
}
