//! A histogram of columns over a logarithmic time axis, with marked quantiles.

use std::fmt::Write;

use super::axis::Tick;
use crate::aggregate::{Durations, PARTS, column_edge};
use crate::numbers::{Count, Share, Time};
use crate::text::Escaped;

/// The width of a quantile's label on a phone, in percent of the chart's width.
const WORD: f64 = 15.0;

/// The position from which on a label is placed to the left of its line, in percent.
const RIGHT: f64 = 86.0;
/// The maximum number of ticks that fit on a phone.
const FEW_TICKS: usize = 6;

/// A quantile above the chart: its label, its position, and its row, which is chosen so that labels
/// do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) word: &'static str,
    pub(crate) value: u64,
    /// The position from the left, in percent of the width.
    pub(crate) at: f64,
    pub(crate) row: usize,
    /// True if the label is to the left of its line.
    pub(crate) is_left: bool,
}

/// Draws a histogram. Returns the drawing, the ticks under it, and the marks above it, or `None` if
/// the histogram is empty.
pub(crate) fn columns(histogram: &Durations, label: &str) -> Option<(String, Vec<Tick>, Vec<Mark>)> {
    let (first, counts) = histogram.columns();
    let most = counts.iter().copied().max()?;
    let doublings = counts.len() / PARTS;
    let place =
        |time: u64| ((time.max(1) as f64).log2() - f64::from(first)).clamp(0.0, doublings as f64) / doublings as f64;

    let width = counts.len() * 10;
    let mut svg = format!(
        "<svg class=\"columns\" viewBox=\"0 0 {width} 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        Escaped(label)
    );
    let ticks = ticks(first, doublings, place);
    for tick in &ticks {
        let x = tick.at / 100.0 * width as f64;
        put(&mut svg, format_args!("<path class=\"grid\" d=\"M{x:.1} 0V100\"/>"));
    }
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        // Every amount above zero is visible.
        let height = (*count as f64 / most as f64 * 96.0).max(1.5);
        let text = format!(
            "{} to {}: {} ({})",
            Time(column_edge(first, index)),
            Time(column_edge(first, index + 1)),
            Count(*count),
            Share::of(*count, histogram.count())
        );
        let (x, y) = (index * 10 + 1, 100.0 - height);
        put(
            &mut svg,
            format_args!(
                "<rect class=\"column\" x=\"{x}\" y=\"{y:.1}\" width=\"8\" height=\"{height:.1}\"><title>{text}</title></rect>"
            ),
        );
    }
    let marks = marks(histogram, place);
    for mark in &marks {
        let x = mark.at / 100.0 * width as f64;
        put(&mut svg, format_args!("<path class=\"quantile\" d=\"M{x:.1} 0V100\"/>"));
    }
    svg.push_str("</svg>");
    Some((svg, ticks, marks))
}

/// Returns ticks at the powers of ten.
fn ticks(first: u32, doublings: usize, place: impl Fn(u64) -> f64) -> Vec<Tick> {
    let (least, most) = (column_edge(first, 0), column_edge(first, doublings * PARTS));
    let words =
        ["1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"];
    let within = |(exponent, word): (usize, &str)| {
        let time = 10u64.pow(exponent as u32);
        let text = word.replace(' ', "\u{a0}");
        (least..=most).contains(&time).then(|| Tick { at: place(time) * 100.0, text, minor: exponent % 3 != 0 })
    };
    let mut ticks: Vec<_> = words.into_iter().enumerate().filter_map(within).collect();
    if ticks.len() <= FEW_TICKS {
        ticks.iter_mut().for_each(|tick| tick.minor = false);
    }
    ticks
}

fn marks(histogram: &Durations, place: impl Fn(u64) -> f64) -> Vec<Mark> {
    let quantiles = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];
    let mut marks: Vec<_> = quantiles
        .into_iter()
        .map(|(word, share)| {
            let value = histogram.quantile(share);
            let at = place(value) * 100.0;
            Mark { word, value, at, row: 0, is_left: false }
        })
        .collect();
    put_in_rows(&mut marks);
    marks
}

/// Assigns rows to the marks, so that no label covers another label or a line that comes down from
/// a row above.
///
/// A label is placed to the left of its line if there is no room before the end of the chart, or
/// before the line of another such label. The labels to the right of their lines step down from
/// left to right, and those to the left of their lines step down from right to left.
fn put_in_rows(marks: &mut [Mark]) {
    let mut room = RIGHT + WORD;
    for mark in marks.iter_mut().rev() {
        mark.is_left = mark.at + WORD > room;
        if mark.is_left {
            room = mark.at;
        }
    }
    let (right_words, left_words) = marks.split_at_mut(marks.partition_point(|mark| !mark.is_left));
    step_down(right_words.iter_mut(), 0);
    let first = match (right_words.last(), left_words.first()) {
        (Some(right), Some(left)) if right.at + WORD > left.at - WORD => right.row + 1,
        _ => 0,
    };
    step_down(left_words.iter_mut().rev(), first);
}

/// Gives each mark the row below the previous mark, or the row `first` if the two do not overlap.
fn step_down<'a>(marks: impl Iterator<Item = &'a mut Mark>, first: usize) {
    let mut before: Option<(f64, usize)> = None;
    for mark in marks {
        mark.row = match before {
            Some((at, row)) if (mark.at - at).abs() < WORD => row + 1,
            _ => first,
        };
        before = Some((mark.at, mark.row));
    }
}

fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    svg.write_fmt(element).expect("a string takes everything");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_not_drawn() {
        assert!(columns(&Durations::new(), "").is_none());
    }

    #[test]
    fn everything_lies_within_the_chart_without_overlaps() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let mut histogram = Durations::new();
            let most = random.u32(1..64);
            (0..random.usize(1..2_000)).for_each(|_| histogram.add(random.u64(..) >> random.u32(most..=64).min(63)));
            let (svg, ticks, marks) = columns(&histogram, "label").expect("there is something");
            let places = ticks.iter().map(|tick| tick.at).chain(marks.iter().map(|mark| mark.at));
            places.for_each(|at| assert!((0.0..=100.0).contains(&at), "{at}"));
            assert!(svg.len() < 60_000, "{}", svg.len());
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            for (one, other) in marks.iter().flat_map(|one| marks.iter().map(move |other| (one, other))) {
                assert!(one.word == other.word || !is_in_the_way(one, other), "{one:?} {other:?}");
            }
        }
    }

    /// Returns whether the label of `one` covers the label or the line of `other`.
    fn is_in_the_way(one: &Mark, other: &Mark) -> bool {
        let word = |mark: &Mark| if mark.is_left { (mark.at - WORD, mark.at) } else { (mark.at, mark.at + WORD) };
        let ((begin, end), (other_begin, other_end)) = (word(one), word(other));
        let covers_word = one.row == other.row && begin < other_end && other_begin < end;
        covers_word || (one.row > other.row && begin < other.at && other.at < end)
    }

    #[test]
    fn words_at_the_right_end_are_put_in_rows() {
        let mut histogram = Durations::new();
        histogram.add(32);
        (0..10_000).for_each(|_| histogram.add(1_000_000));
        histogram.add(1_040_000);
        let (_, _, marks) = columns(&histogram, "").expect("there is something");
        let rows: Vec<_> = marks.iter().map(|mark| (mark.word, mark.row, mark.is_left)).collect();
        assert_eq!(rows, [("p50", 4, true), ("p90", 3, true), ("p99", 2, true), ("p99.9", 1, true), ("max", 0, true)]);
    }

    #[test]
    fn words_that_stand_close_are_put_in_rows() {
        let mut histogram = Durations::new();
        (0..10_000).for_each(|_| histogram.add(1_000));
        histogram.add(1_000_000);
        let (_, _, marks) = columns(&histogram, "").expect("there is something");
        let rows: Vec<_> = marks.iter().map(|mark| (mark.word, mark.row)).collect();
        assert_eq!(rows, [("p50", 0), ("p90", 1), ("p99", 2), ("p99.9", 3), ("max", 0)]);
    }
}
