//! The ticks of a processor: its clock, and whose turn it is while it is busy, its own tasks' or
//! the injector's.
//!
//! Neither may starve, be its tasks many or long. So the two take turns that are bounded in polls
//! and in time:
//!
//! * the processor's own turn ends at the 61st tick, or the one that the builder says, and once it
//!   has lasted for [`LONGEST_TURN`], at the next reading of the clock: beside polls of 10 µs, 61
//!   ticks are long for the tasks that wait outside;
//! * the injector's turn ends when the injector is empty, or when it has lasted as long as the
//!   processor's own turn before it; and after [`MAX_STRIDE`] polls, if that turn was of light
//!   polls, less than a microsecond each. With one poll, hundreds of tasks that wait there would be
//!   served at a sixtieth of a processor. Beside light polls the waiting tasks mostly come from
//!   full rings, and are in no hurry.
//!
//! A task that the injector's tasks put into runnext in their turn comes next, and is of that turn:
//! a task that spawns another and waits for it gets its answer before the next of its kind begins.
//! To begin many of them first, each of which displaces the other's partner from runnext, cost
//! pairs of tasks with channels between them a third of their speed.
//!
//! A processor without its own tasks takes a batch from the injector, and needs no turns.
//!
//! Background tasks have no turn: their polls come one by one, as time is left, or when a busy
//! processor owes them some. It owes them the time of one poll as soon as that is their share of
//! the time since the poll before.

use crate::scheduler::core::limits::{LONGEST_TURN, TIME_SLICE};

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
    /// When the poll of a background task began that is under way.
    background_began: Option<u64>,
    /// From when on the processor owes background tasks some time.
    background_due: u64,
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
            self.left = if lasted >= LONGEST_TURN / 4 { u32::MAX } else { MAX_STRIDE.min(interval) };
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
        *self = Self { began: now, background_due: self.background_due, ..Self::default() };
    }

    /// A background task is polled from now on, in the processor's own turn. The next tick is that
    /// turn's last, and comes to the end of the poll.
    pub(in crate::scheduler) fn begin_background(&mut self, now: u64) {
        self.left = 0;
        self.background_began = Some(now);
        self.own.hurry();
    }

    /// Ends the poll of a background task, if one was under way, and returns how long it took. The
    /// next is due when the processor has worked for so long that this was its `share`, and sooner
    /// by as much as this one was late.
    pub(crate) fn end_background(&mut self, now: u64, share: f64) -> Option<u64> {
        let began = self.background_began.take()?;
        let spent = now.saturating_sub(began).max(1);
        let late = began.saturating_sub(self.background_due).min(TIME_SLICE);
        // As large as it may be if there is no share.
        let rest = spent as f64 * (1.0 / share - 1.0);
        self.background_due = now.saturating_add(rest as u64).saturating_sub(late);
        Some(spent)
    }

    /// Returns whether the next poll is to be a background task's, if one waits.
    pub(crate) fn owes_background(&self, now: u64, share: f64) -> bool {
        share > 0.0 && now >= self.background_due
    }
}

/// After a stride that took longer than this, the clock is read at each poll: the reading was too
/// coarse. One that took less than half of it is doubled.
const LONG_STRIDE: u64 = 50_000;
/// The most ticks that go by unread. It bounds the effect of a sudden run of long polls: eight of
/// them can be hidden. The injector's turn after light polls lasts as many: no reading of the clock
/// would end it sooner.
const MAX_STRIDE: u32 = 8;

/// The clock of one processor: nanoseconds since the scheduler started, and ticks, which count
/// polls. It is read seldom while polls are short, at every poll while they are long.
///
/// Reading the clock costs as much as half a poll of a light task. So a processor carries the last
/// reading with it, and takes a new one after a *stride* of ticks that it chooses by the duration
/// of the last one.
#[derive(Debug)]
pub(crate) struct TickClock {
    tick: u32,
    next_reading: u32,
    stride: u32,
    now: u64,
}

impl TickClock {
    pub(crate) fn new() -> Self {
        Self { tick: 0, next_reading: 0, stride: 1, now: 0 }
    }

    /// Counts a poll about to happen.
    pub(crate) fn advance(&mut self) {
        self.tick = self.tick.wrapping_add(1);
    }

    /// Returns whether a new reading is due.
    pub(crate) fn is_due(&self) -> bool {
        // The difference is taken first, so that the wrap of the tick does no harm.
        self.tick.wrapping_sub(self.next_reading) as i32 >= 0
    }

    /// Takes a reading and fits the stride to it.
    pub(crate) fn set(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.now);
        if elapsed > LONG_STRIDE {
            self.stride = 1;
        } else if elapsed < LONG_STRIDE / 2 {
            self.stride = (self.stride * 2).min(MAX_STRIDE);
        }
        self.now = now;
        self.next_reading = self.tick.wrapping_add(self.stride);
    }

    /// Returns whether the last polls took next to no time: some three microseconds each at most.
    pub(crate) fn polls_are_light(&self) -> bool {
        self.stride == MAX_STRIDE
    }

    /// Makes a new reading due at the next tick.
    pub(crate) fn hurry(&mut self) {
        self.next_reading = self.tick.wrapping_add(1);
    }

    /// Takes a reading after a pause, which says nothing about the length of polls.
    pub(crate) fn resume(&mut self, now: u64) {
        self.now = now;
        self.next_reading = self.tick.wrapping_add(1);
    }

    /// The last reading, in nanoseconds since the scheduler started: a stride old at most.
    pub(crate) fn now(&self) -> u64 {
        self.now
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

    /// The part of the time that background tasks get whose polls take `background` ns, beside
    /// others of `own` ns.
    fn background_part(share: f64, own: u64, background: u64) -> f64 {
        let (mut fairness, mut now, mut spent) = (Fairness::default(), 0, 0);
        while now < 10_000_000_000 {
            fairness.note_time(now);
            let is_turn = fairness.tick(61);
            if is_turn {
                spent += fairness.end_background(now, share).unwrap_or(0);
            }
            if is_turn && fairness.owes_background(now, share) {
                fairness.begin_background(now);
                now += background;
            } else {
                now += own;
            }
        }
        spent as f64 / now as f64
    }

    #[test]
    fn background_tasks_get_their_share_of_the_time() {
        for (share, own, background) in
            [(0.01, 1_000, 100_000), (0.1, 100, 10_000), (0.25, 10_000, 200_000), (0.5, 50_000, 1_000_000)]
        {
            let part = background_part(share, own, background);
            assert!((0.9 * share..=1.01 * share).contains(&part), "{part} of {share}, beside polls of {own} ns");
        }
        assert_eq!(background_part(0.0, 1_000, 100_000), 0.0);
    }

    #[test]
    fn a_background_poll_ends_at_the_next_tick() {
        let mut fairness = Fairness { background_due: 1_000, ..Fairness::default() };
        fairness.begin_background(1_000);
        assert!(fairness.tick(61));
        assert_eq!(fairness.end_background(3_000, 0.5), Some(2_000));
        assert_eq!(fairness.end_background(4_000, 0.5), None);
        assert!(!fairness.owes_background(4_999, 0.5) && fairness.owes_background(5_000, 0.5));
        assert!(!fairness.owes_background(u64::MAX, 0.0));
        // Late by 500.
        fairness.begin_background(5_500);
        assert_eq!(fairness.end_background(6_000, 0.5), Some(500));
        assert!(!fairness.owes_background(5_999, 0.5) && fairness.owes_background(6_000, 0.5));
    }

    #[test]
    fn any_interval_there_is_comes_round() {
        let mut every = Every(u32::MAX - 2);
        assert!(!every.is_now(u32::MAX) && every.is_now(u32::MAX) && !every.is_now(u32::MAX));
        every.hurry();
        assert!(every.is_now(u32::MAX));
    }

    fn run(clock: &mut TickClock, polls: u32, nanos_each: u64, mut now: u64) -> (u64, u32) {
        let mut readings = 0;
        for _ in 0..polls {
            now += nanos_each;
            clock.advance();
            if clock.is_due() {
                clock.set(now);
                readings += 1;
            }
        }
        (now, readings)
    }

    #[test]
    fn light_polls_are_timed_per_stride_and_heavy_ones_each() {
        let mut clock = TickClock::new();
        let (now, readings) = run(&mut clock, 8_000, 100, 0);
        assert!((1_000..1_010).contains(&readings), "{readings}");
        let (_, readings) = run(&mut clock, 100, 1_000_000, now);
        assert!(readings >= 92, "{readings}");
    }

    #[test]
    fn light_polls_are_known_until_one_is_heavy() {
        let mut clock = TickClock::new();
        assert!(!clock.polls_are_light(), "nothing is known yet");
        let (now, _) = run(&mut clock, 100, 500, 0);
        assert!(clock.polls_are_light());
        clock.hurry();
        clock.advance();
        assert!(clock.is_due());
        clock.set(now + 1_000_000);
        assert!(!clock.polls_are_light());
    }

    #[test]
    fn the_tick_may_wrap() {
        let mut clock = TickClock::new();
        clock.tick = u32::MAX - 3;
        clock.next_reading = u32::MAX - 1;
        let (_, readings) = run(&mut clock, 100, 1_000_000, 0);
        assert!(readings >= 90, "{readings}");
    }
}
