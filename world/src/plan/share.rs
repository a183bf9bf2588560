//! Parses and prints the fractions in plans, from 0 to 1 in whole millionths: `0.05`.

/// The number of millionths in a whole. Plans count fractions in millionths.
pub const WHOLE: u32 = 1_000_000;

pub(super) fn text(millionths: u32) -> String {
    let (whole, fraction) = (millionths / WHOLE, millionths % WHOLE);
    let text = format!("{whole}.{fraction:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Parses a fraction to millionths. Returns `None` if the result is not a whole number of
/// millionths, or if the fraction is greater than 1.
pub(super) fn parse(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|letter| letter.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 6 {
        return None;
    }
    let whole: u32 = whole.parse().ok()?;
    let fraction: u32 = format!("{fraction:0<6}").parse().ok()?;
    whole.checked_mul(WHOLE)?.checked_add(fraction).filter(|&millionths| millionths <= WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_is_read_as_it_was_written() {
        for millionths in [0, 1, 10, 50_000, 100_000, 999_999, WHOLE] {
            assert_eq!(parse(&text(millionths)), Some(millionths), "{}", text(millionths));
        }
        assert_eq!((text(50_000).as_str(), text(WHOLE).as_str(), text(0).as_str()), ("0.05", "1", "0"));
        for nonsense in ["", ".5", "1.", "1.000001", "2", "0.0000001", "-0.5", "+0.5", "0.5%", "99999999999"] {
            assert_eq!(parse(nonsense), None, "{nonsense}");
        }
    }
}
