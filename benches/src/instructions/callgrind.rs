//! A child under callgrind, and the number of instructions that all its threads have executed.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Failure;
use crate::harness::Words;

const VALGRIND: &str = "valgrind";

/// Returns the version of the valgrind that is installed; `None` where none is.
pub(super) fn version() -> Result<Option<String>, Failure> {
    match Command::new(VALGRIND).arg("--version").output() {
        Ok(output) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot start {VALGRIND}: {error}").into()),
    }
}

/// Counts the instructions of a child of `program` that is started with `words`.
pub(super) fn count(program: &Path, words: Words) -> Result<u64, Failure> {
    let output = Command::new(VALGRIND)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(words.into_vec())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start {VALGRIND}: {error}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{VALGRIND} failed ({}): {complaint}", output.status).into());
    }
    collected(&complaint).ok_or_else(|| format!("{VALGRIND} prints no count: {complaint}").into())
}

/// Finds the count in callgrind's last lines.
fn collected(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_among_the_rest() {
        let text = "==7== Callgrind\nwsrt: 3\n==7== Events    : Ir\n==7== Collected : 36810403\n==7== \n";
        assert_eq!(collected(text), Some(36_810_403));
        assert_eq!(collected("==7== Collected : many"), None);
        assert_eq!(collected(""), None);
    }
}
