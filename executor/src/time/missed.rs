//! Computes when an interval ticks next, from instants alone, without reading a clock.

use std::time::Duration;

use super::Instant;

/// The lateness up to which a tick still counts as on time, if the period is at least twice as
/// long.
const TOLERANCE: Duration = Duration::from_millis(5);

/// Selects how an [`Interval`](super::Interval) behaves when ticks are taken late.
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
    pub(super) fn next_due(self, due: Instant, now: Instant, period: Duration) -> Instant {
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
