//! The moments at which stalls begin, and at which things become ready behind them: drawn, and the
//! same for each seed.

use std::ops::Range;
use std::time::Duration;

use crate::random::Random;

/// Between two stalls, mostly: from stalls that come one after the other to those of a busy server.
const REST: Range<Duration> = Duration::from_micros(100)..Duration::from_millis(30);
/// The rests between the two others, in which a watcher may look less and less often.
const LONG_REST: Range<Duration> = REST.end..QUIET.start;
/// Longer than a watcher remembers a stall. The end keeps 10,000 stalls to some minutes.
pub(super) const QUIET: Range<Duration> = Duration::from_secs(1)..Duration::from_millis(1_500);
/// One rest in so many is long, and one is quiet: 50 each of 10,000, in half of the whole time.
const RARE: usize = 200;

/// From the beginning of a stall until a thing is ready behind it: longer than a task takes to arm
/// its timer, and up to two looks of a watcher that looks each 10 ms.
const DELAY: Range<Duration> = Duration::from_micros(200)..Duration::from_millis(20);

/// The draw of all moments of one measurement.
#[derive(Debug)]
pub(super) struct Moments(Random);

impl Moments {
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Draws how long the runtime rests before the next stall.
    pub(super) fn rest(&mut self) -> Duration {
        let range = match self.0.below(RARE) {
            0 => QUIET,
            1 => LONG_REST,
            _ => REST,
        };
        self.spread(range)
    }

    /// Draws how long after the beginning of a stall a thing becomes ready.
    pub(super) fn delay(&mut self) -> Duration {
        self.spread(DELAY)
    }

    /// Draws from `range`, each order of magnitude as likely as another.
    fn spread(&mut self, range: Range<Duration>) -> Duration {
        let factor = range.end.div_duration_f64(range.start).powf(self.0.share());
        // Rounding must not reach the end.
        range.start.mul_f64(factor).min(range.end - Duration::from_nanos(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 10_000;

    fn rests(seed: u64) -> Vec<Duration> {
        let mut moments = Moments::new(seed);
        (0..DRAWS).map(|_| moments.rest()).collect()
    }

    #[test]
    fn a_seed_decides_the_rests_and_the_delays() {
        let draw = |seed| {
            let mut moments = Moments::new(seed);
            (0..100).map(|_| (moments.rest(), moments.delay())).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn rests_and_delays_stay_in_their_bounds() {
        let mut moments = Moments::new(1);
        assert!(rests(1).iter().all(|rest| (REST.start..QUIET.end).contains(rest)));
        assert!((0..DRAWS).all(|_| DELAY.contains(&moments.delay())));
    }

    #[test]
    fn each_kind_of_rest_comes_in_its_share() {
        let rests = rests(1);
        let count = |range: Range<Duration>| rests.iter().filter(|rest| range.contains(rest)).count();
        let rare = DRAWS / RARE;
        assert!((rare / 2..rare * 2).contains(&count(QUIET)), "{}", count(QUIET));
        assert!((rare / 2..rare * 2).contains(&count(LONG_REST)), "{}", count(LONG_REST));
    }

    #[test]
    fn short_rests_are_as_likely_as_ten_times_longer_ones() {
        let rests = rests(1);
        let count = |from: u64, to: u64| {
            rests.iter().filter(|rest| (from..to).contains(&(rest.as_micros() as u64))).count() as f64
        };
        let ratio = count(100, 1_000) / count(1_000, 10_000);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn ten_thousand_stalls_rest_for_minutes() {
        let minutes = rests(1).iter().sum::<Duration>().as_secs_f64() / 60.0;
        assert!((1.0..4.0).contains(&minutes), "{minutes}");
    }
}
