//! How soon the watcher looks again.

use std::time::Duration;

use crate::scheduler::core::watcher_sleep::LOOK;

/// A look that finds something behind a poll is followed by another one after 0.7 ms. With the
/// timer's slack both come within two milliseconds of the poll's beginning.
pub(crate) const SECOND_LOOK: Duration = Duration::from_micros(700);

/// The time until the next look.
#[derive(Debug, Default)]
pub(crate) struct Cadence {
    /// True if on this look a poll was seen twice that a task waits for.
    suspicious: bool,
    /// True if on this look something was seen to wait behind a poll that was seen once.
    curious: bool,
    /// True if this look was a second one.
    was_second: bool,
}

impl Cadence {
    /// A poll was seen twice, and a task waits for it: look again soon.
    pub(crate) fn suspect(&mut self) {
        self.suspicious = true;
    }

    /// A task, a socket or a timer waits behind a poll that was not seen before: look once more
    /// soon, unless this look was itself a second one. Where tasks always wait that is every other
    /// look.
    pub(crate) fn wonder(&mut self) {
        self.curious = true;
    }

    /// Ends the look. Returns the time until the next.
    #[must_use]
    pub(crate) fn next(&mut self) -> Duration {
        let is_curious = std::mem::take(&mut self.curious) && !self.was_second;
        self.was_second = std::mem::take(&mut self.suspicious) || is_curious;
        if self.was_second { SECOND_LOOK } else { LOOK }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_watcher_looks_twice_where_a_task_waits() {
        let mut cadence = Cadence::default();
        assert_eq!(cadence.next(), LOOK);
        for _ in 0..3 {
            cadence.wonder();
            assert_eq!(cadence.next(), SECOND_LOOK);
            cadence.wonder();
            assert_eq!(cadence.next(), LOOK, "it was for the first");
        }
        for _ in 0..3 {
            cadence.suspect();
            assert_eq!(cadence.next(), SECOND_LOOK);
        }
    }
}
