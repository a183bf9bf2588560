//! The distributions from which packet latencies are drawn.
//!
//! Only operations whose results IEEE 754 defines exactly are used, so that a seed gives the same
//! run on every platform.

use std::ops::Range;

/// The distribution of a link's packet latencies. All times are in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum LatencyModel {
    /// Every latency in the range is equally likely.
    Uniform(Range<u64>),
    /// A minimum latency plus an exponentially distributed delay, as in a queue. The fields are the
    /// minimum and the mean of the delay.
    Exponential(u64, u64),
    /// A heavy-tailed distribution with the given minimum: about one packet in `n²` takes at least
    /// `n` times as long.
    LongTail(u64),
}

/// The maximum of the heavy-tailed distribution, as a multiple of the minimum.
const TAIL: f64 = 1_000.0;

impl LatencyModel {
    /// Returns the latency that corresponds to `number`, whose bits must all be random.
    pub(super) fn draw(&self, number: u64) -> u64 {
        match self {
            Self::Uniform(range) => {
                let scaled = u128::from(number) * u128::from(range.end.saturating_sub(range.start));
                range.start + (scaled >> 64) as u64
            }
            Self::Exponential(least, mean) => least.saturating_add((*mean as f64 * -logarithm(share(number))) as u64),
            Self::LongTail(least) => (*least as f64 * (1.0 / share(number).sqrt()).min(TAIL)) as u64,
        }
    }
}

/// Maps `number` to a fraction above 0, and at most 1.
fn share(number: u64) -> f64 {
    const PARTS: f64 = (1_u64 << 53) as f64;
    ((number >> 11) + 1) as f64 / PARTS
}

/// Returns the natural logarithm of a number above 0: the logarithm of its power of two, plus the
/// series of the inverse hyperbolic tangent for the rest. (The system's logarithm may differ in the
/// last bit.)
fn logarithm(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52) as i64 - 1_023;
    let rest = f64::from_bits((number.to_bits() & ((1 << 52) - 1)) | (1_023 << 52));
    let ratio = (rest - 1.0) / (rest + 1.0);
    let (mut sum, mut power) = (0.0, ratio);
    for index in 0..16 {
        sum += power / f64::from(2 * index + 1);
        power *= ratio * ratio;
    }
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use wsrt_sync::rng::FastRand;

    /// The mean, and the share of packets that take `bound` or longer.
    fn drawn(latency: &LatencyModel, bound: u64) -> (f64, f64) {
        let (mut rng, count) = (FastRand::from_seed(3), 1_000_000);
        let times: Vec<u64> = (0..count).map(|_| latency.draw(rng.next_u64())).collect();
        let late = times.iter().filter(|&&time| time >= bound).count();
        (times.iter().sum::<u64>() as f64 / f64::from(count), late as f64 / f64::from(count))
    }

    #[test]
    fn a_range_is_drawn_evenly() {
        let (mean, late) = drawn(&LatencyModel::Uniform(1_000..3_000), 2_500);
        assert!((1_990.0..2_010.0).contains(&mean) && (0.24..0.26).contains(&late), "{mean} {late}");
        assert_eq!(LatencyModel::Uniform(5..5).draw(u64::MAX), 5);
    }

    #[test]
    fn an_exponential_time_has_its_mean_and_its_tail() {
        let (mean, late) = drawn(&LatencyModel::Exponential(1_000, 1_000), 1_000 + 2_303);
        assert!((1_990.0..2_010.0).contains(&mean), "{mean}");
        // One in ten takes longer than the logarithm of ten.
        assert!((0.098..0.102).contains(&late), "{late}");
    }

    #[test]
    fn one_packet_in_a_hundred_takes_ten_times_as_long() {
        let (_, late) = drawn(&LatencyModel::LongTail(1_000), 10_000);
        assert!((0.0095..0.0105).contains(&late), "{late}");
        assert_eq!(
            (LatencyModel::LongTail(1_000).draw(0), LatencyModel::LongTail(1_000).draw(u64::MAX)),
            (1_000_000, 1_000)
        );
    }

    #[test]
    fn the_logarithm_is_the_systems() {
        for number in [1.0, 0.5, 0.999_999, 0.1, 1e-9, share(0), share(u64::MAX), 0.75, 0.500_001] {
            assert!((logarithm(number) - number.ln()).abs() < 1e-13, "{number}: {} {}", logarithm(number), number.ln());
        }
    }
}
