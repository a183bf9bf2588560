//! Histogram buckets: narrow for small values and wide for large ones, so that a value read from a
//! histogram has a small relative error at every magnitude.

/// Log-linear histogram buckets.
///
/// Every range from one power of two to the next is divided into the same number of equally wide
/// buckets. Numbers below twice that number have a bucket of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The base-two logarithm of the number of buckets per power of two.
    bits: u32,
}

impl Buckets {
    /// Creates buckets that divide every power of two into `1 << bits` buckets.
    pub const fn with_bits(bits: u32) -> Self {
        Self { bits }
    }

    /// Returns the number of buckets per power of two. The reciprocal bounds the relative width of
    /// a bucket.
    pub const fn per_doubling(self) -> u64 {
        1 << self.bits
    }

    /// Returns the index of the bucket that contains `number`.
    #[inline]
    pub const fn of(self, number: u64) -> usize {
        if number < self.per_doubling() {
            return number as usize;
        }
        let shift = number.ilog2() - self.bits;
        (shift as u64 * self.per_doubling() + (number >> shift)) as usize
    }

    /// Returns the smallest number in a bucket.
    pub const fn first(self, bucket: usize) -> u64 {
        let (doubling, part) = (bucket as u64 / self.per_doubling(), bucket as u64 % self.per_doubling());
        if doubling == 0 { part } else { (self.per_doubling() + part) << (doubling - 1) }
    }

    /// Returns the largest number in a bucket.
    pub const fn last(self, bucket: usize) -> u64 {
        let doubling = bucket as u64 / self.per_doubling();
        let width = 1 << doubling.saturating_sub(1);
        self.first(bucket) + (width - 1)
    }

    /// Returns the index of the bucket that contains the quantile `share`, a fraction from 0 to 1.
    ///
    /// `counts` holds the count of each bucket. Returns `None` if all counts are 0.
    pub fn quantile(counts: &[u64], share: f64) -> Option<usize> {
        let count: u64 = counts.iter().sum();
        let rank = ((share * count as f64).ceil() as u64).max(1);
        let mut passed = 0;
        counts.iter().position(|count| {
            passed += count;
            passed >= rank
        })
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_in_a_narrow_bucket() {
        let mut random = fastrand::Rng::with_seed(3);
        for bits in 0..8 {
            let buckets = Buckets::with_bits(bits);
            let step = buckets.per_doubling();
            let numbers = (0..20_000).map(|_| random.u64(..) >> random.u32(..64));
            for number in numbers.chain([0, 1, step - 1, step, step + 1, u64::MAX]) {
                let bucket = buckets.of(number);
                let (first, last) = (buckets.first(bucket), buckets.last(bucket));
                assert!((first..=last).contains(&number), "{number} in {first}..={last}");
                assert!(last - first <= first / step, "{first}..={last}");
            }
        }
    }

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        for bits in 0..8 {
            let buckets = Buckets::with_bits(bits);
            for bucket in 0..buckets.of(u64::MAX) {
                assert_eq!(buckets.last(bucket) + 1, buckets.first(bucket + 1), "{bucket} of {bits} bits");
                assert_eq!(buckets.of(buckets.first(bucket)), bucket);
                assert_eq!(buckets.of(buckets.last(bucket)), bucket);
            }
        }
    }

    #[test]
    fn a_quantile_is_found_by_its_rank() {
        let quantile = |share| Buckets::quantile(&[0, 3, 0, 1], share);
        assert_eq!([0.0, 0.5, 0.75, 0.76, 1.0].map(quantile), [Some(1), Some(1), Some(1), Some(3), Some(3)]);
        assert_eq!((Buckets::quantile(&[0, 0], 0.5), Buckets::quantile(&[], 0.5)), (None, None));
    }
}
