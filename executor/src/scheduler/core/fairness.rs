//! Whose turn it is on a busy processor: its own tasks', or the injector's.
//!
//! Neither may starve, be its tasks many or long. So the two take turns that are bounded in polls
//! and in time:
//!
//! * the processor's own turn ends at the 61st tick, or the one that the builder says, and once it
//!   has lasted for [`LONGEST_TURN`], at the next reading of the clock: beside polls of 10 µs, 61
//!   ticks are long for the tasks that wait outside;
//! * the injector's turn ends when the injector is empty, or when it has lasted as long as the
//!   processor's own turn before it; and after [`FEW`] polls, if that turn was of light polls, less
//!   than a microsecond each. With one poll, hundreds of tasks that wait there would be served at a
//!   sixtieth of a processor. Beside light polls the waiting tasks mostly come from full rings, and
//!   are in no hurry.
//!
//! A task that the injector's tasks put into runnext in their turn comes next, and is of that turn:
//! a task that spawns another and waits for it gets its answer before the next of its kind begins.
//! To begin many of them first, each of which displaces the other's partner from runnext, cost
//! pairs of tasks with channels between them a third of their speed.
//!
//! A processor without tasks of its own takes a batch from the injector, and needs no turns.

use crate::scheduler::core::limits::LONGEST_TURN;

/// The polls of the injector after a turn of light polls.
const FEW: u32 = 8;

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

/// The turns on one processor. Times are in nanoseconds of the scheduler's clock.
#[derive(Debug, Default)]
pub(crate) struct Fairness {
    /// Ticks of the processor's own turn. While the injector has its turn, each tick is the last.
    own: Every,
    /// When the processor's own turn began.
    began: u64,
    /// The polls that are left of the injector's turn; 0 while the processor has its own.
    left: u32,
    /// When the injector's turn ends at the latest.
    until: u64,
}

/// Whose a tick is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Grant {
    /// The processor's own.
    Own,
    /// The first of the injector's turn.
    First,
    /// Another of the same turn.
    Another,
}

impl Fairness {
    /// Counts a tick. Returns whether the injector may have its turn; [`grant`](Self::grant) then
    /// decides.
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

    /// Whose this tick is, the last of the processor's own turn or one of the injector's.
    pub(crate) fn grant(&mut self, interval: u32, now: u64) -> Grant {
        let mut grant = Grant::Another;
        if self.left > 0 && now >= self.until {
            self.begin_own(now);
            // This tick is the first of the processor's own turn, and the last, if all are the
            // injector's.
            if !self.own.is_now(interval) {
                return Grant::Own;
            }
        }
        if self.left == 0 {
            let lasted = now.saturating_sub(self.began).min(LONGEST_TURN);
            self.left = if lasted >= LONGEST_TURN / 4 { u32::MAX } else { FEW.min(interval) };
            self.until = now + lasted;
            grant = Grant::First;
        }
        self.left -= 1;
        if self.left == 0 {
            self.begin_own(now)
        } else {
            self.own.hurry()
        }
        grant
    }

    /// The processor's own turn begins.
    pub(crate) fn begin_own(&mut self, now: u64) {
        *self = Self { began: now, ..Self::default() };
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    /// Says which side gets each of `polls` polls, where the injector's take `injected` ns and the
    /// processor's own `own` ns, with always something to do for both: `true` for the injector. The
    /// clock is read at each.
    fn shares(interval: u32, polls: usize, own: u64, injected: u64) -> Vec<bool> {
        let (mut fairness, mut now) = (Fairness::default(), 0);
        (0..polls)
            .map(|_| {
                fairness.note_time(now);
                let is_injectors = fairness.tick(interval) && fairness.grant(interval, now) != Grant::Own;
                now += if is_injectors { injected } else { own };
                is_injectors
            })
            .collect()
    }

    /// The longest runs of the processor's own polls, and of the injector's.
    fn longest_runs(polls: &[bool]) -> (usize, usize) {
        let longest = |whose| polls.split(|poll| *poll != whose).map(<[bool]>::len).max().unwrap_or(0);
        (longest(false), longest(true))
    }

    #[test]
    fn light_polls_take_turns_of_sixty_and_eight() {
        assert_eq!(longest_runs(&shares(61, 10_000, 100, 100)), (60, 8));
        assert_eq!(longest_runs(&shares(61, 10_000, 10_000, 100)).1, 2_000);
    }

    #[test]
    fn heavy_polls_take_turns_one_by_one() {
        for (own, injected) in [(1_000_000, 1_000_000), (1_000_000, 200_000), (200_000, 3_000_000)] {
            assert_eq!(longest_runs(&shares(61, 1_000, own, injected)), (1, 1), "{own} and {injected} ns");
        }
    }

    #[test]
    fn the_injectors_turn_lasts_no_longer_than_the_one_before() {
        assert_eq!(longest_runs(&shares(61, 1_000, 10_000, 50_000)), (20, 4));
        assert_eq!(longest_runs(&shares(61, 1_000, 1_000, 20_000)), (60, 3));
        assert_eq!(longest_runs(&shares(61, 1_000, 10, 1_000_000)), (60, 1));
    }

    #[test]
    fn of_an_interval_of_one_every_poll_is_the_injectors() {
        for nanos in [10, 1_000_000] {
            assert!(shares(1, 1_000, nanos, nanos).into_iter().all(|injectors| injectors));
        }
    }

    #[test]
    fn an_empty_injector_is_looked_into_once_in_the_interval() {
        let mut fairness = Fairness::default();
        for _ in 0..10 {
            for tick in 1..=7 {
                assert_eq!(fairness.tick(7), tick == 7);
            }
            assert_eq!(fairness.grant(7, 0), Grant::First);
            fairness.begin_own(0);
        }
    }

    #[test]
    fn any_interval_there_is_comes_round() {
        let mut every = Every(u32::MAX - 2);
        assert!(!every.is_now(u32::MAX) && every.is_now(u32::MAX) && !every.is_now(u32::MAX));
        every.hurry();
        assert!(every.is_now(u32::MAX));
    }
}
