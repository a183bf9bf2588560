//! The positions and the labels of the ticks under a chart.

use crate::numbers::round_steps;

/// A labelled tick under a chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// The position from the left, in percent of the width.
    pub(crate) at: f64,
    pub(crate) text: String,
    /// True if the tick is left out on narrow screens.
    pub(crate) minor: bool,
}

/// Returns the ticks of a time axis for `duration` nanoseconds. The axis begins `lead` nanoseconds
/// before zero and spans `span` nanoseconds.
pub(crate) fn time_axis(lead: u64, duration: u64, span: u64) -> Vec<Tick> {
    let steps = round_steps(0, duration, 8);
    let (scale, unit) = match steps.last().copied().unwrap_or(0) {
        ..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let tick = |(number, at): (usize, u64)| Tick {
        at: (lead as f64 + at as f64) / span.max(1) as f64 * 100.0,
        text: format!("{}\u{a0}{unit}", at as f64 / scale),
        minor: number % 2 == 1,
    };
    steps.into_iter().enumerate().map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_axis_has_round_numbers_in_one_unit() {
        let ticks = time_axis(0, 5_000_000_000, 5_000_000_000);
        let texts: Vec<_> = ticks.iter().map(|tick| tick.text.replace('\u{a0}', " ")).collect();
        assert_eq!(texts, ["0 s", "1 s", "2 s", "3 s", "4 s", "5 s"]);
        let places: Vec<_> = ticks.iter().map(|tick| tick.at).collect();
        assert_eq!(places, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(time_axis(0, 0, 0).len(), 1);
        assert_eq!(time_axis(50, 950, 1_000)[1].at, 25.0);
    }
}
