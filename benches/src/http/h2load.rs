//! h2load, for HTTP/2 with prior knowledge: several requests outstanding on each connection.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::generator::{Latency, Load, Run};
use crate::Failure;
use crate::harness::output_within;
use crate::measure::quantile;

pub(super) const PROGRAM: &str = "h2load";

/// Runs h2load with the words of a load, which has to end within `limit`.
///
/// # Errors
///
/// Returns an error if h2load cannot be started, fails or does not end in time, or if any request
/// was not answered well.
pub(super) fn load(words: &[String], limit: Duration) -> Result<Run, Failure> {
    parse(&output_within(Command::new(PROGRAM).args(words), limit)?)
}

/// Runs it with the latencies, which h2load writes for each request in the file `log`. That takes
/// time of its own, so that the rate means nothing unless it is given.
///
/// # Errors
///
/// Returns an error where [`load`] does, and if the file cannot be read.
pub(super) fn logged(words: &[String], limit: Duration, log: &Path) -> Result<(Run, Latency), Failure> {
    // h2load appends.
    let _removed = fs::remove_file(log);
    let run = parse(&output_within(Command::new(PROGRAM).args(words).arg("--log-file").arg(log), limit)?)?;
    let text = fs::read_to_string(log).map_err(|error| format!("cannot read {}: {error}", log.display()))?;
    fs::remove_file(log)?;
    let latency = latency_of(&text).ok_or_else(|| format!("{} is no log of h2load", log.display()))?;
    Ok((run, latency))
}

/// The words for a load of HTTP/2.
pub(super) fn http2(load: &Load) -> Vec<String> {
    let mut words = common(load);
    words.insert(0, format!("-m{}", load.streams));
    words
}

/// The words for a load of HTTP/1.1, one request outstanding on each connection, and `rate`
/// requests a second on all of them.
pub(super) fn http1(load: &Load, rate: u32) -> Vec<String> {
    let mut words = common(load);
    let each = (rate as usize / load.connections).max(1);
    words.splice(0..0, ["--h1".to_owned(), "-m1".to_owned(), format!("--rps={each}")]);
    words
}

fn common(load: &Load) -> Vec<String> {
    let Load { threads, connections, seconds, .. } = load;
    vec![format!("-t{threads}"), format!("-c{connections}"), format!("-D{seconds}"), load.url()]
}

fn parse(text: &str) -> Result<Run, Failure> {
    let unexpected = || format!("h2load printed an unexpected text:\n{text}");
    let line = |start| text.lines().find(|line| line.starts_with(start)).ok_or_else(unexpected);
    let requests = line("requests: ")?;
    let codes = line("status codes: ")?;
    if !requests.contains(" 0 failed, 0 errored, 0 timeout") || !codes.contains(" 0 3xx, 0 4xx, 0 5xx") {
        return Err(format!("h2load: {requests}; {codes}").into());
    }
    read(text, requests).ok_or_else(|| unexpected().into())
}

fn read(text: &str, requests: &str) -> Option<Run> {
    let done = requests.split(", ").find_map(|part| part.strip_suffix(" succeeded"))?;
    let finished = text.lines().find(|line| line.starts_with("finished in "))?;
    let rate = finished.split(", ").find_map(|part| part.strip_suffix(" req/s"))?;
    Some(Run { requests: done.parse().ok()?, per_second: rate.parse().ok()? })
}

/// Reads a line for each request: when it began, its status, and how many microseconds its answer
/// took.
fn latency_of(log: &str) -> Option<Latency> {
    let mut micros = Vec::new();
    for line in log.lines() {
        micros.push(line.split('\t').nth(2)?.parse::<f64>().ok()?);
    }
    if micros.is_empty() {
        return None;
    }
    micros.sort_by(f64::total_cmp);
    Some(Latency { median: quantile(&micros, 0.5), p99: quantile(&micros, 0.99) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
Stopped all clients for thread #0

finished in 1.01s, 152168.00 req/s, 5.96MB/s
requests: 152168 total, 152808 started, 152168 done, 152168 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 152168 2xx, 0 3xx, 0 4xx, 0 5xx
";

    #[test]
    fn the_figures_are_read_from_what_h2load_prints() {
        assert_eq!(parse(OUTPUT).unwrap(), Run { requests: 152_168, per_second: 152_168.0 });
    }

    #[test]
    fn errors_and_bad_answers_are_failures() {
        for (good, bad) in [(" 0 failed", " 7 failed"), (" 0 timeout", " 7 timeout"), (" 0 5xx", " 7 5xx")] {
            let failure = parse(&OUTPUT.replace(good, bad)).unwrap_err().to_string();
            assert!(failure.contains(bad), "{failure}");
        }
        assert!(parse("nothing").unwrap_err().to_string().contains("nothing"));
    }

    #[test]
    fn the_latencies_are_read_from_the_log() {
        let log: String = (1..=101).map(|micros| format!("1795261494975321\t200\t{micros}\n")).collect();
        assert_eq!(latency_of(&log), Some(Latency { median: 51.0, p99: 100.0 }));
        assert_eq!(latency_of(""), None);
        assert_eq!(latency_of("1795261494975321\t200\n"), None);
    }
}
