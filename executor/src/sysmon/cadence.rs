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
/// The watcher goes to sleep when so many ticks in a row had nothing to watch.
const IDLE_TICKS: u32 = 5;

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

    /// Whether to sleep now that there is nothing to watch, or that there is. The watcher waits
    /// before it goes to sleep, for a server that is busy for a moment now and then would have to
    /// wake it each time.
    pub(crate) fn may_sleep(&mut self, nothing_to_watch: bool) -> bool {
        self.idle_ticks = if nothing_to_watch { self.idle_ticks + 1 } else { 0 };
        let may_sleep = self.idle_ticks >= IDLE_TICKS;
        if may_sleep {
            self.idle_ticks = 0;
        }
        may_sleep
    }
}
