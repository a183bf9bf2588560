//! How a server is loaded: one line of the table.

use std::path::Path;

use super::generator::{Latency, Load, Run};
use super::{Kind, h2load, wrk};
use crate::Failure;
use crate::metric::{Measurement, Metric};
use crate::usage::Usage;

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// The next as soon as the last was answered.
    Flat,
    /// So, and each on a connection of its own.
    Closing,
    /// So many a second.
    Rate(u32),
}

/// The kind of server, a pace, and how many connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loading {
    pub(super) kind: Kind,
    pub(super) pace: Pace,
    pub(super) connections: usize,
}

impl Loading {
    /// Requests at a rate come over so many connections.
    pub(super) const CONNECTIONS_AT_RATE: usize = 50;

    pub(super) fn name(self) -> String {
        let Self { kind, pace, connections } = self;
        let kind = kind.name();
        match pace {
            Pace::Flat => format!("{kind}/{connections}"),
            Pace::Closing => format!("{kind}_close/{connections}"),
            Pace::Rate(rate) => format!("{kind}_rate/{rate}"),
        }
    }

    pub(super) fn summary(self) -> &'static str {
        match (self.kind, self.pace) {
            (Kind::Http1, Pace::Flat) => {
                "hyper's hello over HTTP/1.1 under wrk, one request outstanding on each connection (their number \
                 after the slash)"
            }
            (_, Pace::Closing) => "the same, and each request on a connection of its own",
            (_, Pace::Rate(_)) => "the same under h2load, so many requests a second (the number after the slash)",
            (Kind::Http1Proxy, _) => {
                "wrk as in http1, through a proxy (hyper's server, hyper-util's pooled client, keep-alive on both sides) \
                 to a hello on tokio in a process of its own; processor time and sleeps are the proxy's"
            }
            (Kind::Http1Tls, _) => "http1 over TLS 1.3, by rustls in the server",
            (Kind::Http2, _) => "the same over HTTP/2 under h2load, several requests outstanding on each connection",
        }
    }

    /// Returns the load generator.
    pub(super) fn generator(self) -> &'static str {
        match (self.kind, self.pace) {
            (Kind::Http2, _) | (_, Pace::Rate(_)) => h2load::PROGRAM,
            _ => wrk::PROGRAM,
        }
    }

    /// Loads a server after a warm-up of `warm_up`, and returns its figures. `usage` asks the
    /// server for its use of the machine so far, and `log` is a file for the generator.
    pub(super) fn measure(
        self,
        load: &Load,
        warm_up: &Load,
        log: &Path,
        mut usage: impl FnMut() -> Result<Usage, Failure>,
    ) -> Result<Vec<Measurement>, Failure> {
        // Where the latencies take a run of their own, that is the warm-up.
        let mut apart = None;
        match (self.kind, self.pace) {
            (Kind::Http2, _) => apart = Some(h2load::logged(&h2load::http2(warm_up), warm_up.limit(), log)?.1),
            (_, Pace::Rate(rate)) => drop(h2load::load(&h2load::http1(warm_up, rate), warm_up.limit())?),
            (_, pace) => drop(wrk::load(warm_up, pace == Pace::Closing)?),
        }
        let before = usage()?;
        let (run, latency) = match (self.pace, apart) {
            (_, Some(latency)) => (h2load::load(&h2load::http2(load), load.limit())?, latency),
            (Pace::Rate(rate), None) => h2load::logged(&h2load::http1(load, rate), load.limit(), log)?,
            (pace, None) => wrk::load(load, pace == Pace::Closing)?,
        };
        Ok(measurements(run, latency, usage()?.since(before)))
    }
}

fn measurements(run: Run, latency: Latency, used: Usage) -> Vec<Measurement> {
    let requests = run.requests as f64;
    vec![
        Metric::REQUESTS_PER_SECOND.of(run.per_second),
        Metric::CPU_MICROSECONDS_PER_REQUEST.of(used.cpu.as_secs_f64() * 1e6 / requests),
        Metric::SLEEPS_PER_REQUEST.of(used.sleeps as f64 / requests),
        Metric::MEDIAN_MICROSECONDS.of(latency.median),
        Metric::WORST_MICROSECONDS.of(latency.p99),
    ]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rows_are_named_for_their_load() {
        let row = |pace| Loading { kind: Kind::Http1, pace, connections: 64 }.name();
        assert_eq!(row(Pace::Flat), "http1/64");
        assert_eq!(row(Pace::Closing), "http1_close/64");
        assert_eq!(row(Pace::Rate(500)), "http1_rate/500");
    }

    #[test]
    fn processor_time_and_sleeps_are_those_of_one_request() {
        let run = Run { requests: 1000, per_second: 500.0 };
        let used = Usage { cpu: Duration::from_millis(5), sleeps: 10 };
        let seen = measurements(run, Latency { median: 1.0, p99: 2.0 }, used);
        let values: Vec<_> = seen.iter().map(|measurement| measurement.value).collect();
        assert_eq!(values, [500.0, 5.0, 0.01, 1.0, 2.0]);
    }
}
