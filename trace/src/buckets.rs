//! Buckets of histograms: narrow for short times and wide for long ones, so that a time read from a
//! histogram is off by a small part of itself, whatever its magnitude.

/// Log-linear buckets: each doubling, from a power of two to the next, has equally many of equal
/// width. Numbers below twice that many have a bucket each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buckets {
    /// The logarithm of the number of buckets in a doubling.
    bits: u32,
}

impl Buckets {
    /// Returns buckets of which a doubling has `1 << bits`.
    pub const fn with_bits(bits: u32) -> Self {
        Self { bits }
    }

    /// Returns how many buckets a doubling has: no bucket is wider than that part of its numbers.
    pub const fn per_doubling(self) -> u64 {
        1 << self.bits
    }

    /// Returns the bucket of a number.
    #[inline]
    pub const fn of(self, number: u64) -> usize {
        if number < self.per_doubling() {
            return number as usize;
        }
        let shift = number.ilog2() - self.bits;
        (shift as u64 * self.per_doubling() + (number >> shift)) as usize
    }

    /// Returns the smallest number of a bucket.
    pub const fn first(self, bucket: usize) -> u64 {
        let (doubling, part) = (bucket as u64 / self.per_doubling(), bucket as u64 % self.per_doubling());
        if doubling == 0 { part } else { (self.per_doubling() + part) << (doubling - 1) }
    }

    /// Returns the largest number of a bucket.
    pub const fn last(self, bucket: usize) -> u64 {
        let doubling = bucket as u64 / self.per_doubling();
        let width = 1 << doubling.saturating_sub(1);
        self.first(bucket) + (width - 1)
    }

    /// Returns the bucket of the number that a `share` of all numbers does not exceed; `counts` has
    /// the count of each bucket. `None` if all are 0.
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

#[cfg(all(test, not(loom)))]
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
