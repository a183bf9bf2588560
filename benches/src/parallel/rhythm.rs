//! Serial and parallel runs of the same work, by turns, so that whatever else the machine does
//! meets both alike.

use std::thread;
use std::time::{Duration, Instant};

use crate::harness::Series;

/// For so long both are run before anything counts: a pool and its runtime adapt to the kind of
/// work.
const SETTLING: Duration = Duration::from_millis(500);

/// How often, and with which pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rhythm {
    /// Turns: some serial runs and then some parallel ones.
    pub(super) turns: usize,
    /// Runs of each kind in a turn that are not counted: the threads that they wake stay awake for
    /// the others.
    pub(super) warm_up: usize,
    /// Runs of each kind in a turn that are counted.
    pub(super) runs: usize,
    /// The pause before the parallel runs of a turn, in which the pool's threads go to sleep.
    pub(super) rest: Duration,
    /// How long the turns go on that come before those that count.
    pub(super) settling: Duration,
}

/// Nanoseconds of serial runs that are enough for a median.
const SERIAL_TIME: u64 = 40_000_000;

impl Rhythm {
    /// Back to back: a pool that is at work.
    pub(super) fn hot(serial_nanos: u64) -> Self {
        let (warm_up, runs) = (2, 8);
        let turns = SERIAL_TIME / (serial_nanos * (warm_up + runs) as u64).max(1);
        Self { turns: turns.clamp(3, 100) as usize, warm_up, runs, rest: Duration::ZERO, settling: SETTLING }
    }

    /// After a rest that no pool's threads spin through.
    pub(super) fn rested() -> Self {
        Self { turns: 20, warm_up: 0, runs: 1, rest: Duration::from_millis(20), settling: SETTLING }
    }

    /// Runs both by turns. Each takes the number of runs, and returns how many nanoseconds each run
    /// took.
    pub(super) fn alternate(
        self,
        mut serial: impl FnMut(usize) -> Vec<f64>,
        mut parallel: impl FnMut(usize) -> Vec<f64>,
    ) -> Series {
        let mut turn = |series: &mut Series| {
            series.add("serial", serial(self.warm_up + self.runs).into_iter().skip(self.warm_up));
            thread::sleep(self.rest);
            series.add("parallel", parallel(self.warm_up + self.runs).into_iter().skip(self.warm_up));
        };
        let start = Instant::now();
        while start.elapsed() < self.settling {
            turn(&mut Series::default());
        }
        let mut series = Series::default();
        (0..self.turns).for_each(|_| turn(&mut series));
        series
    }
}

/// Returns the share of `processors` that did useful work: serial time ÷ (processors × time).
pub(super) fn efficiency(series: &Series, processors: usize) -> f64 {
    series.median("serial") / (processors as f64 * series.median("parallel"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warm_up_of_each_turn_is_left_out() {
        let rhythm = Rhythm { turns: 2, warm_up: 1, runs: 2, rest: Duration::ZERO, settling: Duration::ZERO };
        let times = |base: f64| move |count: usize| (0..count).map(|run| base + run as f64).collect();
        let series = rhythm.alternate(times(10.0), times(5.0));
        assert_eq!(series.of("serial"), [11.0, 12.0, 11.0, 12.0]);
        assert_eq!(series.of("parallel"), [6.0, 7.0, 6.0, 7.0]);
    }

    #[test]
    fn turns_that_settle_do_not_count() {
        let settling = Duration::from_millis(5);
        let rhythm = Rhythm { turns: 3, warm_up: 0, runs: 1, rest: Duration::ZERO, settling };
        let (start, mut after_settling) = (Instant::now(), 0);
        let series = rhythm.alternate(
            |_| {
                after_settling += usize::from(start.elapsed() >= settling);
                vec![1.0]
            },
            |_| vec![1.0],
        );
        assert_eq!(series.of("serial").len(), 3);
        assert!(after_settling >= 3, "{after_settling}");
    }

    #[test]
    fn half_the_time_on_two_processors_is_efficiency_one() {
        let mut series = Series::default();
        series.add("serial", [200.0]);
        series.add("parallel", [100.0]);
        assert_eq!((efficiency(&series, 2), efficiency(&series, 4)), (1.0, 0.5));
    }

    #[test]
    fn short_work_runs_more_often_and_long_work_often_enough() {
        assert!(Rhythm::hot(65_000).turns > Rhythm::hot(656_000).turns);
        assert_eq!(Rhythm::hot(1_000_000_000).turns, 3);
    }
}
