//! How late timers are, and how much processor time they took.

use std::time::{Duration, Instant};

use crate::Failure;
use crate::measure::quantile;
use crate::metric::{Measurement, Metric};
use crate::usage::Usage;

/// Returns the time since `deadline`.
///
/// # Panics
///
/// Panics if it has not: then a timer was early.
pub(super) fn since(deadline: Instant) -> Duration {
    let now = Instant::now();
    assert!(now >= deadline, "a timer was early by {:?}", deadline - now);
    now - deadline
}

/// Makes figures of the latenesses of all timers and of the use of the process while they ran.
pub(super) fn measurements(late: &[Duration], used: Usage) -> Result<Vec<Measurement>, Failure> {
    let mut figures = quantiles(late)?;
    figures.push(Metric::CPU_MICROSECONDS_PER_TIMER.of(used.cpu.as_secs_f64() * 1e6 / late.len() as f64));
    Ok(figures)
}

/// Makes figures of the latenesses of all timers.
pub(super) fn quantiles(late: &[Duration]) -> Result<Vec<Measurement>, Failure> {
    if late.is_empty() {
        return Err("a measurement of no timers".into());
    }
    let mut micros: Vec<f64> = late.iter().map(|late| late.as_secs_f64() * 1e6).collect();
    micros.sort_by(f64::total_cmp);
    Ok(vec![
        Metric::MEDIAN_MICROSECONDS_LATE.of(quantile(&micros, 0.5)),
        Metric::WORST_MICROSECONDS_LATE.of(quantile(&micros, 0.99)),
    ])
}
