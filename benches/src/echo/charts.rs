//! The two charts: processor time by connections, latency by load.

use crate::child::BARE;
use crate::harness::Report;
use crate::metric::Metric;
use crate::picture::Head;
use crate::picture::curves::{self, Curve, Panel, Point, Spacing};

/// Names the line of so many connections.
pub(super) fn connections(number: usize) -> String {
    format!("connections/{number}")
}

/// Names the line of this share of the capacity.
pub(super) fn load(percent: usize) -> String {
    format!("load/{percent} %")
}

/// Draws processor time and requests a second over the connections.
pub(super) fn by_connections(report: &Report, numbers: &[usize]) -> String {
    let head = Head {
        title: "Echo servers by connections",
        about: "Each connection with its next request as soon as the last is answered; the processor time is the server's. \
                Both axes are logarithmic.",
        note: "medians, with a line from quartile to quartile; lower is better but for ↑",
    };
    let across = ("connections", Spacing::Logarithmic);
    let panel = |metric: Metric| panel(report, metric, across, numbers, connections);
    curves::svg(head, &[Metric::CPU_MICROSECONDS_PER_REQUEST, Metric::REQUESTS_PER_SECOND].map(panel))
}

/// Draws latencies and processor time over the load.
pub(super) fn by_load(report: &Report, percents: &[usize]) -> String {
    let head = Head {
        title: "Echo servers by load",
        about: "Requests due at fixed moments over 64 connections; latencies from the moment when a request was due. The \
                upward axis is logarithmic.",
        note: "medians, with a line from quartile to quartile; lower is better",
    };
    let across = ("percent of the capacity", Spacing::Linear);
    let panel = |metric: Metric| panel(report, metric, across, percents, load);
    let metrics = [
        Metric::WORST_MICROSECONDS,
        Metric::MEDIAN_MICROSECONDS,
        Metric::WORST_OF_A_THOUSAND,
        Metric::CPU_MICROSECONDS_PER_REQUEST,
    ];
    curves::svg(head, &metrics.map(panel))
}

/// A panel of `values` on an axis of this name and spacing.
fn panel(
    report: &Report,
    metric: Metric,
    (by, across): (&str, Spacing),
    values: &[usize],
    name: fn(usize) -> String,
) -> Panel {
    Panel {
        title: format!("{}, by {by}", metric.unit()),
        ticks: values.iter().map(|&value| value as f64).collect(),
        across,
        curves: curves(report, metric, values, name),
    }
}

fn curves(report: &Report, metric: Metric, values: &[usize], name: fn(usize) -> String) -> Vec<Curve> {
    let point = |subject: &str, value: usize| {
        let summary = report.summary(report.line(&name(value))?, metric, subject)?;
        Some(Point { x: value as f64, summary })
    };
    let subjects = report.subjects().iter().map(String::as_str).chain([BARE]);
    let curve = |subject: &str| Curve {
        name: subject.to_owned(),
        points: values.iter().filter_map(|&value| point(subject, value)).collect(),
    };
    subjects.map(curve).collect()
}
