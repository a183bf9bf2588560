//! Formats numbers for people: with a unit, three significant digits, and commas in large counts.

use std::fmt::{self, Display};

/// The non-breaking space between a number and its unit.
const SPACE: char = '\u{a0}';

/// A time in nanoseconds, shown as `1.24 ms`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time(pub(crate) u64);

impl Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.0 as f64;
        // Each from where the unit before it would need four digits.
        let (value, unit) = match self.0 {
            0 => return write!(f, "0{SPACE}s"),
            1..1_000 => return write!(f, "{}{SPACE}ns", self.0),
            1_000..999_500 => (time / 1e3, "µs"),
            999_500..999_500_000 => (time / 1e6, "ms"),
            _ => (time / 1e9, "s"),
        };
        match value {
            ..9.995 => write!(f, "{value:.2}{SPACE}{unit}"),
            ..99.95 => write!(f, "{value:.1}{SPACE}{unit}"),
            ..9999.5 => write!(f, "{value:.0}{SPACE}{unit}"),
            _ => write!(f, "{}{SPACE}{unit}", Count(value.round() as u64)),
        }
    }
}

/// A whole number, shown as `1,234,567`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) u64);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place) % 3 == 0 {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// A count with its unit in the singular or plural, shown as `1 task` or `2 tasks`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Of(pub(crate) u64, pub(crate) &'static str);

impl Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{}{SPACE}{}{plural}", Count(self.0), self.1)
    }
}

/// A part of a whole, shown as `63 %`. A small part is never shown as nothing, and a large part is
/// never shown as everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    part: f64,
    whole: f64,
}

impl Share {
    pub(crate) fn of(part: u64, whole: u64) -> Self {
        Self { part: part as f64, whole: whole as f64 }
    }

    /// Returns the fraction, from 0 to 1.
    pub(crate) fn value(self) -> f64 {
        if self.whole > 0.0 { (self.part / self.whole).clamp(0.0, 1.0) } else { 0.0 }
    }
}

impl Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.value() * 100.0;
        match percent {
            0.0 => write!(f, "0{SPACE}%"),
            ..0.1 => write!(f, "≤{SPACE}0.1{SPACE}%"),
            ..9.95 => write!(f, "{percent:.1}{SPACE}%"),
            ..99.5 => write!(f, "{percent:.0}{SPACE}%"),
            ..100.0 => write!(f, "≥{SPACE}99.5{SPACE}%"),
            _ => write!(f, "100{SPACE}%"),
        }
    }
}

/// A number of bytes, shown as `12.3 MB`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) u64);

impl Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            ..1_000 => write!(f, "{}{SPACE}bytes", self.0),
            1_000..1_000_000 => write!(f, "{:.1}{SPACE}kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.1}{SPACE}MB", bytes / 1e6),
            _ => write!(f, "{:.1}{SPACE}GB", bytes / 1e9),
        }
    }
}

/// Returns whole numbers from `least` to `most` with about `wanted` steps between them. The steps
/// are round decimal numbers.
pub(crate) fn round_steps(least: u64, most: u64, wanted: u64) -> Vec<u64> {
    let rough = ((most - least) / wanted.max(1)).max(1);
    let power = 10u64.pow(rough.ilog10());
    let step = [1, 2, 5].into_iter().map(|part| power.saturating_mul(part)).find(|step| *step >= rough);
    let step = step.unwrap_or_else(|| power.saturating_mul(10));
    let first = least.div_ceil(step).saturating_mul(step);
    std::iter::successors(Some(first), |at| at.checked_add(step)).take_while(|at| (least..=most).contains(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(number: impl Display) -> String {
        number.to_string().replace(SPACE, " ")
    }

    #[test]
    fn times_have_a_unit_and_three_digits() {
        for (time, expected) in [
            (0, "0 s"),
            (1, "1 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_994, "9.99 µs"),
            (9_996, "10.0 µs"),
            (99_960, "100 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (140_000_000, "140 ms"),
            (4_200_000_000, "4.20 s"),
            (3_600_000_000_000, "3600 s"),
            (u64::MAX, "18,446,744,074 s"),
        ] {
            assert_eq!(shown(Time(time)), expected, "{time}");
        }
    }

    #[test]
    fn counts_have_commas() {
        for (count, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(shown(Count(count)), expected);
        }
        assert_eq!((shown(Of(1, "task")), shown(Of(1_200, "task"))), ("1 task".to_owned(), "1,200 tasks".to_owned()));
    }

    #[test]
    fn shares_are_not_rounded_to_nothing_or_all() {
        for (part, whole, expected) in [
            (0, 100, "0 %"),
            (1, 100_000, "≤ 0.1 %"),
            (34, 1_000, "3.4 %"),
            (63, 100, "63 %"),
            (99_999, 100_000, "≥ 99.5 %"),
            (5, 5, "100 %"),
            (5, 0, "0 %"),
        ] {
            assert_eq!(shown(Share::of(part, whole)), expected, "{part} of {whole}");
        }
    }

    #[test]
    fn bytes_have_a_unit() {
        assert_eq!((shown(Bytes(12)), shown(Bytes(204_800_000))), ("12 bytes".to_owned(), "204.8 MB".to_owned()));
    }

    #[test]
    fn steps_are_round_and_within() {
        assert_eq!(round_steps(0, 4_700, 5), [0, 1_000, 2_000, 3_000, 4_000]);
        assert_eq!(round_steps(130, 260, 5), [150, 200, 250]);
        assert_eq!(round_steps(0, 0, 5), [0]);
        assert!(round_steps(0, u64::MAX, 5).len() <= 11);
    }
}
