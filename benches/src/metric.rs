//! The kinds of figures: the unit of each, its name in files, and which direction is better.

/// A kind of figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    key: &'static str,
    unit: &'static str,
    /// Whether more is better.
    is_rate: bool,
    /// Digits after the point; `None` for about three digits that matter.
    digits: Option<usize>,
}

impl Metric {
    /// Wall-clock nanoseconds for one operation.
    pub const NANOSECONDS_PER_OPERATION: Self = Self::named("ns_per_operation", "ns");
    /// Wall-clock milliseconds for the whole workload.
    pub const MILLISECONDS: Self = Self::named("ms", "ms");
    /// Requests answered in one second of wall-clock time.
    pub const REQUESTS_PER_SECOND: Self =
        Self { is_rate: true, ..Self::named("requests_per_second", "requests/s ↑") };
    /// Microseconds of processor time, user and system, of the server process alone for one
    /// request.
    pub const CPU_MICROSECONDS_PER_REQUEST: Self = Self::named("cpu_us_per_request", "CPU µs/request");
    /// Megabytes (10^6 bytes) copied in one second of wall-clock time.
    pub const MEGABYTES_PER_SECOND: Self = Self { is_rate: true, ..Self::named("mb_per_second", "MB/s ↑") };
    /// Milliseconds of processor time, user and system, of the proxy alone for 10^9 bytes.
    pub const CPU_MILLISECONDS_PER_GIGABYTE: Self = Self::named("cpu_ms_per_gb", "CPU ms/GB");
    /// Milliseconds of processor time, user and system, of the whole process in one second.
    pub const CPU_MILLISECONDS_PER_SECOND: Self = Self::named("cpu_ms_per_second", "CPU ms/s");
    /// How often a thread of the process went to sleep in one second.
    pub const SLEEPS_PER_SECOND: Self = Self::named("sleeps_per_second", "sleeps/s");
    /// How often a thread of the server process went to sleep for one request.
    pub const SLEEPS_PER_REQUEST: Self = Self::named("sleeps_per_request", "sleeps/request");
    /// Microseconds from a timer's deadline to the poll of its task: half of the timers were later.
    pub const MEDIAN_MICROSECONDS_LATE: Self = Self::named("median_us_late", "µs late, median");
    /// Microseconds from a timer's deadline to the poll of its task: one in a hundred was later.
    pub const WORST_MICROSECONDS_LATE: Self = Self::named("p99_us_late", "µs late, 99 %");
    /// Microseconds of processor time, user and system, of the whole process for one timer.
    pub const CPU_MICROSECONDS_PER_TIMER: Self = Self::named("cpu_us_per_timer", "CPU µs/timer");
    /// Bytes by which the process has grown for each timer that is armed.
    pub const BYTES_PER_TIMER: Self = Self::named("bytes_per_timer", "bytes/timer");
    /// Microseconds from a request to its answer: half of them took longer.
    pub const MEDIAN_MICROSECONDS: Self = Self::named("median_us", "µs, median");
    /// Microseconds from a request to its answer: one in a hundred took longer.
    pub const WORST_MICROSECONDS: Self = Self::named("p99_us", "µs, 99 %");
    /// Microseconds from a request to its answer: one in a thousand took longer.
    pub const WORST_OF_A_THOUSAND: Self = Self::named("p999_us", "µs, 99.9 %");
    /// Bytes by which the process has grown for each task that waits.
    pub const BYTES_PER_TASK: Self = Self::named("bytes_per_task", "bytes/task");

    /// Bytes by which the process has grown for each channel or lock that nothing uses.
    pub const BYTES_IDLE: Self = Self::named("bytes_idle", "bytes");

    /// The metrics of the workloads, which are found by their keys.
    pub(crate) const ALL: [Self; 18] = [
        Self::NANOSECONDS_PER_OPERATION,
        Self::MILLISECONDS,
        Self::REQUESTS_PER_SECOND,
        Self::CPU_MICROSECONDS_PER_REQUEST,
        Self::MEGABYTES_PER_SECOND,
        Self::CPU_MILLISECONDS_PER_GIGABYTE,
        Self::SLEEPS_PER_REQUEST,
        Self::CPU_MILLISECONDS_PER_SECOND,
        Self::SLEEPS_PER_SECOND,
        Self::MEDIAN_MICROSECONDS_LATE,
        Self::WORST_MICROSECONDS_LATE,
        Self::CPU_MICROSECONDS_PER_TIMER,
        Self::BYTES_PER_TIMER,
        Self::MEDIAN_MICROSECONDS,
        Self::WORST_MICROSECONDS,
        Self::WORST_OF_A_THOUSAND,
        Self::BYTES_PER_TASK,
        Self::BYTES_IDLE,
    ];

    pub(crate) const fn named(key: &'static str, unit: &'static str) -> Self {
        Self { key, unit, is_rate: false, digits: None }
    }

    pub(crate) const fn digits(self, digits: usize) -> Self {
        Self { digits: Some(digits), ..self }
    }

    /// Makes a figure of this kind.
    pub(crate) const fn of(self, value: f64) -> Measurement {
        Measurement { metric: self, value }
    }

    /// Returns the metric's name in result lines and files.
    pub fn key(self) -> &'static str {
        self.key
    }

    /// Finds the metric of the workloads with this key.
    pub(crate) fn find(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.key == key)
    }

    /// Returns the name of the unit in tables.
    pub(crate) fn unit(self) -> &'static str {
        self.unit
    }

    /// Writes a figure for a table.
    pub(crate) fn show(self, value: f64) -> String {
        let digits = self.digits.unwrap_or(match value.abs() {
            small if small < 10.0 => 2,
            medium if medium < 100.0 => 1,
            _ => 0,
        });
        format!("{value:.digits$}")
    }

    /// Returns how many times as dear `ours` is as `theirs`: below 1, ours is better, whatever the
    /// direction of the metric. `None` where a figure is not above zero.
    pub(crate) fn cost_ratio(self, ours: f64, theirs: f64) -> Option<f64> {
        let comparable = ours > 0.0 && theirs > 0.0;
        comparable.then(|| if self.is_rate { theirs / ours } else { ours / theirs })
    }
}

/// One figure of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// The kind of figure.
    pub metric: Metric,
    /// The figure, in the metric's unit.
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_below_one_is_better_in_both_directions() {
        assert_eq!(Metric::NANOSECONDS_PER_OPERATION.cost_ratio(100.0, 200.0), Some(0.5));
        assert_eq!(Metric::REQUESTS_PER_SECOND.cost_ratio(200.0, 100.0), Some(0.5));
    }

    #[test]
    fn nothing_is_compared_with_zero() {
        assert_eq!(Metric::SLEEPS_PER_REQUEST.cost_ratio(1.0, 0.0), None);
        assert_eq!(Metric::SLEEPS_PER_REQUEST.cost_ratio(0.0, 1.0), None);
    }
}
