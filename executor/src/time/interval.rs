//! `interval`: yields ticks at a steady rate.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crate::time::Instant;
use crate::time::deadline::{Deadline, TimerSpan};

/// Creates an [`Interval`] that ticks every `period`. The first tick is due immediately.
///
/// If `period` is too long for the clock to represent, such as [`Duration::MAX`], the interval
/// ticks once and never again.
///
/// # Panics
///
/// Panics if `period` is zero. Waiting for a tick panics if neither the wait nor this call is
/// inside a wsrt runtime.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::interval;
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let mut clock = interval(Duration::from_millis(2));
/// let first = clock.tick().await;
/// let second = clock.tick().await;
/// assert_eq!(second - first, Duration::from_millis(2));
/// # });
/// ```
#[track_caller]
pub fn interval(period: Duration) -> Interval {
    assert!(!period.is_zero(), "wsrt: `interval` needs a period longer than zero");
    interval_at(Instant::now(), period)
}

/// Creates an [`Interval`] that ticks every `period`. The first tick is due at `start`.
///
/// # Panics
///
/// Panics if `period` is zero. Waiting for a tick panics if neither the wait nor this call is
/// inside a wsrt runtime.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{Instant, interval_at};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let period = Duration::from_millis(2);
/// let start = Instant::now() + period;
/// let mut clock = interval_at(start, period);
/// assert_eq!(clock.tick().await, start);
/// assert!(Instant::now() >= start);
/// # });
/// ```
#[track_caller]
pub fn interval_at(start: Instant, period: Duration) -> Interval {
    assert!(!period.is_zero(), "wsrt: `interval_at` needs a period longer than zero");
    let span = TimerSpan::new("Interval", "Interval::tick", "poll_tick");
    Interval { deadline: Deadline::new(start, span), period, missed_tick_behavior: MissedTickBehavior::default() }
}

/// A timer that ticks at a steady rate, created by [`interval`] and [`interval_at`].
///
/// Unlike a loop around [`sleep`](super::sleep()), the interval does not drift: the time that the
/// program works between two ticks counts as part of the period. [`MissedTickBehavior`] selects how
/// the interval catches up when ticks are taken late. One timer serves all ticks, so nothing is
/// allocated after the first tick.
#[derive(Debug)]
pub struct Interval {
    deadline: Deadline,
    period: Duration,
    missed_tick_behavior: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick and returns the instant at which the tick was due.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime if the interval was also created outside a runtime.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a tick that a dropped call did not return is not lost.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    /// use wsrt::time;
    ///
    /// let mut interval = time::interval(Duration::from_millis(2));
    /// let first = interval.tick().await;
    /// let second = interval.tick().await;
    /// assert_eq!(second - first, Duration::from_millis(2));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub async fn tick(&mut self) -> Instant {
        poll_fn(|cx| self.poll_tick(cx)).await
    }

    /// Polls for the next tick and returns the instant at which the tick was due. While no tick is
    /// due, returns `Pending` and wakes `cx`'s task when the next tick comes.
    ///
    /// If several tasks poll, only the task that polled last is woken.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime if the interval was also created outside a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::future::poll_fn;
    /// use std::time::Duration;
    /// use wsrt::time::interval;
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut clock = interval(Duration::from_millis(1));
    /// poll_fn(|cx| clock.poll_tick(cx)).await;
    /// # });
    /// ```
    pub fn poll_tick(&mut self, cx: &mut Context<'_>) -> Poll<Instant> {
        ready!(self.deadline.poll(cx, "an `Interval`"));
        let due = self.deadline.instant();
        self.deadline.set(self.missed_tick_behavior.next_due(due, Instant::now(), self.period));
        Poll::Ready(due)
    }

    /// Restarts the interval: the next tick is due one period from now.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, interval};
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let period = Duration::from_millis(2);
    /// let mut clock = interval(period);
    /// let now = Instant::now();
    /// clock.reset();
    /// assert!(clock.tick().await >= now + period);
    /// # });
    /// ```
    pub fn reset(&mut self) {
        self.reset_after(self.period);
    }

    /// Restarts the interval: the next tick is due now, and the following tick one period later.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    /// use wsrt::time;
    ///
    /// let mut interval = time::interval(Duration::from_secs(3600));
    /// interval.tick().await;
    /// interval.reset_immediately();
    /// interval.tick().await;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn reset_immediately(&mut self) {
        self.reset_after(Duration::ZERO);
    }

    /// Restarts the interval: the next tick is due after the duration `after`, which need not match
    /// the period. Later ticks follow at the usual period.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    /// use wsrt::time;
    ///
    /// let mut interval = time::interval(Duration::from_secs(3600));
    /// interval.tick().await;
    /// interval.reset_after(Duration::from_millis(1));
    /// interval.tick().await;
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn reset_after(&mut self, after: Duration) {
        self.reset_at(Instant::now().after(after));
    }

    /// Restarts the interval: the next tick is due at `deadline`, and the tick after it one period
    /// later.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{Instant, interval};
    ///
    /// # let runtime = wsrt::runtime::Runtime::new().unwrap();
    /// # runtime.block_on(async {
    /// let mut clock = interval(Duration::from_secs(60));
    /// let soon = Instant::now() + Duration::from_millis(1);
    /// clock.reset_at(soon);
    /// assert_eq!(clock.tick().await, soon);
    /// # });
    /// ```
    pub fn reset_at(&mut self, deadline: Instant) {
        self.deadline.set(deadline);
    }

    /// Returns how the interval treats late ticks. The default is
    /// [`Burst`](MissedTickBehavior::Burst).
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::time::{self, MissedTickBehavior};
    ///
    /// let interval = time::interval(std::time::Duration::from_secs(1));
    /// assert_eq!(interval.missed_tick_behavior(), MissedTickBehavior::Burst);
    /// ```
    #[must_use]
    pub fn missed_tick_behavior(&self) -> MissedTickBehavior {
        self.missed_tick_behavior
    }

    /// Sets how the interval behaves when ticks are taken late, starting with the next tick.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::{MissedTickBehavior, interval};
    ///
    /// let mut clock = interval(Duration::from_secs(1));
    /// assert_eq!(clock.missed_tick_behavior(), MissedTickBehavior::Burst);
    /// clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    /// assert_eq!(clock.missed_tick_behavior(), MissedTickBehavior::Delay);
    /// ```
    pub fn set_missed_tick_behavior(&mut self, behavior: MissedTickBehavior) {
        self.missed_tick_behavior = behavior;
    }

    /// Returns the period, the time between two ticks.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// assert_eq!(wsrt::time::interval(Duration::from_secs(1)).period(), Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn period(&self) -> Duration {
        self.period
    }
}

/// The lateness up to which a tick still counts as on time, if the period is at least twice as
/// long.
const TOLERANCE: Duration = Duration::from_millis(5);

/// Selects how an [`Interval`] behaves when ticks are taken late.
///
/// The table shows a 10 ms interval whose third tick is taken at 45 ms instead of 20 ms:
///
/// | | ticks are due at |
/// |---|---|
/// | `Burst` | 0, 10, 20 (late), then at once 30 and 40, then 50, 60 |
/// | `Delay` | 0, 10, 20 (late), then 55, 65, 75 |
/// | `Skip` | 0, 10, 20 (late), then 50, 60, 70 |
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{MissedTickBehavior, interval};
///
/// let mut heartbeat = interval(Duration::from_secs(1));
/// heartbeat.set_missed_tick_behavior(MissedTickBehavior::Skip);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissedTickBehavior {
    /// Ticks without a pause until the interval has caught up, so the total number of ticks is
    /// right in the long run.
    #[default]
    Burst,
    /// Restarts the schedule from the late tick. Consecutive ticks are about one period apart, and
    /// never less than half a period.
    ///
    /// A tick counts as late if it is taken more than 5 ms after it was due, or more than half a
    /// period if that is shorter. A smaller delay does not shift the following ticks.
    Delay,
    /// Skips the missed ticks. Every tick is due a whole number of periods after the first tick.
    Skip,
}

impl MissedTickBehavior {
    /// Returns when the next tick is due, after a tick that was due at `due` and is taken at `now`.
    /// `period` is not zero.
    fn next_due(self, due: Instant, now: Instant, period: Duration) -> Instant {
        let now = now.max(due);
        let late = now - due;
        match self {
            Self::Skip => now.after(period - remainder(late, period)),
            Self::Delay if late > TOLERANCE.min(period / 2) => now.after(period),
            Self::Delay | Self::Burst => due.after(period),
        }
    }
}

/// Returns the remainder of `time` divided by `period`.
fn remainder(time: Duration, period: Duration) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    let nanos = time.as_nanos() % period.as_nanos();
    // Neither cast loses anything: it is less than `period`, and less than a second.
    Duration::new((nanos / SECOND) as u64, (nanos % SECOND) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::FastRand;

    /// A period and a lateness of any order of magnitude, from nanoseconds to hours, the two
    /// independent of each other.
    fn case(rng: &mut FastRand) -> (Duration, Duration) {
        let mut pick = || {
            let magnitude = 1 << rng.below(43);
            Duration::from_nanos(1 + rng.below(magnitude) as u64)
        };
        (pick(), pick() - Duration::from_nanos(1))
    }

    fn for_each_case(mut check: impl FnMut(Instant, Instant, Duration)) {
        let start = Instant::now();
        let mut rng = FastRand::from_seed(2);
        for _ in 0..20_000 {
            let (period, late) = case(&mut rng);
            let due = start + Duration::from_nanos(rng.below(1 << 40) as u64);
            check(due, due + late, period);
        }
    }

    #[test]
    fn burst_loses_no_tick_however_late() {
        for_each_case(|due, now, period| {
            assert_eq!(MissedTickBehavior::Burst.next_due(due, now, period), due + period);
        });
    }

    #[test]
    fn delay_starts_anew_from_a_late_tick() {
        let mut late_ones = 0;
        for_each_case(|due, now, period| {
            let next = MissedTickBehavior::Delay.next_due(due, now, period);
            let is_late = now - due > TOLERANCE.min(period / 2);
            late_ones += u32::from(is_late);
            assert_eq!(next, if is_late { now + period } else { due + period });
            assert!(next - now >= period / 2, "{period:?}, late by {:?}", now - due);
        });
        assert!((1_000..19_000).contains(&late_ones), "the cases cover both sides: {late_ones}");
    }

    #[test]
    fn skip_keeps_to_the_grid_and_takes_the_next_point() {
        for_each_case(|due, now, period| {
            let next = MissedTickBehavior::Skip.next_due(due, now, period);
            assert_eq!((next - due).as_nanos() % period.as_nanos(), 0, "off the grid of {period:?}");
            assert!(next > now && next - now <= period, "{period:?}, late by {:?}: {:?} ahead", now - due, next - now);
        });
    }

    #[test]
    fn a_tick_on_time_is_followed_one_period_later() {
        let due = Instant::now();
        let period = Duration::from_millis(10);
        for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
            assert_eq!(behavior.next_due(due, due, period), due + period);
            assert_eq!(behavior.next_due(due, due + Duration::from_micros(80), period), due + period);
        }
    }

    #[test]
    fn the_documented_table_is_right() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let period = Duration::from_millis(10);
        assert_eq!(MissedTickBehavior::Burst.next_due(at(20), at(45), period), at(30));
        assert_eq!(MissedTickBehavior::Burst.next_due(at(40), at(45), period), at(50));
        assert_eq!(MissedTickBehavior::Delay.next_due(at(20), at(45), period), at(55));
        assert_eq!(MissedTickBehavior::Skip.next_due(at(20), at(45), period), at(50));
    }

    #[test]
    fn periods_and_delays_beyond_the_clock_do_not_panic() {
        let now = Instant::now();
        let far = now.after(Duration::MAX).after(Duration::from_secs(i64::MAX as u64 / 2));
        for behavior in [MissedTickBehavior::Burst, MissedTickBehavior::Delay, MissedTickBehavior::Skip] {
            for period in [Duration::from_nanos(1), Duration::MAX] {
                assert!(behavior.next_due(now, now, period) > now);
                assert!(behavior.next_due(now, far, period) > now);
                assert!(behavior.next_due(far, now, period) >= far);
            }
        }
    }
}
