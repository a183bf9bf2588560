//! Whose turn it is on a busy processor: its own tasks', or the injector's.
//!
//! Neither may starve, be its tasks many or long. So the two take turns that are bounded in polls
//! and in time:
//!
//! * the processor's own turn ends at the tick that the builder says, the 61st, and once it has
//!   lasted for [`LONGEST_TURN`], at the next reading of the clock: beside polls of 10 µs, 61 ticks
//!   are long for the tasks that wait outside;
//! * the injector's turn ends when the injector is empty, or when it has lasted as long as the
//!   processor's own before it. While hundreds wait, to take one of them in 61 ticks would serve
//!   them at a sixtieth of a processor. In polls it is from one, where the own turn took some
//!   microseconds, to eight times the interval, where that was as long as a turn gets: where polls
//!   are light, the waiting tasks mostly come from full rings, and are in no hurry. A tree of a
//!   million spawns took a tenth longer while it was the interval itself.
//!
//! A task that the injector's tasks put into runnext in their turn comes next, and is of that turn:
//! a task that spawns another and waits for it gets its answer before the next of its kind begins.
//! To begin many of them first, each of which displaces the other's partner from runnext, cost
//! pairs of tasks with channels between them a third of their speed.
//!
//! After each turn of the injector comes one of the processor's own, of one poll at least (unless
//! the builder says that the injector comes first at each), and the other way round. So where both
//! have always something to do, neither has more than half of the time, but for one poll that is
//! longer than a turn, and for the error of the clock, which is read once in a stride.

use crate::scheduler::core::limits::LONGEST_TURN;

/// The injector's turn has the interval times this at most, in polls.
const SPAN: u32 = 8;

/// Is due at one tick in so many.
///
/// Counted up, since a remainder at each poll costs more than the rest of the look at the clock.
#[derive(Debug, Default)]
pub(crate) struct Every(u32);

impl Every {
    /// Counts a tick. Whether it is the one in `interval`.
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
    /// Ticks of the processor's own turn. While the injector has its turn, each tick is the last.
    own: Every,
    injector: Option<InjectorsTurn>,
    /// When the processor's own turn began, in nanoseconds of the scheduler's clock.
    began: u64,
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

#[derive(Debug)]
struct InjectorsTurn {
    polls_left: u64,
    until: u64,
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

    /// Whose this tick is, the last of the processor's own turn or one of the injector's. If that
    /// has no task, [`end`](Self::end) is to be called.
    pub(crate) fn grant(&mut self, interval: u32, now: u64) -> Grant {
        let (turn, grant) = match self.injector.take() {
            Some(turn) if turn.is_over(now) => {
                self.end(now);
                // This tick is the first of the processor's own turn, and the last, if all are the
                // injector's.
                if !self.own.is_now(interval) {
                    return Grant::Own;
                }
                (InjectorsTurn::after(0, interval, now), Grant::First)
            }
            Some(turn) => (turn, Grant::Another),
            None => (InjectorsTurn::after(now.saturating_sub(self.began), interval, now), Grant::First),
        };
        self.own.hurry();
        self.injector = Some(InjectorsTurn { polls_left: turn.polls_left - 1, ..turn });
        grant
    }

    /// The processor's own turn begins.
    pub(crate) fn end(&mut self, now: u64) {
        *self = Self { own: Every::default(), injector: None, began: now };
    }
}

impl InjectorsTurn {
    /// The turn that follows one of the processor's own that has lasted for `nanos`.
    fn after(nanos: u64, interval: u32, now: u64) -> Self {
        let nanos = nanos.min(LONGEST_TURN);
        // With the square of the time: it is for as long, and beside heavier polls. No factor is
        // large enough to overflow.
        let most = u64::from(interval) * u64::from(SPAN) * nanos / LONGEST_TURN * nanos / LONGEST_TURN;
        Self { polls_left: most.max(1), until: now + nanos }
    }

    fn is_over(&self, now: u64) -> bool {
        self.polls_left == 0 || now >= self.until
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
                let granted = fairness.tick(interval) && fairness.grant(interval, now) != Grant::Own;
                now += if granted { injected } else { own };
                granted
            })
            .collect()
    }

    /// The longest run of `whose` polls.
    fn longest_run(polls: &[bool], whose: bool) -> usize {
        polls.split(|poll| *poll != whose).map(<[bool]>::len).max().unwrap_or(0)
    }

    #[test]
    fn beside_light_polls_the_injector_has_one_in_the_interval() {
        let polls = shares(61, 10_000, 10, 10);
        assert_eq!((longest_run(&polls, false), longest_run(&polls, true)), (60, 1));
    }

    #[test]
    fn a_longer_own_turn_gives_the_injector_more_polls() {
        let lengths = [100, 1_000, 2_000, 3_000, 10_000].map(|own| longest_run(&shares(61, 10_000, own, 10), true));
        assert_eq!(lengths, [1, 43, 175, 395, 488]);
    }

    #[test]
    fn heavy_polls_take_turns_one_by_one() {
        for (own, injected) in [(1_000_000, 1_000_000), (1_000_000, 200_000), (200_000, 3_000_000)] {
            let polls = shares(61, 1_000, own, injected);
            assert_eq!((longest_run(&polls, false), longest_run(&polls, true)), (1, 1), "{own} and {injected} ns");
        }
    }

    #[test]
    fn the_injectors_turn_lasts_no_longer_than_the_one_before() {
        let polls = shares(61, 1_000, 10_000, 50_000);
        assert_eq!((longest_run(&polls, false), longest_run(&polls, true)), (20, 4));
        let polls = shares(61, 1_000, 1_000, 20_000);
        assert_eq!((longest_run(&polls, false), longest_run(&polls, true)), (60, 3));
    }

    #[test]
    fn one_in_sixty_one_is_the_injectors_however_heavy() {
        let polls = shares(61, 1_000, 10, 1_000_000);
        assert_eq!((longest_run(&polls, false), longest_run(&polls, true)), (60, 1));
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
            fairness.end(0);
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
