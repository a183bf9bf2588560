//! wrk, for HTTP/1.1: one request outstanding on each connection.

use std::process::Command;

use super::generator::{Latency, Load, Run};
use crate::Failure;
use crate::harness::output_within;

pub(super) const PROGRAM: &str = "wrk";

/// Loads the server, and takes the latencies in the same run. If it `closes`, each request has a
/// connection of its own.
///
/// # Errors
///
/// Returns an error if wrk cannot be started, fails or does not end in time, or if any request was
/// not answered well.
pub(super) fn load(load: &Load, closes: bool) -> Result<(Run, Latency), Failure> {
    let mut command = Command::new(PROGRAM);
    command.args(["--latency", &format!("-t{}", load.threads), &format!("-c{}", load.connections)]);
    command.args([format!("-d{}s", load.seconds), load.url()]);
    if closes {
        command.args(["-H", "Connection: close"]);
    }
    parse(&output_within(&mut command, load.limit())?)
}

fn parse(text: &str) -> Result<(Run, Latency), Failure> {
    for trouble in ["Socket errors", "Non-2xx"] {
        if let Some(line) = text.lines().find(|line| line.trim_start().starts_with(trouble)) {
            return Err(format!("wrk: {}", line.trim()).into());
        }
    }
    read(text).ok_or_else(|| format!("wrk printed an unexpected text:\n{text}").into())
}

fn read(text: &str) -> Option<(Run, Latency)> {
    let mut lines = text.lines().map(str::trim);
    let requests = lines.clone().find_map(|line| line.split_once(" requests in "))?.0.parse().ok()?;
    let quantile = |name| micros(lines.clone().find_map(|line| line.strip_prefix(name))?.trim());
    let latency = Latency { median: quantile("50%")?, p99: quantile("99%")? };
    let per_second = lines.find_map(|line| line.strip_prefix("Requests/sec:"))?.trim().parse().ok()?;
    Some((Run { requests, per_second }, latency))
}

/// Reads a time with its unit, as in `430.00us` and `1.20ms`.
fn micros(word: &str) -> Option<f64> {
    let (digits, factor) = if let Some(digits) = word.strip_suffix("us") {
        (digits, 1.0)
    } else if let Some(digits) = word.strip_suffix("ms") {
        (digits, 1e3)
    } else {
        (word.strip_suffix('s')?, 1e6)
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Running 1s test @ http://127.0.0.1:18099/
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.67ms    5.22ms  62.24ms   96.73%
    Req/Sec    44.89k    12.34k   73.03k    65.00%
  Latency Distribution
     50%  430.00us
     75%    1.20ms
     90%    2.76ms
     99%   34.21ms
  89876 requests in 1.01s, 7.89MB read
Requests/sec:  88832.13
Transfer/sec:      7.79MB
";

    #[test]
    fn the_figures_are_read_from_what_wrk_prints() {
        let (run, latency) = parse(OUTPUT).unwrap();
        assert_eq!(run, Run { requests: 89_876, per_second: 88_832.13 });
        assert_eq!(latency, Latency { median: 430.0, p99: 34_210.0 });
        assert_eq!(micros("1.50s"), Some(1.5e6));
    }

    #[test]
    fn errors_and_bad_answers_are_failures() {
        for line in ["  Socket errors: connect 0, read 1, write 0, timeout 0", "  Non-2xx or 3xx responses: 62418"] {
            let failure = parse(&format!("{OUTPUT}{line}\n")).unwrap_err().to_string();
            assert!(failure.contains(line.trim()), "{failure}");
        }
        assert!(parse("unable to connect").unwrap_err().to_string().contains("unable to connect"));
    }
}
