//! `interval`: yields ticks at a steady rate.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::deadline::{Deadline, TimerSpan};
use super::{Instant, MissedTickBehavior};

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
