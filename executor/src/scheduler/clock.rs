//! The clock of a runtime: how long it has run, and the time that timers go by, which is the
//! system's unless a test has stopped it.
//!
//! Only timers, and the code that asks them for the time, follow it. The scheduler's own times,
//! such as time slices and looks at the netpoller, follow the system's clock, which no test stops.

use std::time::{Duration, Instant};

use crate::util::sync;
use crate::util::sync::Mutex;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::atomic::{AtomicBool, AtomicU8};
use crate::util::world::{self, HostClock};

/// True if any clock of this process was ever stopped. While it is false, as it is in every program
/// that is no test, the time is a matter of this one load, of a line that no thread writes.
///
/// Relaxed: a thread that stops a clock sees its own store, and others have no promise when they
/// see the clock stand.
pub(super) static ANY_STOPPED: AtomicBool = AtomicBool::new(false);

/// Returns whether any clock of this process was ever stopped.
#[inline]
pub(crate) fn is_any_stopped() -> bool {
    ANY_STOPPED.load(Relaxed)
}

/// Goes with the system's clock, as it did from the start.
const SYSTEM: u8 = 0;
/// Stands still.
const STOPPED: u8 = 1;
/// Stands until a simulation moves it, and the scheduler's own times go by it.
pub(super) const SIMULATED: u8 = 3;
/// Goes again, ahead or behind by the time that it was moved while it stood.
const SHIFTED: u8 = 2;

/// A clock is not moved closer to the last moment that it can show than this, some hundred years:
/// it has to be able to continue from there.
const TO_SPARE: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// Why a clock was not moved on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CannotAdvance {
    /// It goes by itself.
    Goes,
    /// It cannot show a moment so far away.
    TooFar,
}

/// One runtime's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Deadlines and processors' clocks count nanoseconds from here.
    pub(super) origin: Instant,
    /// Written under the lock. Relaxed: a thread that finds anything but `SYSTEM` takes the lock,
    /// and one that finds `SYSTEM` at the moment at which another thread stops the clock has read
    /// it a moment before.
    pub(super) mode: AtomicU8,
    pub(super) hands: Mutex<Hands>,
}

/// The reading of a clock that does not follow the system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hands {
    pub(super) shown: Instant,
    /// When it showed that, if it goes.
    pub(super) since: Option<Instant>,
}

impl Hands {
    fn read(self) -> Instant {
        match self.since {
            None => self.shown,
            Some(since) => self.shown + sync::now().saturating_duration_since(since),
        }
    }
}

impl Clock {
    pub(crate) fn new() -> Self {
        let now = sync::now();
        let hands = Mutex::new(Hands { shown: now, since: Some(now) });
        Self { origin: now, mode: AtomicU8::new(SYSTEM), hands }
    }

    /// Returns the nanoseconds since the runtime was made, by the system's clock, or by a simulated
    /// one.
    pub(crate) fn elapsed(&self) -> u64 {
        if self.is_simulated() { self.timer_now() } else { self.nanos(sync::now()) }
    }

    #[inline(always)]
    fn is_simulated(&self) -> bool {
        world::EXISTS && self.mode.load(Relaxed) == SIMULATED
    }

    /// Returns the nanoseconds since the runtime was made, by the clock that timers go by.
    pub(crate) fn timer_now(&self) -> u64 {
        self.nanos(self.now())
    }

    /// Returns the timers' time when the system's clock shows `now`; outside tests it is `now`.
    #[inline]
    pub(crate) fn timer_time(&self, now: u64) -> u64 {
        if self.is_system() { now } else { self.timer_now() }
    }

    /// Returns `instant` in nanoseconds since the runtime was made, as timers count: at most some
    /// 584 years.
    pub(crate) fn nanos(&self, instant: Instant) -> u64 {
        let since = instant.saturating_duration_since(self.origin);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the time that timers go by, as the current task is shown it: on a simulated host, by
    /// the host's clock.
    #[inline]
    pub(crate) fn now_for_task(&self) -> Instant {
        match self.host_clock() {
            Some(host) => self.instant(host.shown(self.timer_now())),
            None => self.now(),
        }
    }

    /// Returns a moment that the current task gives in nanoseconds, as timers count.
    pub(crate) fn nanos_for_task(&self, instant: Instant) -> u64 {
        let nanos = self.nanos(instant);
        self.host_clock().map_or(nanos, |host| host.moment(nanos))
    }

    /// The clock of the current task's host, if it differs from this one.
    fn host_clock(&self) -> Option<HostClock> {
        if self.is_simulated() { world::host_clock() } else { None }
    }

    /// Returns the moment that is `nanos` after the runtime was made.
    pub(crate) fn instant(&self, nanos: u64) -> Instant {
        // Beyond the clock, which no awaited deadline is, a moment that wakes the
        // waiter too early will do.
        self.origin.checked_add(Duration::from_nanos(nanos)).unwrap_or(self.origin)
    }

    /// Returns whether this is the system's clock.
    #[inline]
    pub(crate) fn is_system(&self) -> bool {
        self.mode.load(Relaxed) == SYSTEM
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.mode.load(Relaxed) == STOPPED
    }

    /// Returns the time that timers go by.
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        if self.is_system() { sync::now() } else { self.hands.lock().read() }
    }

    /// The moment of the system's clock at which this one, if it continues, shows `moment`.
    pub(crate) fn in_system_time(&self, moment: Instant) -> Instant {
        if self.is_system() {
            return moment;
        }
        let now = sync::now();
        // A sum beyond the system's clock is so far away that any moment will do for the waiter to
        // look again.
        now.checked_add(moment.saturating_duration_since(self.now())).unwrap_or(now)
    }

    /// Stops it. `false` if it stands already.
    #[must_use]
    pub(crate) fn stop(&self) -> bool {
        ANY_STOPPED.store(true, Relaxed);
        let mut hands = self.hands.lock();
        if self.is_stopped() || self.is_simulated() {
            return false;
        }
        *hands = Hands { shown: hands.read(), since: None };
        self.mode.store(STOPPED, Relaxed);
        true
    }

    /// Lets it continue from its present reading. `false` if it is not stopped.
    #[must_use]
    pub(crate) fn start(&self) -> bool {
        let mut hands = self.hands.lock();
        if !self.is_stopped() {
            return false;
        }
        hands.since = Some(sync::now());
        self.mode.store(SHIFTED, Relaxed);
        true
    }

    /// Moves it on while it stands.
    pub(crate) fn advance(&self, by: Duration) -> Result<(), CannotAdvance> {
        let mut hands = self.hands.lock();
        if !self.is_stopped() {
            return Err(CannotAdvance::Goes);
        }
        let there = hands.shown.checked_add(by).filter(|there| there.checked_add(TO_SPARE).is_some());
        hands.shown = there.ok_or(CannotAdvance::TooFar)?;
        Ok(())
    }

    /// Moves it on to `moment`, unless it goes, or shows a later one.
    pub(crate) fn skip_to(&self, moment: Instant) {
        let mut hands = self.hands.lock();
        if self.is_stopped() {
            hands.shown = hands.shown.max(moment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);

    #[test]
    fn a_stopped_clock_stands_until_it_is_moved() {
        let clock = Clock::new();
        assert!(clock.is_system() && clock.stop() && !clock.stop());
        let stood = clock.now();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(clock.now(), stood);
        assert_eq!(clock.advance(HOUR), Ok(()));
        clock.skip_to(stood);
        assert_eq!(clock.now(), stood + HOUR, "it does not go back");
        clock.skip_to(stood + 2 * HOUR);
        assert_eq!(clock.now(), stood + 2 * HOUR);
        assert_eq!(clock.advance(Duration::MAX), Err(CannotAdvance::TooFar));
        assert_eq!(clock.now(), stood + 2 * HOUR);
    }

    #[test]
    fn a_clock_moved_to_its_end_goes_on_from_there() {
        let clock = Clock::new();
        assert!(clock.stop());
        // By ever smaller steps, as far as it can be moved.
        let seconds = (0..63).rev().map(|exponent| Duration::from_secs(1 << exponent));
        let nanos = (0..30).rev().map(|exponent| Duration::from_nanos(1 << exponent));
        seconds.chain(nanos).for_each(|step| while clock.advance(step).is_ok() {});
        assert!(clock.now().checked_add(50 * 365 * 24 * HOUR).is_some(), "there is time to go on");
        assert!(clock.start());
        let shown = clock.now();
        std::thread::sleep(Duration::from_millis(1));
        assert!(clock.now() > shown, "it goes on");
        assert!(clock.stop());
    }

    #[test]
    fn a_resumed_clock_goes_on_from_what_it_showed() {
        let clock = Clock::new();
        assert!(!clock.start() && clock.advance(HOUR) == Err(CannotAdvance::Goes));
        assert!(clock.stop() && clock.advance(HOUR).is_ok());
        let shown = clock.now();
        assert!(clock.start() && !clock.is_stopped() && !clock.is_system());
        assert!(clock.now() >= shown && clock.now() < shown + HOUR);
        let ahead = clock.in_system_time(shown + HOUR).saturating_duration_since(Instant::now());
        assert!(ahead <= HOUR && ahead > HOUR / 2, "{ahead:?}");
        assert!(clock.stop(), "and may be stopped again");
    }
}
