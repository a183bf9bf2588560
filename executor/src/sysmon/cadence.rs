//! How closely the watcher looks: often while something is stuck now and then, seldom when nothing
//! was for a while.

use std::time::Duration;

use crate::scheduler::core::limits::TIME_SLICE;

/// How often the watcher looks while anything runs. With the timer's own slack it comes to some 0.8
/// ms, so that a poll that was seen twice is known to be stuck within two milliseconds of its
/// beginning.
pub(crate) const TICK: Duration = Duration::from_micros(700);
/// So many ticks after something was stuck, a seventh of a second, the watcher takes the spares
/// back that nothing needs. After as many ticks each time it looks half as often.
pub(super) const ALERT_TICKS: u32 = 200;
/// The first nap after a sleep is shorter: the look that ends it sees a poll that began with the
/// wake. If that has woken a task and continues, the task is taken from it at once; the next look
/// sees it again.
const FIRST_LOOK: Duration = Duration::from_micros(60);

/// The watcher goes to sleep when there was nothing to watch for so long. A server that is busy for
/// a moment every few milliseconds need not wake it each time: to be woken, and to look so soon
/// after, costs about as much as the looks of this time.
const IDLE_BEFORE_SLEEP: Duration = Duration::from_millis(8);

/// The longest time between two ticks.
pub(super) fn calmest_tick() -> Duration {
    Duration::from_nanos(TIME_SLICE)
}

/// How closely the watcher looks. A nap with its look costs 15 to 50 µs on a virtual machine: one
/// in each millisecond is more than a calm runtime should pay, so that the watcher looks less often
/// when nothing has been stuck for a while. But a look that finds tasks behind a poll is followed
/// by another one after [`TICK`], so that a poll that holds them up is known to be stuck by then.
#[derive(Debug)]
pub(crate) struct Cadence {
    /// The nap before the next tick.
    nap: Duration,
    /// Ticks since something was stuck.
    calm_ticks: u32,
    /// True if on this tick a poll was seen twice that a task waits for.
    suspicious: bool,
    /// True if on this tick something was seen to wait behind a poll that was seen once.
    curious: bool,
    /// How long there was nothing to watch.
    idle: Duration,
}

impl Default for Cadence {
    fn default() -> Self {
        Self { nap: TICK, calm_ticks: 0, suspicious: false, curious: false, idle: Duration::ZERO }
    }
}

impl Cadence {
    /// How long to wait for the next tick.
    pub(crate) fn nap(&self) -> Duration {
        self.nap
    }

    /// A poll was seen twice, and a task waits for it: look again soon.
    pub(crate) fn suspect(&mut self) {
        self.suspicious = true;
    }

    /// A task, a socket or a timer waits behind a poll that was not seen before: look once more
    /// soon, unless this look was itself an early one.
    pub(crate) fn wonder(&mut self) {
        self.curious = true;
    }

    /// Something is stuck: look closely for a while.
    pub(crate) fn alarm(&mut self) {
        self.calm_ticks = 0;
    }

    /// Counts a tick. Returns whether to sleep now, given whether there is anything to watch, and
    /// whether there was since the tick before.
    #[must_use]
    pub(crate) fn tick(&mut self, anything_to_watch: bool, since_last_tick: bool) -> bool {
        self.calm_ticks = self.calm_ticks.saturating_add(1);
        let curious = std::mem::take(&mut self.curious) && self.nap > TICK;
        let suspicious = std::mem::take(&mut self.suspicious);
        let next = if suspicious || curious {
            TICK
        } else {
            calmest_tick().min(TICK * (1 << (self.calm_ticks / ALERT_TICKS).min(4)))
        };
        let napped = std::mem::replace(&mut self.nap, next);
        self.idle = if anything_to_watch || since_last_tick { Duration::ZERO } else { self.idle + napped };
        self.idle >= IDLE_BEFORE_SLEEP
    }

    /// Notes that the watcher has slept.
    pub(crate) fn note_sleep(&mut self) {
        self.idle = Duration::ZERO;
        self.nap = FIRST_LOOK;
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    /// How long the watcher is up after the first tick on which there was nothing to watch.
    fn time_awake(cadence: &mut Cadence) -> Duration {
        assert!(!cadence.tick(true, true), "there is something to watch");
        let mut awake = Duration::ZERO;
        while !cadence.tick(false, awake.is_zero()) {
            awake += cadence.nap();
        }
        awake
    }

    #[test]
    fn the_watcher_stays_up_between_bursts_that_follow_closely() {
        let is_enough = |awake: Duration| (IDLE_BEFORE_SLEEP..=IDLE_BEFORE_SLEEP + calmest_tick()).contains(&awake);
        let mut cadence = Cadence::default();
        assert!(is_enough(time_awake(&mut cadence)), "while it is alert");
        cadence.note_sleep();
        assert!(is_enough(time_awake(&mut cadence)));
        while cadence.nap() < calmest_tick() {
            let _ = cadence.tick(true, true);
        }
        assert!(is_enough(time_awake(&mut cadence)), "once it is calm");
    }

    #[test]
    fn a_calm_watcher_looks_twice_where_a_task_waits() {
        let mut cadence = Cadence::default();
        while cadence.nap() < calmest_tick() {
            let _ = cadence.tick(true, true);
        }
        for _ in 0..3 {
            cadence.wonder();
            let _ = cadence.tick(true, true);
            assert_eq!(cadence.nap(), TICK, "the second look");
            cadence.wonder();
            let _ = cadence.tick(true, true);
            assert_eq!(cadence.nap(), calmest_tick(), "it was for the first");
        }
        cadence.alarm();
        let _ = cadence.tick(true, true);
        assert_eq!(cadence.nap(), TICK);
    }
}
