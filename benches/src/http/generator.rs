//! Both load generators: programs that may be missing, and that report a run.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

/// A load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) address: SocketAddr,
    pub(super) is_tls: bool,
    /// Of the generator.
    pub(super) threads: usize,
    pub(super) connections: usize,
    /// Requests outstanding on each connection; HTTP/2 only.
    pub(super) streams: usize,
    pub(super) seconds: u32,
    /// How long the generator may take beside its run: to connect, to take the last answers, to
    /// write.
    pub(super) beside_run: Duration,
}

impl Load {
    pub(super) fn url(&self) -> String {
        format!("{}://{}/", if self.is_tls { "https" } else { "http" }, self.address)
    }

    /// How long a generator may run until it is killed: one that waits for an answer that never
    /// comes would wait for ever.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds.into()) + self.beside_run
    }
}

/// A run in which every request was answered.
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

/// Says whether `program` can be started.
pub(super) fn is_installed(program: &str) -> bool {
    !matches!(Command::new(program).arg("--version").output(), Err(error) if error.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_program_is_not_installed() {
        assert!(!is_installed("wsrt-no-such-load-generator"));
        assert!(is_installed("sh"));
    }
}
