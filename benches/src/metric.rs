//! What a figure means: its unit, its name in files, and which direction is better.

use std::fmt;

/// A kind of figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Wall-clock nanoseconds for one operation.
    NanosecondsPerOperation,
    /// Wall-clock milliseconds for the whole of it.
    Milliseconds,
    /// Requests answered in one second of wall-clock time.
    RequestsPerSecond,
    /// Microseconds of processor time, user and system, that the server process alone spent on one request.
    CpuMicrosecondsPerRequest,
    /// How often a thread of the server process went to sleep for one request.
    SleepsPerRequest,
    /// Microseconds from a timer's deadline to the poll of its task: half of the timers were later.
    MedianMicrosecondsLate,
    /// The same: one timer in a hundred was later.
    WorstMicrosecondsLate,
    /// Microseconds of processor time, user and system, of the whole process for one timer.
    CpuMicrosecondsPerTimer,
    /// Bytes by which the process has grown for each timer that is armed.
    BytesPerTimer,
    /// Microseconds from a request to its answer: half of them took longer.
    MedianMicroseconds,
    /// The same: one answer in a hundred took longer.
    WorstMicroseconds,
    /// Bytes by which the process has grown for each task that waits.
    BytesPerTask,
}

impl Metric {
    const ALL: [Self; 12] = [
        Self::NanosecondsPerOperation,
        Self::Milliseconds,
        Self::RequestsPerSecond,
        Self::CpuMicrosecondsPerRequest,
        Self::SleepsPerRequest,
        Self::MedianMicrosecondsLate,
        Self::WorstMicrosecondsLate,
        Self::CpuMicrosecondsPerTimer,
        Self::BytesPerTimer,
        Self::MedianMicroseconds,
        Self::WorstMicroseconds,
        Self::BytesPerTask,
    ];

    /// Names the metric in result lines and files.
    pub fn key(self) -> &'static str {
        match self {
            Self::NanosecondsPerOperation => "ns_per_operation",
            Self::Milliseconds => "ms",
            Self::RequestsPerSecond => "requests_per_second",
            Self::CpuMicrosecondsPerRequest => "cpu_us_per_request",
            Self::SleepsPerRequest => "sleeps_per_request",
            Self::MedianMicrosecondsLate => "median_us_late",
            Self::WorstMicrosecondsLate => "p99_us_late",
            Self::CpuMicrosecondsPerTimer => "cpu_us_per_timer",
            Self::BytesPerTimer => "bytes_per_timer",
            Self::MedianMicroseconds => "median_us",
            Self::WorstMicroseconds => "p99_us",
            Self::BytesPerTask => "bytes_per_task",
        }
    }

    /// Finds the metric that [`key`](Self::key) names so.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.key() == key)
    }

    /// Names the unit in tables.
    pub fn unit(self) -> &'static str {
        match self {
            Self::NanosecondsPerOperation => "ns",
            Self::Milliseconds => "ms",
            Self::RequestsPerSecond => "requests/s ↑",
            Self::CpuMicrosecondsPerRequest => "CPU µs/request",
            Self::SleepsPerRequest => "sleeps/request",
            Self::MedianMicrosecondsLate => "µs late, median",
            Self::WorstMicrosecondsLate => "µs late, 99 %",
            Self::CpuMicrosecondsPerTimer => "CPU µs/timer",
            Self::BytesPerTimer => "bytes/timer",
            Self::MedianMicroseconds => "µs, median",
            Self::WorstMicroseconds => "µs, 99 %",
            Self::BytesPerTask => "bytes/task",
        }
    }

    /// Answers how many times as dear `ours` is as `theirs`: below 1, ours is better, whatever the direction of the
    /// metric. `None` where a figure is not above zero.
    pub fn cost_ratio(self, ours: f64, theirs: f64) -> Option<f64> {
        let comparable = ours > 0.0 && theirs > 0.0;
        comparable.then(|| match self {
            Self::RequestsPerSecond => theirs / ours,
            _ => ours / theirs,
        })
    }
}

/// One figure of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// What it is a figure of.
    pub metric: Metric,
    /// The figure, in the metric's unit.
    pub value: f64,
}

/// The start of a line that carries a measurement; other lines of a child are not results.
const RESULT: &str = "result";

impl fmt::Display for Measurement {
    /// Writes the line that [`Measurement::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{RESULT} {} {}", self.metric.key(), self.value)
    }
}

impl Measurement {
    /// Reads a line written by `Display`; `None` for any other line and for a figure that is not finite.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        if words.next() != Some(RESULT) {
            return None;
        }
        let metric = Metric::from_key(words.next()?)?;
        let value: f64 = words.next()?.parse().ok()?;
        (value.is_finite() && words.next().is_none()).then_some(Self { metric, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_survives_its_line() {
        for metric in Metric::ALL {
            let measurement = Measurement { metric, value: 512.25 };
            assert_eq!(Measurement::parse(&measurement.to_string()), Some(measurement));
        }
    }

    #[test]
    fn other_lines_are_not_results() {
        for line in [
            "",
            "result",
            "result ns_per_operation",
            "result ns_per_operation NaN",
            "result speed 1",
            "result ns_per_operation 1 2",
            "ns_per_operation 1",
        ] {
            assert_eq!(Measurement::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_ratio_below_one_is_better_in_both_directions() {
        assert_eq!(Metric::NanosecondsPerOperation.cost_ratio(100.0, 200.0), Some(0.5));
        assert_eq!(Metric::RequestsPerSecond.cost_ratio(200.0, 100.0), Some(0.5));
    }

    #[test]
    fn nothing_is_compared_with_zero() {
        assert_eq!(Metric::SleepsPerRequest.cost_ratio(1.0, 0.0), None);
        assert_eq!(Metric::SleepsPerRequest.cost_ratio(0.0, 1.0), None);
    }
}
