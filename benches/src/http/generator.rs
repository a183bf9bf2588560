//! What both load generators have in common: they are programs that may be missing, and they report a run.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Command;

use super::{Version, h2load, wrk};
use crate::Failure;

/// A load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) address: SocketAddr,
    /// Of the generator.
    pub(super) threads: usize,
    pub(super) connections: usize,
    /// Requests outstanding on each connection; HTTP/2 only.
    pub(super) streams: usize,
    pub(super) seconds: u32,
}

/// What came of it: every request was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) requests: u64,
    pub(super) per_second: f64,
}

/// Microseconds from a request to its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Latency {
    pub(super) median: f64,
    pub(super) p99: f64,
}

/// Names the program that speaks `version`.
pub(super) fn program(version: Version) -> &'static str {
    match version {
        Version::Http1 => wrk::PROGRAM,
        Version::Http2 => h2load::PROGRAM,
    }
}

/// Answers whether `program` can be started.
pub(super) fn is_installed(program: &str) -> bool {
    !matches!(Command::new(program).arg("--version").output(), Err(error) if error.kind() == ErrorKind::NotFound)
}

/// Runs `program` to its end, and answers what it printed.
pub(super) fn output(command: &mut Command) -> Result<String, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {program}: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program} failed ({}): {}", output.status, complaint.trim_end()).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_nobody_has_is_not_installed() {
        assert!(!is_installed("wsrt-load-generator-of-nobody"));
        assert!(is_installed("sh"));
    }

    #[test]
    fn a_failed_program_is_named_with_its_complaint() {
        let failure = output(Command::new("sh").args(["-c", "echo no luck >&2; exit 3"])).unwrap_err().to_string();
        assert!(failure.starts_with("sh failed") && failure.ends_with("no luck"), "{failure}");
    }
}
