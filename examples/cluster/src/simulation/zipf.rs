//! Zipf's law: of the sizes 1 to 100, size k comes up in proportion to 1/k.
//!
//! Most jobs are small, and a few are a hundred times larger: the smaller half of the sizes is 87 %
//! of the jobs and half of the work.

use fastrand::Rng;

/// The largest size.
const LARGEST: usize = 100;

/// Draws sizes.
#[derive(Debug)]
pub(super) struct Zipf {
    /// How probable it is that a size is this one or a smaller one, times a constant.
    cumulated: Vec<f64>,
}

impl Zipf {
    pub(super) fn new() -> Self {
        let mut sum = 0.0;
        let cumulated = (1..=LARGEST)
            .map(|size| {
                sum += 1.0 / size as f64;
                sum
            })
            .collect();
        Self { cumulated }
    }

    pub(super) fn draw(&self, random: &mut Rng) -> u32 {
        let point = random.f64() * self.cumulated[LARGEST - 1];
        // At the very end, rounding could leave the table.
        let smaller = self.cumulated.partition_point(|&cumulated| cumulated <= point).min(LARGEST - 1);
        smaller as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_up_as_the_law_says() {
        const DRAWS: usize = 200_000;
        let (zipf, mut random) = (Zipf::new(), Rng::with_seed(7));
        let mut counts = [0_usize; LARGEST + 1];
        for _ in 0..DRAWS {
            counts[zipf.draw(&mut random) as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        let harmonic: f64 = (1..=LARGEST).map(|size| 1.0 / size as f64).sum();
        for size in [1, 2, 3, 10, 100] {
            let expected = DRAWS as f64 / harmonic / size as f64;
            let found = counts[size] as f64;
            assert!((found - expected).abs() < 6.0 * expected.sqrt(), "size {size}: {found}, not {expected}");
        }
    }
}
