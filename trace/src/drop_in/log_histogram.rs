//! Buckets that grow with the durations in them: each range from one power of two to the next is
//! divided into the same number of buckets.

use std::fmt;
use std::time::Duration;

use super::as_nanos;
use crate::Buckets;

const DEFAULT_MIN: Duration = Duration::from_nanos(100);
const DEFAULT_MAX: Duration = Duration::from_secs(60);
/// The longest duration that a limit can be, some 146 years.
const LONGEST: u64 = 1 << 62;
const DEFAULT_PRECISION: u32 = 2;
const MAX_PRECISION: u32 = 10;

/// Buckets whose width grows with the durations in them, so that the relative error stays the same.
///
/// Created by [`LogHistogram::builder`]. The default has buckets from 100 ns to 60 s, with an error
/// of at most 25 %.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct LogHistogram {
    buckets: Buckets,
    /// The buckets for short durations that the first bucket includes.
    skipped: usize,
    count: usize,
}

impl LogHistogram {
    /// Creates a builder with the default limits.
    pub fn builder() -> LogHistogramBuilder {
        LogHistogramBuilder::default()
    }

    /// Returns the shortest duration of the last bucket, in nanoseconds. The last bucket has no
    /// upper limit.
    pub fn max_value(&self) -> u64 {
        self.start_of(self.count - 1)
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn bucket_of(&self, nanos: u64) -> usize {
        self.buckets.of(nanos).saturating_sub(self.skipped)
    }

    pub(super) fn start_of(&self, bucket: usize) -> u64 {
        self.buckets.first(bucket + self.skipped)
    }
}

impl Default for LogHistogram {
    fn default() -> Self {
        Self::builder().build()
    }
}

impl From<LogHistogramBuilder> for LogHistogram {
    fn from(builder: LogHistogramBuilder) -> Self {
        builder.build()
    }
}

/// Configures a [`LogHistogram`].
#[derive(Default, Debug, Copy, Clone)]
pub struct LogHistogramBuilder {
    min: Option<Duration>,
    max: Option<Duration>,
    precision: Option<u32>,
}

impl LogHistogramBuilder {
    /// Sets the precision to the lowest one, of at least two, whose relative error is not above
    /// `max_error`. The highest precision is ten, for errors of a thousandth.
    ///
    /// # Panics
    ///
    /// Panics unless `max_error` is above 0 and below 1.
    #[must_use]
    #[track_caller]
    pub fn max_error(mut self, max_error: f64) -> Self {
        assert!(max_error > 0.0 && max_error < 1.0, "wsrt: `max_error({max_error})`: it is above 0 and below 1");
        let is_enough = |&precision: &u32| 1.0 / f64::from(1_u32 << precision) <= max_error;
        self.precision = Some((DEFAULT_PRECISION..MAX_PRECISION).find(is_enough).unwrap_or(MAX_PRECISION));
        self
    }

    /// Sets the precision: each range from one power of two to the next has `1 << precision`
    /// buckets.
    ///
    /// # Panics
    ///
    /// Panics if `precision` is above 10.
    #[must_use]
    #[track_caller]
    pub fn precision_exact(mut self, precision: u32) -> Self {
        assert!(precision <= MAX_PRECISION, "wsrt: `precision_exact({precision})`: it is at most {MAX_PRECISION}");
        self.precision = Some(precision);
        self
    }

    /// Sets a duration that is not in the first bucket. The first bucket ends shortly before it.
    #[must_use]
    pub fn min_value(mut self, duration: Duration) -> Self {
        self.min = Some(duration);
        self
    }

    /// Sets the shortest duration that may be in the last bucket, which has no upper limit.
    ///
    /// # Panics
    ///
    /// Panics if `duration` is zero.
    #[must_use]
    #[track_caller]
    pub fn max_value(mut self, duration: Duration) -> Self {
        assert!(!duration.is_zero(), "wsrt: `max_value` of a histogram is above zero");
        self.max = Some(duration);
        self
    }

    /// Builds the histogram, if it has at most `max_buckets` buckets.
    ///
    /// # Errors
    ///
    /// Returns an error with the number of buckets if there would be more.
    pub fn max_buckets(&mut self, max_buckets: usize) -> Result<LogHistogram, InvalidHistogramConfiguration> {
        let histogram = self.build();
        if histogram.count > max_buckets {
            return Err(InvalidHistogramConfiguration::TooManyBuckets { required_bucket_count: histogram.count });
        }
        Ok(histogram)
    }

    /// Builds the histogram.
    pub fn build(&self) -> LogHistogram {
        let buckets = Buckets::with_bits(self.precision.unwrap_or(DEFAULT_PRECISION));
        let skipped = buckets.of(as_nanos(self.min.unwrap_or(DEFAULT_MIN))).max(1) - 1;
        // The last bucket is the first one that begins at the longest duration, or after it.
        let last = buckets.of(as_nanos(self.max.unwrap_or(DEFAULT_MAX)).min(LONGEST) - 1) + 1;
        LogHistogram { buckets, skipped, count: last.saturating_sub(skipped).max(1) + 1 }
    }
}

/// The reason why a histogram cannot be configured as asked.
#[derive(Debug)]
pub enum InvalidHistogramConfiguration {
    /// The histogram would have more buckets than allowed.
    TooManyBuckets {
        /// The number of buckets that the histogram would have.
        required_bucket_count: usize,
    },
}

impl fmt::Display for InvalidHistogramConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::TooManyBuckets { required_bucket_count } = self;
        write!(f, "the histogram would need {required_bucket_count} buckets")
    }
}

impl std::error::Error for InvalidHistogramConfiguration {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_reaches_from_a_hundred_nanoseconds_to_a_minute() {
        let log = LogHistogram::default();
        assert_eq!((log.len(), log.start_of(1)), (119, 96));
        assert!(log.max_value() >= as_nanos(DEFAULT_MAX) && log.start_of(log.len() - 2) < as_nanos(DEFAULT_MAX));
    }

    #[test]
    fn an_error_asks_for_a_precision() {
        let same_as = |precision| LogHistogram::builder().precision_exact(precision).build();
        for (error, precision) in [(0.5, 2), (0.25, 2), (0.2, 3), (0.001, 10), (0.000_001, 10)] {
            assert_eq!(LogHistogram::builder().max_error(error).build(), same_as(precision), "{error}");
        }
    }

    #[test]
    fn too_many_buckets_are_refused_with_their_number() {
        assert!(LogHistogram::builder().max_buckets(119).is_ok());
        let refused = LogHistogram::builder().max_buckets(118).expect_err("it has one more");
        assert_eq!(refused.to_string(), "the histogram would need 119 buckets");
    }

    #[test]
    fn limits_the_wrong_way_round_leave_two_buckets() {
        let log = LogHistogram::builder().min_value(Duration::from_secs(9)).max_value(Duration::from_nanos(1)).build();
        assert_eq!(log.len(), 2);
    }
}
