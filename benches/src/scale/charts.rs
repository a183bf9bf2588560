//! The chart: a panel for each figure, a curve for each workload.

use super::figures::Figures;
use super::workloads::WORKLOADS;
use crate::measure::Summary;
use crate::picture::Head;
use crate::picture::curves::{self, Curve, Panel, Point, Spacing};

type Row = (&'static str, usize, Figures);

/// Draws the rows of all workloads over the numbers of processors.
pub(super) fn draw(rows: &[Row], processors: &[usize]) -> String {
    let head = Head {
        title: "The scheduler on simulated processors",
        about: "By the number of processors. Both axes are logarithmic.",
        note: "virtual time, with measured costs; one seed",
    };
    let panels = [
        panel("% of the ideal time", rows, processors, |figures| 100.0 * figures.efficiency),
        panel("99th percentile of the waits, µs", rows, processors, |figures| figures.p99),
        panel("wakes a task", rows, processors, |figures| figures.wakes),
    ];
    curves::svg(head, &panels)
}

fn panel(title: &str, rows: &[Row], processors: &[usize], figure: fn(&Figures) -> f64) -> Panel {
    let point = |row: &Row| {
        let summary = Summary::of(&[figure(&row.2)]).filter(|summary| summary.median > 0.0)?;
        Some(Point { x: row.1 as f64, summary })
    };
    let curve = |name: &'static str| Curve {
        name: name.to_owned(),
        points: rows.iter().filter(|row| row.0 == name).filter_map(point).collect(),
    };
    Panel {
        title: title.to_owned(),
        ticks: processors.iter().map(|&number| number as f64).collect(),
        across: Spacing::Logarithmic,
        curves: WORKLOADS
            .iter()
            .map(|workload| curve(workload.name))
            .filter(|curve| !curve.points.is_empty())
            .collect(),
    }
}
