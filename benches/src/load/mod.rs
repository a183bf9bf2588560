//! The clients of the echo server: plain blocking sockets on plain threads, in a process of their own.
//!
//! ```text
//!   server process                          load process (`compare --load …`)
//!   LoadProcess::start  ── starts ───────▶  connects, warms up
//!                       ◀── "ready" ──────
//!   LoadProcess::go     ── "go" ─────────▶  the measured requests
//!                       ◀── "done R NS" ──  R requests in NS nanoseconds
//!   Finishing::finish   ── end of input ─▶  closes the connections, ends
//! ```

use std::net::SocketAddr;
use std::time::Duration;

mod generator;
mod process;

pub use generator::serve;
pub use process::{Finishing, LoadProcess};

const READY: &str = "ready";
const GO: &str = "go";
const DONE: &str = "done";

/// What the clients are to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPlan {
    /// Where the server listens.
    pub address: SocketAddr,
    /// Connections open at once.
    pub connections: usize,
    /// Bytes of a request.
    pub bytes: usize,
    /// Requests on each connection before the measured ones.
    pub warm_up: u64,
    /// Measured requests on each connection.
    pub requests: u64,
    /// The cores that the clients stay on; any if empty.
    pub cores: Vec<usize>,
}

impl LoadPlan {
    /// Answers how many bytes a server echoes for this plan, warm-up included.
    pub fn bytes_in_all(&self) -> u64 {
        (self.warm_up + self.requests) * self.connections as u64 * self.bytes as u64
    }
}

/// What the clients saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Measured requests, each answered with the right bytes.
    pub requests: u64,
    /// Wall-clock time from the first of them to the last answer.
    pub elapsed: Duration,
}

impl Outcome {
    fn line(self) -> String {
        format!("{DONE} {} {}", self.requests, self.elapsed.as_nanos())
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix(DONE)?.split_whitespace();
        let requests = words.next()?.parse().ok()?;
        let elapsed = Duration::from_nanos(words.next()?.parse().ok()?);
        words.next().is_none().then_some(Self { requests, elapsed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_survives_its_line() {
        let outcome = Outcome { requests: 20_000, elapsed: Duration::from_nanos(123_456_789) };
        assert_eq!(Outcome::parse(&outcome.line()), Some(outcome));
    }

    #[test]
    fn other_lines_are_no_outcome() {
        for line in ["", "ready", "done", "done 1", "done 1 x", "done 1 2 3"] {
            assert_eq!(Outcome::parse(line), None, "{line:?}");
        }
    }
}
