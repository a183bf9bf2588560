//! A histogram of durations that threads record concurrently.

// std's atomics on purpose: counts take part in no protocol.
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use wsrt_trace::Buckets;

use crate::observe::counters::{Count, SharedCounter};

/// The bucket layout: eight buckets for each doubling of the duration.
pub(crate) const LATENCY_BUCKETS: Buckets = Buckets::with_bits(3);
/// The longest distinguishable duration in nanoseconds, about 18 minutes. Longer ones count as
/// this.
const LONGEST: u64 = (1 << 40) - 1;
/// The number of buckets.
const BUCKETS: usize = LATENCY_BUCKETS.of(LONGEST) + 1;

/// Returns the index of the bucket that counts a duration of `nanos` nanoseconds.
fn bucket_of(nanos: u64) -> usize {
    LATENCY_BUCKETS.of(nanos.min(LONGEST))
}

/// A histogram of durations. Any thread may record a sample, which costs two locked cycles on cache
/// lines that mostly one thread writes.
#[derive(Debug)]
pub(crate) struct Histogram {
    counts: Box<[AtomicU64]>,
    sum: SharedCounter,
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { counts: (0..BUCKETS).map(|_| AtomicU64::new(0)).collect(), sum: SharedCounter::default() }
    }

    pub(crate) fn record(&self, nanos: u64) {
        self.counts[bucket_of(nanos)].fetch_add(1, Relaxed);
        self.sum.add(nanos);
    }

    /// Returns the number of samples in each bucket.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|count| count.load(Relaxed))
    }

    /// Returns the sum of all recorded durations, in nanoseconds.
    pub(crate) fn sum(&self) -> u64 {
        self.sum.get()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn start_of(bucket: usize) -> u64 {
        LATENCY_BUCKETS.first(bucket)
    }

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        assert_eq!((start_of(0), BUCKETS), (0, 304));
        for bucket in 0..BUCKETS {
            let (start, end) = (start_of(bucket), start_of(bucket + 1));
            assert!(start < end, "{bucket}");
            assert_eq!((bucket_of(start), bucket_of(end - 1)), (bucket, bucket), "{start} to {end}");
        }
        assert_eq!(start_of(BUCKETS), LONGEST + 1);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn no_bucket_is_wider_than_an_eighth_of_its_start() {
        for bucket in 16..BUCKETS {
            let start = start_of(bucket);
            assert!((start_of(bucket + 1) - start) * 8 <= start, "{bucket}");
        }
    }

    #[test]
    fn what_is_recorded_is_counted_in_its_bucket() {
        let histogram = Histogram::new();
        [3, 3, 1_000, u64::from(u32::MAX)].into_iter().for_each(|nanos| histogram.record(nanos));
        let counts: Vec<_> = histogram.counts().collect();
        assert_eq!((counts[3], counts[bucket_of(1_000)], counts.iter().sum::<u64>()), (2, 1, 4));
        assert_eq!(histogram.sum(), 1_006 + u64::from(u32::MAX));
    }
}
