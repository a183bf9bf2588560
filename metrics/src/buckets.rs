//! The buckets of the histograms.

use std::time::Duration;

use wsrt::runtime::LatencyHistogram;

/// The number of buckets, without the one that has no bound.
const COUNT: usize = 25;

/// Returns the upper bound of a bucket in nanoseconds. The first is a microsecond, as near as a
/// power of two comes.
const fn bound(bucket: usize) -> u64 {
    1 << (10 + bucket)
}

/// The upper bounds of the histograms' buckets, in seconds: 25 doublings from 1.024 µs to 17.2 s.
///
/// They are bounds of wsrt's own buckets, which are finer, so that no duration is counted in the
/// wrong bucket. [`prometheus`](crate::prometheus) has these buckets. A recorder of the crate
/// `metrics` has to be told of them:
///
/// ```
/// use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
///
/// let wsrt = Matcher::Prefix("wsrt_".to_owned());
/// let builder = PrometheusBuilder::new().set_buckets_for_metric(wsrt, &wsrt_metrics::BUCKETS)?;
/// # drop(builder);
/// # Ok::<(), metrics_exporter_prometheus::BuildError>(())
/// ```
pub const BUCKETS: [f64; COUNT] = {
    let (mut bounds, mut bucket) = ([0.0; COUNT], 0);
    while bucket < COUNT {
        bounds[bucket] = bound(bucket) as f64 / 1e9;
        bucket += 1;
    }
    bounds
};

/// Returns the number of durations up to each bound, with the bound as a label, and last the number
/// of all.
pub fn counts(histogram: &LatencyHistogram) -> impl Iterator<Item = (String, u64)> {
    let mut counts = [0; COUNT + 1];
    for (durations, count) in histogram.buckets() {
        let bucket = (0..COUNT).find(|bucket| durations.end <= Duration::from_nanos(bound(*bucket)));
        counts[bucket.unwrap_or(COUNT)] += count;
    }
    let bounds = BUCKETS.iter().map(ToString::to_string).chain(["+Inf".to_owned()]);
    let mut sum = 0;
    bounds.zip(counts).map(move |(bound, count)| {
        sum += count;
        (bound, sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_doublings_from_a_microsecond() {
        assert_eq!((BUCKETS[0], BUCKETS[10], BUCKETS[24]), (1.024e-6, 1.048576e-3, 17.179869184));
    }

    #[test]
    fn each_sample_is_in_one_bucket() {
        let runtime = wsrt::runtime::Builder::new_current_thread().latency_histograms(true).build();
        let runtime = runtime.expect("a runtime is to be had");
        runtime.block_on(async {
            let yields = async {
                for _ in 0..1_000 {
                    wsrt::task::yield_now().await
                }
            };
            wsrt::spawn(yields).await.expect("it does not panic");
        });
        let polls = runtime.metrics().snapshot().total().poll_time().clone();
        assert!(polls.count() > 0);
        assert_eq!(counts(&polls).last(), Some(("+Inf".to_owned(), polls.count())));
    }
}
