//! The lines of a fault plan, parsed as far as shrinking needs: the moment, the fault, its amount,
//! and its duration. Only the runtime knows what the faults mean.

use std::fmt;
use std::time::Duration;

/// The units of time, with the number of nanoseconds in each as a power of ten.
const UNITS: [(&str, u32); 5] = [("ns", 0), ("us", 3), ("µs", 3), ("ms", 6), ("s", 9)];

/// One line of a plan, which is a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The moment of the fault in nanoseconds, or `None` for a fault point.
    pub(crate) at: Option<u64>,
    pub(crate) what: String,
    /// The number or time after `by`, if there is one.
    pub(crate) by: Option<String>,
    pub(crate) lasting: Option<u64>,
}

impl Line {
    fn parse(line: &str) -> Self {
        let timed = line.strip_prefix("at ").and_then(|rest| rest.split_once(' '));
        let Some((at, rest)) = timed.and_then(|(at, rest)| Some((nanos(at)?, rest))) else {
            return Self { at: None, what: line.to_owned(), by: None, lasting: None };
        };
        // A name that ends so is in quotation marks, and no time.
        let lasting = rest.rsplit_once(" for ").and_then(|(what, time)| Some((what, nanos(time)?)));
        let (what, lasting) = lasting.map_or((rest, None), |(what, time)| (what, Some(time)));
        let by = what.rsplit_once(" by ").filter(|(_, amount)| nanos(amount).is_some() || is_number(amount));
        let (what, by) = by.map_or((what, None), |(what, amount)| (what, Some(amount.to_owned())));
        Self { at: Some(at), what: what.to_owned(), by, lasting }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "at {:?} ", Duration::from_nanos(at))?;
        }
        f.write_str(&self.what)?;
        if let Some(amount) = &self.by {
            write!(f, " by {amount}")?;
        }
        match self.lasting {
            Some(lasting) => write!(f, " for {:?}", Duration::from_nanos(lasting)),
            None => Ok(()),
        }
    }
}

/// Parses the lines of a plan.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let is_fault = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && *line != "nothing";
    text.lines().filter(is_fault).map(Line::parse).collect()
}

/// Returns the text of the plan with these lines.
pub(crate) fn text(lines: &[Line]) -> String {
    let lines: Vec<String> = lines.iter().map(Line::to_string).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '-' || letter.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Parses a number with its unit of time to nanoseconds. Returns `None` if the result is not a
/// whole number of nanoseconds.
pub(crate) fn nanos(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?);
    let &(_, digits) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let missing = (digits as usize).checked_sub(fraction.len())?;
    let whole: u64 = whole.parse().ok()?;
    let fraction: u64 = format!("0{fraction}").parse().ok()?;
    whole.checked_mul(10_u64.pow(digits))?.checked_add(fraction.checked_mul(10_u64.pow(missing as u32))?)
}

#[test]
fn each_line_is_written_as_it_was_read() {
    for line in [
        "at 1.25s crash one for 300ms",
        "at 2s cut one -> two",
        "at 1.000001s reset \"one for 3s\" two",
        "at 0ns slow one \"two\" by 20 for 20.5µs",
        "at 4s disk failing one by 0.05 for 1s",
        "at 4s disk full \"one by 3\"",
        "at 5s clock behind one by 90s for 1s",
        "at 5s clock drift one by -500",
        "maybe 17 \"slow commit\"",
        "at noon something else",
    ] {
        assert_eq!(Line::parse(line).to_string(), line);
    }
    assert_eq!(Line::parse("at 1us crash a for 2ns").lasting, Some(2));
    assert_eq!(Line::parse("at 1s clock drift one by -500 for 2s").by.as_deref(), Some("-500"));
    assert_eq!(Line::parse("at 1s disk full \"one by 3\"").by, None);
    assert_eq!(text(&lines("nothing")), "nothing");
    assert_eq!(lines("at 1s crash a\n# and 3 more\n\nmaybe 1 b").len(), 2);
}
