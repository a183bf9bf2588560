//! The chart: a panel for each line of the table, a bar for each runtime, beside the best rival.

use crate::measure::Summary;
use crate::metric::Metric;
use crate::picture::Head;
use crate::picture::bars::{self, Bar, Panel};
use crate::report::{Report, figure};
use crate::runtimes::SUBJECT;

/// Draws what `report` tells.
pub(super) fn svg(report: &Report, workers: usize) -> String {
    let title = format!("wsrt and its rivals, {workers} workers");
    let head = Head {
        title: &title,
        about: "Cost beside the best rival's: shorter is better; the median, with a line from quartile to quartile, and the \
                figure itself.",
        note: "dashed: the best rival",
    };
    let panels: Vec<_> = report.lines().into_iter().map(|(case, metric)| panel(report, &case, metric)).collect();
    bars::svg(head, [0.0, 0.5, 1.0, 1.5, 2.0], &panels)
}

fn panel(report: &Report, case: &str, metric: Metric) -> Panel {
    let best = report.best_rival(case, metric);
    let bar = |runtime: &String| {
        let summary = report.summary(case, metric, runtime).filter(|_| !report.has_failed(case, runtime));
        let cost = summary.and_then(|summary| Some((beside(metric, summary, best?), figure(summary.median))));
        Bar { name: runtime.clone(), ours: runtime == SUBJECT, figure: cost }
    };
    let bars = report.runtimes().iter().map(bar).collect();
    Panel { title: format!("{case}, {}", metric.unit()), bars, dashed: best.map(|_| 1.0) }
}

/// `summary` as a multiple of what `best` costs. A rate's quartiles change places.
fn beside(metric: Metric, summary: Summary, best: f64) -> Summary {
    let cost = |value: f64| metric.cost_ratio(value, best).unwrap_or(0.0);
    let (one, other) = (cost(summary.low_quartile), cost(summary.high_quartile));
    Summary {
        minimum: cost(summary.minimum),
        low_quartile: one.min(other),
        median: cost(summary.median),
        high_quartile: one.max(other),
        maximum: cost(summary.maximum),
        ..summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_twice_the_best_is_half_the_bar() {
        let summary = Summary::of(&[150.0, 200.0, 300.0]).unwrap();
        let bar = beside(Metric::RequestsPerSecond, summary, 100.0);
        assert_eq!(bar.median, 0.5);
        assert!(bar.low_quartile < bar.median && bar.median < bar.high_quartile);
        assert_eq!(beside(Metric::NanosecondsPerOperation, summary, 100.0).median, 2.0);
    }
}
