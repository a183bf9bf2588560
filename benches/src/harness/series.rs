//! The figures of a process that measures, and the lines that it prints them in: a name and its
//! figures, one name a line.

use std::io::{self, Write};

use crate::measure::quantile;
use crate::metric::{Measurement, Metric};

/// The first word of a line of figures; every other line is passed over.
const RESULT: &str = "result";

/// Figures by their names, in the order in which the names came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series(Vec<(String, Vec<f64>)>);

impl Series {
    /// Adds `figures` to those of this name.
    pub(crate) fn add(&mut self, name: &str, figures: impl IntoIterator<Item = f64>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.extend(figures),
            None => self.0.push((name.to_owned(), figures.into_iter().collect())),
        }
    }

    /// Returns the figures of this name; none if the name is unknown.
    pub(crate) fn of(&self, name: &str) -> &[f64] {
        self.0.iter().find(|(known, _)| known == name).map_or(&[], |(_, figures)| figures)
    }

    /// Returns the figure below which the share `q` of this name's lies; NaN if there are none.
    pub(crate) fn quantile(&self, name: &str, q: f64) -> f64 {
        let mut sorted = self.of(name).to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.is_empty() { f64::NAN } else { quantile(&sorted, q) }
    }

    /// Returns the median of this name's figures; NaN if there are none.
    pub(crate) fn median(&self, name: &str) -> f64 {
        self.quantile(name, 0.5)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, figures)| figures.is_empty())
    }

    /// Returns the figures whose names are those of metrics and that stand alone.
    pub(crate) fn measurements(&self) -> Vec<Measurement> {
        let measurement = |(name, figures): &(String, Vec<f64>)| match figures[..] {
            [value] => Metric::find(name).map(|metric| metric.of(value)),
            _ => None,
        };
        self.0.iter().filter_map(measurement).collect()
    }

    /// Writes the lines that [`parse`](Self::parse) reads.
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        for (name, figures) in &self.0 {
            let words: String = figures.iter().map(|figure| format!(" {figure}")).collect();
            writeln!(output, "{RESULT} {name}{words}")?;
        }
        output.flush()
    }

    /// Reads the lines of figures in `text`. A line with a word that is no finite number is left
    /// out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut series = Self::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(RESULT), Some(name)) = (words.next(), words.next()) else { continue };
            let figures: Option<Vec<f64>> =
                words.map(|word| word.parse().ok().filter(|figure: &f64| figure.is_finite())).collect();
            series.add(name, figures.unwrap_or_default());
        }
        series
    }
}

impl FromIterator<Measurement> for Series {
    fn from_iter<I: IntoIterator<Item = Measurement>>(measurements: I) -> Self {
        let of_metric = |Measurement { metric, value }| (metric.key().to_owned(), vec![value]);
        Self(measurements.into_iter().map(of_metric).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reread(series: &Series) -> Series {
        let mut text = b"a warning\n".to_vec();
        series.write(&mut text).unwrap();
        Series::parse(&String::from_utf8(text).unwrap())
    }

    #[test]
    fn series_survive_their_lines() {
        let mut series = Series::default();
        series.add("serial", [3.0, 1.5, 2.0]);
        series.add("parallel", [0.5]);
        assert_eq!(reread(&series), series);
        assert_eq!(series.median("serial"), 2.0);
        assert!(series.measurements().is_empty());
    }

    #[test]
    fn measurements_survive_their_lines() {
        let measurements: Vec<_> = Metric::ALL.into_iter().map(|metric| metric.of(512.25)).collect();
        let series: Series = measurements.iter().copied().collect();
        assert_eq!(reread(&series).measurements(), measurements);
    }

    #[test]
    fn other_lines_are_no_results() {
        for line in
            ["", "result", "result ns_per_operation", "result ns_per_operation NaN", "ns_per_operation 1", "a 1 2"]
        {
            let series = Series::parse(line);
            assert!(series.is_empty() && series.measurements().is_empty(), "{line:?}");
            assert!(series.median("ns_per_operation").is_nan());
        }
        for line in ["result speed 1", "result ns_per_operation 1 2", "result ns_per_operation 1 two"] {
            assert!(Series::parse(line).measurements().is_empty(), "{line:?}");
        }
    }
}
