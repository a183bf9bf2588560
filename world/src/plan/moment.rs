//! Parses and prints the moments and durations of plans: `1.25s`, `300ms`, `20µs`, `15ns`.

use std::time::Duration;

/// The units of time, with the number of nanoseconds in each as a power of ten.
const UNITS: [(&str, u32); 5] = [("ns", 0), ("us", 3), ("µs", 3), ("ms", 6), ("s", 9)];

pub(super) fn text(nanos: u64) -> String {
    format!("{:?}", Duration::from_nanos(nanos))
}

/// Parses a number with its unit to nanoseconds. Returns `None` if the result is not a whole number
/// of nanoseconds.
pub(super) fn parse(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?);
    let &(_, digits) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let fraction = fraction.trim_end_matches('0');
    let missing = digits.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    let whole: u64 = whole.parse().ok()?;
    let fraction: u64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    whole.checked_mul(10_u64.pow(digits))?.checked_add(fraction.checked_mul(10_u64.pow(missing))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_moment_is_read_as_it_was_written() {
        let powers = (0..64).map(|power| 1_u64 << power);
        for nanos in powers.chain([0, 999, 1_000, 1_001, 1_250_000_000, 86_400_000_000_000, u64::MAX]) {
            assert_eq!(parse(&text(nanos)), Some(nanos), "{}", text(nanos));
        }
        assert_eq!(parse("20us"), Some(20_000));
        assert_eq!(parse("2.500s"), Some(2_500_000_000));
    }

    #[test]
    fn nonsense_is_no_moment() {
        for text in ["", "1", "s", ".s", "1.5ns", "1.2.3s", "-1s", "1e3s", "99999999999999999999s", "1 s", "1m"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
