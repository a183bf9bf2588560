//! A strip chart, which shows how much of something there was over the whole trace.

use std::fmt::Write;

use crate::text::Escaped;

/// The top of an overflow's mark, which is a short line at the foot of its strip.
const OVERFLOW_TOP: u32 = 84;

/// What a strip's bins contain, which determines how several bins are combined into one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A fraction of the bin's width, in nanoseconds: columns show the mean, on a scale from none
    /// to all.
    Share,
    /// A number of occurrences: columns show the mean, on a scale up to the maximum.
    Rate,
    /// A level: columns show the maximum, on a scale up to the maximum.
    Level,
}

impl Kind {
    pub(crate) fn text(self) -> &'static str {
        ["share", "rate", "level"][self as usize]
    }
}

/// The data of a strip chart.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    pub(crate) kind: Kind,
    /// The amount in each bin.
    pub(crate) amounts: Vec<u64>,
    /// How much of the trace each bin covers, in nanoseconds.
    pub(crate) covered: Vec<u64>,
    /// The number of stalls and of overflows in each bin. Both may be empty.
    pub(crate) stalls: Vec<u64>,
    pub(crate) overflows: Vec<u64>,
}

impl Strip {
    /// Returns the values of all columns, each from 0 to 1 and combined from `step` bins.
    fn values(&self, step: usize) -> Vec<f64> {
        let columns = self.amounts.chunks(step).zip(self.covered.chunks(step));
        let values: Vec<f64> = columns.map(|(amounts, covered)| self.value(amounts, covered)).collect();
        let most = match self.kind {
            Kind::Share => 1.0,
            Kind::Rate | Kind::Level => values.iter().copied().fold(0.0, f64::max),
        };
        values.into_iter().map(|value| if most > 0.0 { (value / most).min(1.0) } else { 0.0 }).collect()
    }

    fn value(&self, amounts: &[u64], covered: &[u64]) -> f64 {
        let sum = |numbers: &[u64]| numbers.iter().map(|number| *number as f64).sum::<f64>();
        match self.kind {
            Kind::Level => amounts.iter().copied().max().unwrap_or(0) as f64,
            // An event at the very end stands in a bin that covers nothing.
            Kind::Share | Kind::Rate => sum(amounts) / sum(covered).max(1.0),
        }
    }
}

/// Draws `strip` in at most `columns` columns. `label` describes the strip in words.
pub(crate) fn strip(strip: &Strip, columns: usize, label: &str) -> String {
    let step = strip.amounts.len().div_ceil(columns).max(1);
    let values = strip.values(step);
    let mut svg = format!(
        "<svg class=\"strip {}\" viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        strip.kind.text(),
        values.len(),
        Escaped(label)
    );
    write!(svg, "<path class=\"amount\" d=\"{}\"/>", area(&values)).expect("a string takes everything");
    for (class, marks, top) in [("overflow", &strip.overflows, OVERFLOW_TOP), ("stall", &strip.stalls, 0)] {
        let path = ticks(marks, step, top);
        if !path.is_empty() {
            write!(svg, "<path class=\"{class}\" d=\"{path}\"/>").expect("a string takes everything");
        }
    }
    svg.push_str("</svg>");
    svg
}

/// Returns the path of the area under steps of these heights.
fn area(values: &[f64]) -> String {
    let mut path = "M0 100".to_owned();
    let mut before = 100;
    for (column, value) in values.iter().enumerate() {
        // Every amount above zero is visible.
        let height = if *value > 0.0 { (value * 100.0).round().max(2.0) as u64 } else { 0 };
        let top = 100 - height.min(100);
        if top != before {
            if column > 0 {
                write!(path, "H{column}").expect("a string takes everything");
            }
            write!(path, "V{top}").expect("a string takes everything");
            before = top;
        }
    }
    write!(path, "H{}V100Z", values.len()).expect("a string takes everything");
    path
}

/// Returns the path with a line in each column that has a mark.
fn ticks(marks: &[u64], step: usize, top: u32) -> String {
    let mut path = String::new();
    for (column, marks) in marks.chunks(step).enumerate() {
        if marks.iter().any(|count| *count > 0) {
            write!(path, "M{column}.5 {top}V100").expect("a string takes everything");
        }
    }
    path
}

/// Encodes the bins as text for the zooming script, with one character per bin and 64 different
/// heights.
pub(crate) fn encode(strip: &Strip) -> String {
    strip.values(1).into_iter().map(|value| character((value * 63.0).round(), value > 0.0)).collect()
}

fn character(height: f64, is_any: bool) -> char {
    const HEIGHTS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    HEIGHTS[(height as usize).clamp(usize::from(is_any), 63)].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(amounts: &[u64]) -> Strip {
        let covered = vec![100; amounts.len()];
        Strip { kind: Kind::Share, amounts: amounts.to_vec(), covered, stalls: vec![], overflows: vec![] }
    }

    #[test]
    fn bins_are_joined_to_columns() {
        let strip = share(&[100, 0, 50, 50, 100]);
        assert_eq!(strip.values(1), [1.0, 0.0, 0.5, 0.5, 1.0]);
        assert_eq!(strip.values(2), [0.5, 0.5, 1.0]);
        assert_eq!(Strip { kind: Kind::Level, ..strip.clone() }.values(2), [1.0, 0.5, 1.0]);
        assert_eq!(Strip { kind: Kind::Rate, ..share(&[10, 30, 40, 40]) }.values(2), [0.5, 1.0]);
    }

    #[test]
    fn steps_of_one_height_are_one_line() {
        assert_eq!(area(&[0.0, 0.0, 0.5, 0.5, 1.0]), "M0 100H2V50H4V0H5V100Z");
        assert_eq!(area(&[0.001]), "M0 100V98H1V100Z");
        assert_eq!(area(&[]), "M0 100H0V100Z");
    }

    #[test]
    fn a_mark_is_seen_in_its_column() {
        let marked = Strip { stalls: vec![0, 0, 0, 2, 0], overflows: vec![1, 0, 0, 0, 0], ..share(&[1; 5]) };
        let svg = strip(&marked, 3, "P0");
        assert!(svg.contains("<path class=\"stall\" d=\"M1.5 0V100\"/>"), "{svg}");
        assert!(svg.contains("<path class=\"overflow\" d=\"M0.5 84V100\"/>"), "{svg}");
        assert!(!strip(&share(&[1]), 3, "P0").contains("stall"));
    }

    #[test]
    fn each_bin_is_a_character_and_little_is_not_nothing() {
        assert_eq!(encode(&share(&[0, 1, 50, 100])), "ABg_");
    }
}
