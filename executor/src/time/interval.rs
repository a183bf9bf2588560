//! `interval`: ticks at a steady rate.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::deadline::{Deadline, TimerSpan};
use super::{Instant, MissedTickBehavior};

/// Makes an [`Interval`] that ticks every `period`, for the first time at once.
///
/// A period that the clock cannot count, such as [`Duration::MAX`], gives one tick and no second.
///
/// # Panics
///
/// Panics if `period` is zero. Waiting for a tick panics outside a wsrt runtime, if this call was
/// outside one, too.
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

/// Makes an [`Interval`] that ticks every `period`, for the first time at `start`.
///
/// # Panics
///
/// Panics if `period` is zero. Waiting for a tick panics outside a wsrt runtime, if this call was
/// outside one, too.
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

/// Ticks at a steady rate.
///
/// Made by [`interval`] and [`interval_at`]. The time between ticks includes the work done between
/// them, unlike in a loop around [`sleep`](super::sleep()). [`MissedTickBehavior`] says how ticks
/// that are taken late are made up for. The timer is used again for each tick and nothing is
/// allocated after the first.
#[derive(Debug)]
pub struct Interval {
    deadline: Deadline,
    period: Duration,
    missed_tick_behavior: MissedTickBehavior,
}

impl Interval {
    /// Waits for the next tick, and returns the moment at which it was due.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime, if the interval was made outside one, too.
    ///
    /// # Cancel safety
    ///
    /// This call is cancel safe: a tick that was not returned is returned by the next call.
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

    /// Returns the moment at which the next tick was due, once it has come; until then wakes `cx`'s
    /// task when it does.
    ///
    /// Only the waker of the last call is woken.
    ///
    /// # Panics
    ///
    /// Panics outside a wsrt runtime, if the interval was made outside one, too.
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

    /// Makes the next tick come a period from now.
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

    /// Makes the next tick come now, and the one after it a period later.
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

    /// Makes the next tick come `after` from now, whatever the period is.
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

    /// Makes the next tick come at `deadline`, and the one after it a period later.
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

    /// Returns the behaviour when ticks are taken late: [`Burst`](MissedTickBehavior::Burst),
    /// unless it was set.
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

    /// Sets the behaviour when ticks are taken late, from the next tick taken on.
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

    /// Returns the period.
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
