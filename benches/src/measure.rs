//! The statistics of many runs.

/// The middle and the spread of a set of figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    /// The smallest.
    pub(crate) minimum: f64,
    /// A quarter of the figures lie below.
    pub(crate) low_quartile: f64,
    /// Half of the figures lie below.
    pub(crate) median: f64,
    /// Three quarters of the figures lie below.
    pub(crate) high_quartile: f64,
    /// The greatest.
    pub(crate) maximum: f64,
}

impl Summary {
    /// Sums up `figures`; `None` if there are none or if one of them is not a number.
    pub(crate) fn of(figures: &[f64]) -> Option<Self> {
        if figures.is_empty() || figures.iter().any(|figure| figure.is_nan()) {
            return None;
        }
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            minimum: sorted[0],
            low_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            high_quartile: quantile(&sorted, 0.75),
            maximum: sorted[sorted.len() - 1],
        })
    }
}

/// Returns the median, or no number if there are no figures.
pub(crate) fn median(figures: &[f64]) -> f64 {
    Summary::of(figures).map_or(f64::NAN, |summary| summary.median)
}

/// Returns the figure below which the share `q` of `sorted` lies, on a straight line between
/// neighbours where it falls between two.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = place.ceil() as usize;
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_summary() {
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn one_figure_is_its_own_summary() {
        let summary = Summary::of(&[7.0]).unwrap();
        assert_eq!([summary.minimum, summary.low_quartile, summary.median], [7.0; 3]);
        assert_eq!([summary.high_quartile, summary.maximum], [7.0; 2]);
    }

    #[test]
    fn an_odd_count_has_its_middle_figure_as_median() {
        let summary = Summary::of(&[5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert_eq!(summary.median, 3.0);
        assert_eq!((summary.low_quartile, summary.high_quartile), (2.0, 4.0));
        assert_eq!((summary.minimum, summary.maximum), (1.0, 5.0));
    }

    #[test]
    fn an_even_count_has_the_mean_of_its_middle_figures() {
        let summary = Summary::of(&[10.0, 40.0, 20.0, 30.0]).unwrap();
        assert_eq!(summary.median, 25.0);
        assert_eq!((summary.low_quartile, summary.high_quartile), (17.5, 32.5));
    }

    #[test]
    fn one_wild_figure_moves_neither_median_nor_quartiles() {
        let calm = Summary::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let wild = Summary::of(&[1.0, 2.0, 3.0, 4.0, 5000.0]).unwrap();
        assert_eq!(calm.median, wild.median);
        assert_eq!(calm.high_quartile, wild.high_quartile);
        assert_eq!(wild.maximum, 5000.0);
    }
}
