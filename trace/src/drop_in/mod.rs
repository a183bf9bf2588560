//! Types of measurements that only programs of the drop-in see, by tokio's names: the buckets in
//! which a histogram is shown, and the frames of a stack.
//!
//! wsrt counts in buckets of its own, of which there are eight for each doubling. A configuration
//! only says how the numbers are shown.

mod frames;
mod log_histogram;

use std::ops::Range;
use std::time::Duration;

pub use self::frames::{Backtrace, BacktraceFrame, BacktraceSymbol, Root};
pub use self::log_histogram::{InvalidHistogramConfiguration, LogHistogram, LogHistogramBuilder};

/// The buckets of a histogram that nobody has configured: ten, of 100 µs each.
const DEFAULT_WIDTH: u64 = 100_000;
const DEFAULT_COUNT: usize = 10;

/// The buckets in which a runtime shows a histogram of durations.
#[derive(Debug, Clone)]
pub struct HistogramConfiguration(Layout);

impl HistogramConfiguration {
    /// Creates a configuration of `num_buckets` buckets that are `bucket_width` wide. The last
    /// bucket has no upper limit.
    ///
    /// wsrt counts durations in buckets of its own, which are at most an eighth as wide as the
    /// shortest duration in them. One that reaches over the edge of a bucket is counted where its
    /// middle is.
    pub fn linear(bucket_width: Duration, num_buckets: usize) -> Self {
        Self(Layout::Linear { width: as_nanos(bucket_width).max(1), count: num_buckets.max(1) })
    }

    /// Creates a configuration of buckets whose width grows with the durations in them.
    ///
    /// Up to a precision of three the counts are exact. With a higher one, wsrt's own buckets are
    /// wider, and are counted where their middle is.
    pub fn log(configuration: impl Into<LogHistogram>) -> Self {
        Self(Layout::Log(configuration.into()))
    }
}

/// The scale of a histogram that is configured by methods that are out of date.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum HistogramScale {
    /// All buckets are equally wide.
    Linear,
    /// Each bucket is twice as wide as the one before it.
    Log,
}

/// The histograms that a runtime shows by tokio's names.
#[derive(Debug, Clone, Default)]
pub struct ShownHistograms {
    /// Of the time that polls take.
    pub polls: ShownHistogram,
    /// Of the time for which tasks wait to be polled.
    pub waits: ShownHistogram,
    /// True if waits are measured for the user's hooks.
    pub is_every_poll_measured: bool,
}

impl ShownHistograms {
    /// Returns whether every poll has to be measured.
    pub fn is_any_on(&self) -> bool {
        self.polls.is_on || self.waits.is_on || self.is_every_poll_measured
    }
}

/// A histogram that a runtime shows if it is switched on.
#[derive(Debug, Clone, Default)]
pub struct ShownHistogram {
    /// True if it is switched on.
    pub is_on: bool,
    /// The buckets, if the program has chosen any.
    pub configuration: Option<HistogramConfiguration>,
    /// The buckets by the methods that are out of date, before which the configuration gives way.
    pub legacy: Option<LegacyHistogram>,
}

/// A scale, the width of the first bucket in nanoseconds, and the number of buckets.
#[derive(Debug, Clone)]
pub struct LegacyHistogram {
    /// How the width grows.
    pub scale: HistogramScale,
    /// In nanoseconds.
    pub resolution: u64,
    /// The number of buckets.
    pub buckets: usize,
}

impl Default for LegacyHistogram {
    fn default() -> Self {
        Self { scale: HistogramScale::Linear, resolution: DEFAULT_WIDTH, buckets: DEFAULT_COUNT }
    }
}

impl ShownHistogram {
    /// Returns the buckets in which the histogram is shown, if it is on.
    pub fn layout(&self) -> Option<Layout> {
        self.is_on.then(|| match (&self.legacy, &self.configuration) {
            (Some(legacy), _) => legacy.layout(),
            (None, Some(configuration)) => configuration.0,
            (None, None) => LegacyHistogram::default().layout(),
        })
    }
}

impl LegacyHistogram {
    fn layout(&self) -> Layout {
        let count = self.buckets.max(1);
        match self.scale {
            HistogramScale::Linear => Layout::Linear { width: self.resolution, count },
            HistogramScale::Log => Layout::Doubling { first: self.resolution.next_power_of_two(), count },
        }
    }
}

/// The limits of the buckets in which a histogram is shown, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All buckets are equally wide.
    Linear {
        /// The width of a bucket.
        width: u64,
        /// The number of buckets.
        count: usize,
    },
    /// Each bucket ends at twice the end of the bucket before it.
    Doubling {
        /// The end of the first bucket.
        first: u64,
        /// The number of buckets.
        count: usize,
    },
    /// Several buckets for each doubling.
    Log(LogHistogram),
}

impl Layout {
    /// Returns the number of buckets.
    pub fn count(self) -> usize {
        match self {
            Self::Linear { count, .. } | Self::Doubling { count, .. } => count,
            Self::Log(log) => log.len(),
        }
    }

    /// Returns the bucket that counts a duration.
    pub fn bucket_of(self, duration: Duration) -> usize {
        let nanos = as_nanos(duration);
        let bucket = match self {
            Self::Linear { width, .. } => usize::try_from(nanos / width).unwrap_or(usize::MAX),
            Self::Doubling { first, .. } => (nanos / first).checked_ilog2().map_or(0, |log| log as usize + 1),
            Self::Log(log) => log.bucket_of(nanos),
        };
        bucket.min(self.count() - 1)
    }

    /// Returns the durations that a bucket counts.
    ///
    /// # Panics
    ///
    /// Panics if there is no such bucket.
    #[track_caller]
    pub fn range_of(self, bucket: usize) -> Range<Duration> {
        self.check(bucket);
        Duration::from_nanos(self.start_of(bucket))..Duration::from_nanos(self.start_of(bucket + 1))
    }

    fn start_of(self, bucket: usize) -> u64 {
        match self {
            _ if bucket == 0 => 0,
            _ if bucket == self.count() => u64::MAX,
            Self::Linear { width, .. } => width.saturating_mul(bucket as u64),
            Self::Doubling { first, .. } => {
                let doublings = u32::try_from(bucket - 1).unwrap_or(u32::MAX);
                1_u64.checked_shl(doublings).map_or(u64::MAX, |times| first.saturating_mul(times))
            }
            Self::Log(log) => log.start_of(bucket),
        }
    }

    /// # Panics
    ///
    /// Panics if there is no such bucket.
    #[track_caller]
    pub fn check(self, bucket: usize) {
        let count = self.count();
        assert!(bucket < count, "wsrt: there is no bucket {bucket}: they are numbered from 0, and there are {count}");
    }
}

/// Returns a duration in nanoseconds, or the most that 64 bits can hold.
fn as_nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Whatever the layout, the buckets follow each other, and each holds what it says.
    #[test]
    fn buckets_follow_each_other_and_hold_their_range() {
        let log = |precision| LogHistogram::builder().precision_exact(precision).build();
        for layout in [
            Layout::Linear { width: 50, count: 3 },
            Layout::Linear { width: 1, count: 1 },
            Layout::Doubling { first: 64, count: 5 },
            Layout::Log(log(0)),
            Layout::Log(log(2)),
            Layout::Log(log(10)),
        ] {
            let mut end = Duration::ZERO;
            for bucket in 0..layout.count() {
                let range = layout.range_of(bucket);
                assert_eq!(range.start, end, "{layout:?}: {bucket}");
                assert!(range.start < range.end, "{layout:?}: {bucket}");
                for held in [range.start, range.end - Duration::from_nanos(1)] {
                    assert_eq!(layout.bucket_of(held), bucket, "{layout:?}: {held:?}");
                }
                end = range.end;
            }
            assert_eq!((end, layout.bucket_of(Duration::MAX)), (Duration::from_nanos(u64::MAX), layout.count() - 1));
        }
    }

    #[test]
    fn methods_out_of_date_win_over_a_configuration() {
        let mut shown = ShownHistogram {
            is_on: true,
            configuration: Some(HistogramConfiguration::linear(millis(50), 3)),
            legacy: None,
        };
        assert_eq!(shown.layout().map(Layout::count), Some(3));
        shown.legacy = Some(LegacyHistogram { scale: HistogramScale::Log, resolution: 50_000, buckets: 4 });
        assert_eq!(shown.layout(), Some(Layout::Doubling { first: 65_536, count: 4 }));
        assert_eq!(ShownHistogram { is_on: false, ..shown }.layout(), None);
    }

    #[test]
    fn a_histogram_that_nobody_configured_has_ten_buckets() {
        let shown = ShownHistogram { is_on: true, ..ShownHistogram::default() };
        assert_eq!(shown.layout(), Some(Layout::Linear { width: 100_000, count: 10 }));
    }
}
