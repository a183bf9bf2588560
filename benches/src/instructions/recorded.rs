//! The recorded counts: a small file in TOML, and the verdict on a new count.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::Failure;

/// By which share a count may grow.
pub(super) const TOLERANCE: f64 = 0.05;

const HEAD: &str = "\
# wsrt's instructions per operation on one processor, counted by callgrind. Written by
#     cargo run --release -p wsrt-benches --bin instructions -- --record
# and checked without --record. Counts of another toolchain are compared with nothing.
";
const TOOLCHAIN: &str = "toolchain";

/// The contents of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recorded {
    pub(super) toolchain: String,
    /// By the operation's name.
    pub(super) counts: Vec<(String, f64)>,
}

/// A new count beside the recorded one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// Greater by more than the tolerance; by which share.
    Grown(f64),
    /// Smaller by more than the tolerance: the new count should be recorded, or it may grow back
    /// unseen.
    Shrunk(f64),
    /// About as before.
    Kept(f64),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grown(share) => write!(f, "{:+.1} %, TOO MANY", share * 100.0),
            Self::Shrunk(share) => write!(f, "{:+.1} %, record it", share * 100.0),
            Self::Kept(share) => write!(f, "{:+.1} %", share * 100.0),
        }
    }
}

impl Recorded {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::parse(&text).map_err(|failure| format!("{}: {failure}", file.display()).into())
    }

    pub(super) fn write(&self, file: &Path) -> Result<(), Failure> {
        fs::write(file, self.text()).map_err(|error| format!("cannot write {}: {error}", file.display()).into())
    }

    /// Returns the recorded count of the named operation.
    pub(super) fn count(&self, operation: &str) -> Result<f64, Failure> {
        let found = self.counts.iter().find(|(name, _)| name == operation);
        found
            .map(|(_, count)| *count)
            .ok_or_else(|| format!("no count of {operation} is recorded, see --record").into())
    }

    /// Judges a new count of the named operation.
    pub(super) fn verdict(&self, operation: &str, now: f64) -> Result<Verdict, Failure> {
        let share = now / self.count(operation)? - 1.0;
        Ok(match share {
            more if more > TOLERANCE => Verdict::Grown(more),
            less if less < -TOLERANCE => Verdict::Shrunk(less),
            same => Verdict::Kept(same),
        })
    }

    fn text(&self) -> String {
        let counts: String = self.counts.iter().map(|(name, count)| format!("{name} = {count:.1}\n")).collect();
        format!("{HEAD}{TOOLCHAIN} = \"{}\"\n{counts}", self.toolchain)
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let mut toolchain = None;
        let mut counts = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let bad = || format!("line {}, {line:?}: neither a toolchain nor a count above zero", number + 1);
            let (name, value) = line.split_once(" = ").ok_or_else(bad)?;
            if name == TOOLCHAIN {
                let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).ok_or_else(bad)?;
                toolchain = Some(value.to_owned());
            } else {
                let count = value.parse().ok().filter(|count: &f64| count.is_finite() && *count > 0.0);
                counts.push((name.to_owned(), count.ok_or_else(bad)?));
            }
        }
        let toolchain = toolchain.ok_or("no toolchain is recorded, see --record")?;
        Ok(Self { toolchain, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded() -> Recorded {
        let counts = vec![("spawn".to_owned(), 1000.0), ("yield".to_owned(), 453.5)];
        Recorded { toolchain: "rustc 1.85.0 (abc), glibc 2.36, x86_64".to_owned(), counts }
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(Recorded::parse(&recorded().text()).unwrap(), recorded());
    }

    #[test]
    fn a_count_may_grow_by_a_twentieth_and_no_more() {
        let verdict = |now| recorded().verdict("spawn", now).unwrap();
        assert!(matches!(verdict(1049.0), Verdict::Kept(_)));
        assert!(matches!(verdict(1051.0), Verdict::Grown(_)));
        assert!(matches!(verdict(951.0), Verdict::Kept(_)));
        assert!(matches!(verdict(949.0), Verdict::Shrunk(_)));
    }

    #[test]
    fn an_operation_that_is_not_recorded_is_named() {
        assert!(recorded().verdict("wake", 1.0).unwrap_err().to_string().contains("wake"));
    }

    #[test]
    fn a_bad_line_is_named() {
        for line in ["spawn", "spawn = many", "spawn = 0", "spawn = NaN", "toolchain = bare"] {
            let refusal = Recorded::parse(&format!("# counts\n{line}\n")).unwrap_err().to_string();
            assert!(refusal.contains("line 2") && refusal.contains(line), "{refusal}");
        }
        assert!(Recorded::parse("spawn = 1").unwrap_err().to_string().contains("no toolchain"));
    }
}
