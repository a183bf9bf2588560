//! A simulated clock: it stands until the simulation moves it, and the scheduler goes by it too.

use std::time::{Duration, Instant};

use crate::scheduler::clock::{ANY_STOPPED, Clock, SIMULATED};
use crate::util::sync::atomic::Ordering::Relaxed;

impl Clock {
    /// Makes it one, before any other thread knows it.
    pub(crate) fn simulate(&self) {
        ANY_STOPPED.store(true, Relaxed);
        let mut hands = self.hands.lock();
        hands.shown = self.origin;
        hands.since = None;
        self.mode.store(SIMULATED, Relaxed);
    }

    /// Moves it on to `nanos` since the runtime was made, unless it shows a later moment.
    pub(crate) fn move_to(&self, nanos: u64) {
        let moment: Instant = self.origin.checked_add(Duration::from_nanos(nanos)).unwrap_or(self.origin);
        let mut hands = self.hands.lock();
        hands.shown = hands.shown.max(moment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_clock_shows_what_it_was_moved_to() {
        let clock = Clock::new();
        clock.simulate();
        assert_eq!((clock.elapsed(), clock.timer_now()), (0, 0));
        clock.move_to(3_600_000_000_000);
        clock.move_to(5);
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!((clock.elapsed(), clock.timer_now()), (3_600_000_000_000, 3_600_000_000_000));
        assert!(!clock.is_stopped() && !clock.stop() && !clock.start());
    }
}
