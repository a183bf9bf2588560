//! Time as a processor sees it: read seldom while polls are short, at every poll while they are
//! long.
//!
//! Reading the clock costs as much as half a poll of a light task. So a processor carries the last
//! reading with it, and takes a new one after a *stride* of ticks that it chooses by the duration
//! of the last one.

/// After a stride that took longer than this, the clock is read at each poll: the reading was too
/// coarse. One that took less than half of it is doubled.
const LONG_STRIDE: u64 = 50_000;
/// The most ticks that go by unread. It bounds the effect of a sudden run of long polls: eight of
/// them can be hidden.
const MAX_STRIDE: u32 = 8;

/// The clock of one processor: nanoseconds since the scheduler started, and ticks, which count
/// polls.
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
