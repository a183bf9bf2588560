//! An instant on the runtime's clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

use crate::scheduler::Context;

/// The substitute for a duration that the clock cannot represent: about thirty years, which every
/// system's clock can count, and which no program outlives.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// A measurement of the clock that sleeps, timeouts and intervals use.
///
/// The type wraps a [`std::time::Instant`] and converts to and from the standard type with `From`.
/// Code that reads the time through this type follows the runtime's clock when a test
/// [pauses](super::pause) or advances the clock.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use wsrt::time::{Instant, sleep_until};
///
/// # let runtime = wsrt::runtime::Runtime::new().unwrap();
/// # runtime.block_on(async {
/// let began = Instant::now();
/// sleep_until(began + Duration::from_millis(2)).await;
/// assert!(began.elapsed() >= Duration::from_millis(2));
/// # });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(std::time::Instant);

impl Instant {
    /// Returns the current time of the current runtime's clock, which is the system clock unless a
    /// test has [paused](super::pause) it. In a process that never pauses a clock, the call costs
    /// as much as reading the system clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use wsrt::time::Instant;
    ///
    /// let earlier = Instant::now();
    /// assert!(Instant::now() >= earlier);
    /// ```
    #[must_use]
    pub fn now() -> Self {
        Self(Context::current_time())
    }

    /// Creates an `Instant` from a standard library instant.
    ///
    /// # Examples
    ///
    /// ```
    /// let std = std::time::Instant::now();
    /// assert_eq!(wsrt::time::Instant::from_std(std).into_std(), std);
    /// ```
    #[must_use]
    pub fn from_std(std: std::time::Instant) -> Self {
        Self(std)
    }

    /// Converts the `Instant` into a standard library instant.
    ///
    /// # Examples
    ///
    /// ```
    /// let now = wsrt::time::Instant::now();
    /// assert!(now.into_std() <= std::time::Instant::now());
    /// ```
    #[must_use]
    pub fn into_std(self) -> std::time::Instant {
        self.0
    }

    /// Returns the time elapsed since this instant, or zero if the instant is in the future.
    ///
    /// # Examples
    ///
    /// ```
    /// # wsrt::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// use std::time::Duration;
    ///
    /// let began = wsrt::time::Instant::now();
    /// wsrt::time::sleep(Duration::from_millis(2)).await;
    /// assert!(began.elapsed() >= Duration::from_millis(2));
    /// # std::io::Result::Ok(()) })?;
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().duration_since(*self)
    }

    /// Returns the time elapsed from `earlier` to this instant, or zero if `earlier` is later.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::Instant;
    ///
    /// let now = Instant::now();
    /// let later = now + Duration::from_secs(1);
    /// assert_eq!(later.duration_since(now), Duration::from_secs(1));
    /// assert_eq!(now.duration_since(later), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Returns the time elapsed from `earlier` to this instant, or `None` if `earlier` is later.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let now = wsrt::time::Instant::now();
    /// let later = now + Duration::from_secs(1);
    /// assert_eq!(later.checked_duration_since(now), Some(Duration::from_secs(1)));
    /// assert_eq!(now.checked_duration_since(later), None);
    /// ```
    #[must_use]
    pub fn checked_duration_since(&self, earlier: Self) -> Option<Duration> {
        self.0.checked_duration_since(earlier.0)
    }

    /// Returns the time elapsed from `earlier` to this instant, or zero if `earlier` is later.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let now = wsrt::time::Instant::now();
    /// let later = now + Duration::from_secs(1);
    /// assert_eq!(now.saturating_duration_since(later), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_duration_since(earlier.0)
    }

    /// Returns the instant `duration` after this instant, or `None` if the result is out of range.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use wsrt::time::Instant;
    ///
    /// let now = Instant::now();
    /// assert!(now.checked_add(Duration::from_secs(1)) > Some(now));
    /// assert_eq!(now.checked_add(Duration::MAX), None);
    /// ```
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }

    /// Returns the instant `duration` before this instant, or `None` if the result is out of range.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let now = wsrt::time::Instant::now();
    /// assert_eq!(now.checked_sub(Duration::ZERO), Some(now));
    /// assert_eq!(now.checked_sub(Duration::MAX), None);
    /// ```
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        self.0.checked_sub(duration).map(Self)
    }

    /// Returns the instant `duration` after this instant, or a substitute about thirty years from
    /// now if the clock cannot represent the result.
    pub(crate) fn after(self, duration: Duration) -> Self {
        self.checked_add(duration).or_else(|| self.checked_add(FAR)).unwrap_or(self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    /// Returns the instant `duration` after this instant.
    ///
    /// # Panics
    ///
    /// Panics if the result is out of range. [`checked_add`](Instant::checked_add) returns `None`
    /// instead.
    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        self.0 += duration;
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;

    /// Returns the instant `duration` before this instant.
    ///
    /// # Panics
    ///
    /// Panics if the result is out of range. [`checked_sub`](Instant::checked_sub) returns `None`
    /// instead.
    fn sub(self, duration: Duration) -> Self {
        Self(self.0 - duration)
    }
}

impl SubAssign<Duration> for Instant {
    fn sub_assign(&mut self, duration: Duration) {
        self.0 -= duration;
    }
}

impl Sub for Instant {
    type Output = Duration;

    /// Returns the time elapsed from `earlier` to this instant, or zero if `earlier` is later.
    fn sub(self, earlier: Self) -> Duration {
        self.duration_since(earlier)
    }
}

impl From<std::time::Instant> for Instant {
    fn from(std: std::time::Instant) -> Self {
        Self::from_std(std)
    }
}

impl From<Instant> for std::time::Instant {
    fn from(instant: Instant) -> Self {
        instant.into_std()
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_goes_to_std_and_back_unchanged() {
        let moment = Instant::now();
        assert_eq!(Instant::from(std::time::Instant::from(moment)), moment);
    }

    #[test]
    fn adding_durations_neither_panics_nor_goes_back() {
        let now = Instant::now();
        let far = now.after(Duration::MAX);
        assert!(far >= now + FAR);
        let mut moment = now;
        for seconds in [1, 1 << 40, i64::MAX as u64, u64::MAX, u64::MAX, 1] {
            let next = moment.after(Duration::from_secs(seconds));
            assert!(next >= moment, "{moment:?} + {seconds} s = {next:?}");
            moment = next;
        }
    }

    #[test]
    fn arithmetic_agrees_with_itself() {
        let now = Instant::now();
        let step = Duration::from_nanos(1_234_567_891);
        let mut moved = now + step;
        assert_eq!(moved - now, step);
        assert_eq!(now - moved, Duration::ZERO);
        moved -= step;
        assert_eq!(moved, now);
        moved += step;
        assert_eq!(moved - step, now);
        assert_eq!(now.checked_duration_since(moved), None);
    }
}
