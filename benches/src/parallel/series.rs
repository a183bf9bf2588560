//! What a child has measured, and the lines it tells it in: a name and figures, one kind a line.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::measure::quantile;

/// The start of such a line; other lines of a child are no figures.
const SERIES: &str = "series";

/// Figures by the name of what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series(BTreeMap<String, Vec<f64>>);

impl Series {
    /// Adds `figures` to those of this name.
    pub(super) fn add(&mut self, name: &str, figures: impl IntoIterator<Item = f64>) {
        self.0.entry(name.to_owned()).or_default().extend(figures);
    }

    /// Answers the figures of this name; none if there are none.
    pub(super) fn of(&self, name: &str) -> &[f64] {
        self.0.get(name).map_or(&[], |figures| figures)
    }

    /// Answers the figure below which the share `q` of those of this name lies; not a number if there are none.
    pub(super) fn quantile(&self, name: &str, q: f64) -> f64 {
        let mut sorted = self.of(name).to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.is_empty() { f64::NAN } else { quantile(&sorted, q) }
    }

    /// Answers the median of those of this name; not a number if there are none.
    pub(super) fn median(&self, name: &str) -> f64 {
        self.quantile(name, 0.5)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the lines that [`parse`](Self::parse) reads.
    pub(super) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        for (name, figures) in &self.0 {
            write!(output, "{SERIES} {name}")?;
            for figure in figures {
                write!(output, " {figure}")?;
            }
            writeln!(output)?;
        }
        output.flush()
    }

    /// Reads the lines among those of `text` that carry figures; a word that is no finite number is left out, and so
    /// is its line.
    pub(super) fn parse(text: &str) -> Self {
        let mut series = Self::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next() != Some(SERIES) {
                continue;
            }
            let Some(name) = words.next() else { continue };
            let figures: Option<Vec<f64>> =
                words.map(|word| word.parse().ok().filter(|figure: &f64| figure.is_finite())).collect();
            series.add(name, figures.unwrap_or_default());
        }
        series
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_survive_their_lines_and_other_lines_are_passed_over() {
        let mut series = Series::default();
        series.add("serial", [3.0, 1.5, 2.0]);
        series.add("parallel", [0.5]);
        let mut text = b"a warning\n".to_vec();
        series.write(&mut text).unwrap();
        let parsed = Series::parse(&String::from_utf8(text).unwrap());
        assert_eq!(parsed, series);
        assert_eq!(parsed.median("serial"), 2.0);
    }

    #[test]
    fn a_line_with_a_word_that_is_no_number_has_no_figures() {
        let parsed = Series::parse("series serial 1 two 3\nseries other NaN\nseries\n");
        assert!(parsed.of("serial").is_empty() && parsed.of("other").is_empty());
        assert!(parsed.median("serial").is_nan());
    }
}
