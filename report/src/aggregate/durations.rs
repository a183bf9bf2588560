//! Durations: their histogram, their quantiles, and the columns of their drawing.

use wsrt_trace::Buckets;

/// The base-two logarithm of the number of buckets per power of two. A bucket is at most one
/// thirty-second of its durations wide.
const BITS: u32 = 5;
const BUCKETS: Buckets = Buckets::with_bits(BITS);
const STEP: u64 = BUCKETS.per_doubling();

/// The number of drawn columns per power of two.
pub(crate) const PARTS: usize = CUTS.len();
/// The bucket at which each column of a power of two begins. The boundaries are close to roots of
/// two.
const CUTS: [u64; 4] = [0, 6, 13, 22];

/// Returns where a column of [`Durations::columns`] begins, in nanoseconds.
pub(crate) fn column_edge(first: u32, column: usize) -> u64 {
    let doubling = u128::from(first) + (column / PARTS) as u128 - u128::from(BITS);
    (u128::from(STEP + CUTS[column % PARTS]) << doubling).try_into().unwrap_or(u64::MAX)
}

/// A histogram of durations in nanoseconds.
#[derive(Clone, Debug)]
pub(crate) struct Durations {
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
    longest: u64,
}

impl Durations {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; BUCKETS.of(u64::MAX) + 1], count: 0, sum: 0, longest: 0 }
    }

    pub(crate) fn add(&mut self, duration: u64) {
        self.buckets[BUCKETS.of(duration)] += 1;
        self.count += 1;
        self.sum += u128::from(duration);
        self.longest = self.longest.max(duration);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn sum(&self) -> u128 {
        self.sum
    }

    /// Returns the duration at the quantile `share`, in nanoseconds. The result is at most one
    /// thirty-second too long.
    pub(crate) fn quantile(&self, share: f64) -> u64 {
        Buckets::quantile(&self.buckets, share).map_or(self.longest, |bucket| BUCKETS.last(bucket).min(self.longest))
    }

    /// Returns the counts in columns that look equally wide on a logarithmic axis: [`PARTS`]
    /// columns per power of two, starting at `1 << exponent` with the returned exponent. Shorter
    /// durations are counted in the first column.
    pub(crate) fn columns(&self) -> (u32, Vec<u64>) {
        let used = || self.buckets.iter().enumerate().filter(|(_, count)| **count > 0).map(|(index, _)| index);
        let (Some(low), Some(high)) = (used().next(), used().next_back()) else {
            return (0, Vec::new());
        };
        let exponent = |index: usize| BUCKETS.first(index).max(1).ilog2();
        let first = exponent(low).max(BITS);
        let doublings = (exponent(high).max(BITS) - first + 1) as usize;
        let mut columns = vec![0; doublings * PARTS];
        for index in used() {
            let doubling = exponent(index).max(BITS) - first;
            let bucket = if exponent(index) < BITS { 0 } else { index as u64 % STEP };
            let part = CUTS.partition_point(|cut| *cut <= bucket) - 1;
            columns[doubling as usize * PARTS + part] += self.buckets[index];
        }
        (first, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_is_in_a_narrow_bucket() {
        let mut random = fastrand::Rng::with_seed(3);
        let durations = (0..100_000).map(|_| random.u64(..) >> random.u32(..64));
        for duration in durations.chain([0, 1, STEP - 1, STEP, STEP + 1, u64::MAX]) {
            let index = BUCKETS.of(duration);
            let (first, last) = (BUCKETS.first(index), BUCKETS.last(index));
            assert!((first..=last).contains(&duration), "{duration} in {first}..={last}");
            assert!(last - first <= first / STEP, "{first}..={last}");
        }
    }

    #[test]
    fn quantiles_are_near_those_of_the_sorted_durations() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut durations: Vec<u64> = (0..10_000).map(|_| random.u64(..) >> random.u32(20..60)).collect();
        let mut histogram = Durations::new();
        durations.iter().for_each(|duration| histogram.add(*duration));
        durations.sort_unstable();
        for share in [0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let exact = durations[((share * 10_000.0_f64).ceil() as usize).max(1) - 1];
            let told = histogram.quantile(share);
            assert!((exact..=exact + exact / STEP).contains(&told), "{share}: {told}, not {exact}");
        }
        assert_eq!(histogram.sum(), durations.iter().map(|duration| u128::from(*duration)).sum());
    }

    #[test]
    fn columns_hold_everything_once() {
        let mut histogram = Durations::new();
        for duration in [0, 3, 40, 63, 64, 1_000, 1_023, 1_024] {
            histogram.add(duration);
        }
        let (exponent, columns) = histogram.columns();
        assert_eq!(exponent, 5);
        let filled: Vec<_> = columns.iter().zip(0..).filter(|(count, _)| **count > 0).collect();
        let filled: Vec<_> = filled.into_iter().map(|(count, column)| (column_edge(5, column), *count)).collect();
        assert_eq!(filled, [(32, 2), (38, 1), (54, 1), (64, 1), (864, 2), (1_024, 1)]);
        assert_eq!(columns.len(), 6 * PARTS);
    }

    #[test]
    fn nothing_has_no_columns_and_no_length() {
        let histogram = Durations::new();
        assert_eq!(histogram.columns(), (0, vec![]));
        assert_eq!(histogram.quantile(0.5), 0);
    }
}
