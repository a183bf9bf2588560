//! How closely the watcher looks: often while something is stuck now and then, seldom when nothing
//! was for a while.

use std::time::Duration;

/// How often the watcher looks while anything runs. With the timer's own slack it comes to some 0.8
/// ms, so that a poll that was seen twice is known to be stuck within two milliseconds of its
/// beginning.
pub(crate) const TICK: Duration = Duration::from_micros(700);
/// How often it looks when nothing was stuck for [`ALERT_TICKS`].
const CALM_TICK: Duration = Duration::from_millis(4);
const ALERT_TICKS: u32 = 200;
/// The watcher goes to sleep when so many ticks in a row had nothing to watch, so that a server
/// that is busy for a moment every few milliseconds need not wake it each time.
const IDLE_TICKS: u32 = 5;
/// After a sleep as long as this the next will be long, too: it begins as soon as all are idle. A
/// server with ten bursts of requests a second paid a fifth of its CPU time for ticks before.
const LONG_SLEEP: Duration = Duration::from_millis(20);

/// How closely the watcher looks. A nap with its look costs some 15 µs on a virtual machine: one in
/// each millisecond is more than a calm runtime should pay, so that the watcher looks less often
/// when nothing has been stuck for a while.
#[derive(Debug, Default)]
pub(crate) struct Cadence {
    /// Ticks since something was stuck.
    calm_ticks: u32,
    /// Whether on this tick a poll was seen twice that a task waits for.
    suspicious: bool,
    /// Ticks for which there was nothing to watch.
    idle_ticks: u32,
    /// Whether the last sleep was a long one.
    slept_long: bool,
}

impl Cadence {
    pub(crate) fn is_alert(&self) -> bool {
        self.calm_ticks < ALERT_TICKS
    }

    /// A poll was seen twice, and a task waits for it: look again soon.
    pub(crate) fn suspect(&mut self) {
        self.suspicious = true;
    }

    /// Something is stuck: look closely for a while.
    pub(crate) fn alarm(&mut self) {
        self.calm_ticks = 0;
    }

    /// Counts a tick, and says how long to wait for the next.
    pub(crate) fn tick(&mut self) -> Duration {
        self.calm_ticks = self.calm_ticks.saturating_add(1);
        let suspicious = std::mem::take(&mut self.suspicious);
        if suspicious || self.is_alert() { TICK } else { CALM_TICK }
    }

    /// Whether to sleep now, given whether there is anything to watch, and whether there was since
    /// the tick before.
    pub(crate) fn may_sleep(&mut self, anything_to_watch: bool, since_last_tick: bool) -> bool {
        let is_idle = !anything_to_watch && !since_last_tick;
        self.idle_ticks = if is_idle { self.idle_ticks + 1 } else { 0 };
        let may_sleep = self.idle_ticks >= IDLE_TICKS || (self.slept_long && !anything_to_watch);
        if may_sleep {
            self.idle_ticks = 0;
        }
        may_sleep
    }

    /// Notes how long the watcher has slept.
    pub(crate) fn note_sleep(&mut self, duration: Duration) {
        self.slept_long = duration >= LONG_SLEEP;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The ticks from the first on which nothing was to be watched to the one that puts the watcher
    /// to sleep.
    fn ticks_awake(cadence: &mut Cadence) -> usize {
        assert!(!cadence.may_sleep(true, true), "there is something to watch");
        (0..).find(|&tick| cadence.may_sleep(false, tick == 0)).expect("it sleeps some time")
    }

    #[test]
    fn the_watcher_stays_up_between_bursts_that_follow_closely() {
        let mut cadence = Cadence::default();
        assert_eq!(ticks_awake(&mut cadence), IDLE_TICKS as usize);
        cadence.note_sleep(LONG_SLEEP / 2);
        assert_eq!(ticks_awake(&mut cadence), IDLE_TICKS as usize);
    }

    #[test]
    fn after_a_long_sleep_the_next_begins_at_once() {
        let mut cadence = Cadence::default();
        cadence.note_sleep(LONG_SLEEP);
        assert_eq!(ticks_awake(&mut cadence), 0);
        cadence.note_sleep(LONG_SLEEP / 2);
        assert_eq!(ticks_awake(&mut cadence), IDLE_TICKS as usize, "once it was woken soon");
    }
}
