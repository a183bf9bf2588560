//! A histogram of durations, as a value.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use wsrt_trace::Buckets;

use crate::observe::latency::{Histogram, LATENCY_BUCKETS};

/// A histogram of durations.
///
/// Durations are counted in buckets. Between any duration and its double there are eight buckets of
/// equal width, so a value read from the histogram is off by at most one sixteenth (6.25 %).
/// Durations below 16 ns are exact. Durations above 18 minutes are counted as 18 minutes.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// let runtime = wsrt::runtime::Builder::new_multi_thread().latency_histograms(true).build()?;
/// runtime.run(async {
///     for _ in 0..1_000 {
///         wsrt::task::yield_now().await;
///     }
/// });
/// let total = runtime.metrics().snapshot().total();
/// let median = total.poll_time().quantile(0.5).expect("about 125 polls were sampled");
/// assert!(median < Duration::from_millis(1));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LatencyHistogram {
    /// The count of each bucket; empty while nothing was counted.
    counts: Vec<u64>,
    /// In nanoseconds.
    sum: u64,
}

impl LatencyHistogram {
    pub(in crate::runtime) fn read(recorded: &Histogram) -> Self {
        Self { counts: recorded.counts().collect(), sum: recorded.sum() }
    }

    /// Returns the number of durations in the histogram.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the sum of all durations, exact except for durations recorded during the read.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum)
    }

    /// Returns the mean of all durations, or `None` if the histogram is empty.
    pub fn mean(&self) -> Option<Duration> {
        self.sum.checked_div(self.count()).map(Duration::from_nanos)
    }

    /// Returns the quantile `q` of the durations: 0.5 for the median, 0.99 for the 99th percentile.
    /// Returns `None` if the histogram is empty.
    ///
    /// The result is the midpoint of the quantile's bucket, and off by at most 6.25 %.
    ///
    /// # Panics
    ///
    /// Panics if `q` is not between 0 and 1.
    #[track_caller]
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        assert!((0.0..=1.0).contains(&q), "wsrt: `quantile({q})`: a quantile is from 0 to 1, such as 0.99");
        let bucket = bounds(Buckets::quantile(&self.counts, q)?);
        Some(bucket.start + (bucket.end - bucket.start) / 2)
    }

    /// Returns an iterator over the non-empty buckets, shortest durations first. Each element is
    /// the range of durations that the bucket covers, and the number of durations in the bucket.
    pub fn buckets(&self) -> impl Iterator<Item = (Range<Duration>, u64)> + '_ {
        let counted = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(bucket, count)| (bounds(bucket), *count))
    }

    /// Adds the counts of `other` to this histogram.
    pub fn add(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// Returns the durations that were counted since `earlier`, an earlier state of this histogram.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let before = earlier.counts.iter().copied().chain(std::iter::repeat(0));
        let grown = self.counts.iter().zip(before).map(|(now, before)| now.saturating_sub(before));
        Self { counts: grown.collect(), sum: self.sum.saturating_sub(earlier.sum) }
    }
}

/// Returns the durations that a bucket counts.
fn bounds(bucket: usize) -> Range<Duration> {
    Duration::from_nanos(LATENCY_BUCKETS.first(bucket))..Duration::from_nanos(LATENCY_BUCKETS.last(bucket) + 1)
}

impl fmt::Debug for LatencyHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatencyHistogram")
            .field("count", &self.count())
            .field("p50", &self.quantile(0.5))
            .field("p99", &self.quantile(0.99))
            .field("p999", &self.quantile(0.999))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: u64 = 1_000;

    fn of(nanos: impl IntoIterator<Item = u64>) -> LatencyHistogram {
        let recorded = Histogram::new();
        nanos.into_iter().for_each(|nanos| recorded.record(nanos));
        LatencyHistogram::read(&recorded)
    }

    #[test]
    fn quantiles_are_off_by_a_sixteenth_at_most() {
        let histogram = of((1..=10_000).map(|n| n * MICRO));
        assert_eq!(histogram.count(), 10_000);
        for (q, exact) in [(0.0, 1), (0.5, 5_000), (0.9, 9_000), (0.99, 9_900), (0.999, 9_990), (1.0, 10_000)] {
            let exact = (exact * MICRO) as f64;
            let read = histogram.quantile(q).expect("there are some").as_nanos() as f64;
            assert!((read - exact).abs() <= exact / 16.0, "{q}: {read} and not {exact}");
        }
        assert_eq!(histogram.mean(), Some(Duration::from_nanos(5_000_500)));
    }

    #[test]
    fn one_that_is_empty_has_no_quantiles() {
        for histogram in [LatencyHistogram::default(), of([])] {
            assert_eq!((histogram.quantile(0.5), histogram.mean(), histogram.buckets().count()), (None, None, 0));
        }
    }

    #[test]
    #[should_panic(expected = "`quantile(99)`: a quantile is from 0 to 1, such as 0.99")]
    fn a_quantile_beyond_one_is_refused() {
        let _ = of([1]).quantile(99.0);
    }

    #[test]
    fn sums_and_differences_are_those_of_what_was_counted() {
        let (one, other) = (of([1, 5, 700]), of([5, 9_000]));
        let mut both = LatencyHistogram::default();
        both.add(&one);
        both.add(&other);
        assert_eq!(both, of([1, 5, 700, 5, 9_000]));
        assert_eq!(both.since(&one), other);
        assert_eq!(one.since(&LatencyHistogram::default()), one);
    }

    #[test]
    fn buckets_hold_what_they_count() {
        let histogram = of([0, 100, 101, u64::MAX]);
        let buckets: Vec<_> = histogram.buckets().collect();
        assert_eq!(buckets.iter().map(|(_, count)| count).copied().collect::<Vec<_>>(), [1, 2, 1]);
        assert!(buckets[1].0.contains(&Duration::from_nanos(100)), "{buckets:?}");
        assert_eq!(buckets[2].0.end, Duration::from_nanos(1 << 40));
    }
}
