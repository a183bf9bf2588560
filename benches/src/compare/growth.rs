//! The growth of cost: the same work on more processors, with more tasks, over more connections.

use super::Work;
use crate::harness::Report;
use crate::picture::Head;
use crate::picture::curves::{self, Curve, Panel, Point, Spacing};
use crate::plan::Plan;
use crate::workloads::{self, About};

/// A quantity that grows.
struct Axis {
    name: &'static str,
    /// More processors than most machines have cores: that, too, must not be dear.
    values: &'static [usize],
    workloads: &'static [&'static str],
    plan: fn(&About, &Plan, usize) -> Plan,
}

const AXES: [Axis; 3] = [
    Axis {
        name: "processors",
        values: &[1, 2, 4, 8],
        workloads: &["spawn_inside", "spawn_await", "yield", "ping_pong", "fork_join", "token"],
        plan: |_, common, workers| Plan { workers, ..common.clone() },
    },
    Axis {
        name: "tasks",
        values: &[100, 1_000, 10_000, 100_000, 1_000_000],
        workloads: &["spawn_inside", "ping_pong", "fork_join", "parked"],
        plan: with_tasks,
    },
    Axis {
        name: "connections",
        values: &[1, 10, 100, 1_000],
        workloads: &[workloads::ECHO],
        plan: |_, common, connections| Plan { connections, ..common.clone() },
    },
];

/// The most rounds of a case: few tasks are measured often, up to this.
const MOST_ROUNDS: usize = 1_000;

/// A size with as many rounds as make the usual number of operations.
fn with_tasks(about: &About, common: &Plan, size: usize) -> Plan {
    let usual = about.size * about.rounds as usize;
    let rounds = (usual / size).clamp(1, MOST_ROUNDS) as u32;
    Plan {
        size: Some(size),
        iterations: common.iterations.or(Some(rounds)),
        warm_up: common.warm_up.or(Some((rounds / 4).max(1))),
        ..common.clone()
    }
}

/// Returns the work of all axes, for those workloads that are `wanted`.
pub(super) fn works(common: &Plan, wanted: impl Fn(&About) -> bool) -> Vec<Work> {
    let all = workloads::all();
    let mut works = Vec::new();
    for axis in &AXES {
        for about in axis.workloads.iter().filter_map(|name| all.iter().find(|about| about.name == *name)) {
            if wanted(about) {
                works.extend(axis.values.iter().map(|&value| work(axis, about, common, value)));
            }
        }
    }
    works
}

fn work(axis: &Axis, about: &About, common: &Plan, value: usize) -> Work {
    Work { label: label(axis, about.name, value), about: *about, plan: (axis.plan)(about, common, value) }
}

fn label(axis: &Axis, workload: &str, value: usize) -> String {
    format!("{workload}/{} {}", value, axis.name)
}

/// Draws a panel for each workload and axis of which there is a case.
pub(super) fn svg(report: &Report) -> String {
    let head = Head {
        title: "How cost grows",
        about: "Both axes are logarithmic. Medians, with a line from quartile to quartile; lower is better but for ↑.",
        note: "",
    };
    let panels: Vec<_> = AXES
        .iter()
        .flat_map(|axis| axis.workloads.iter().flat_map(|workload| panels(axis, workload, report)))
        .collect();
    curves::svg(head, &panels)
}

/// A panel for each metric of `workload`.
fn panels(axis: &Axis, workload: &str, report: &Report) -> Vec<Panel> {
    let Some(first) = axis.values.iter().find_map(|&value| report.line(&label(axis, workload, value))) else {
        return Vec::new();
    };
    let panel = |metric| {
        let point = |runtime: &str, value: usize| {
            let line = report.line(&label(axis, workload, value))?;
            report.summary(line, metric, runtime).map(|summary| Point { x: value as f64, summary })
        };
        let curve = |runtime: &String| Curve {
            name: runtime.clone(),
            points: axis.values.iter().filter_map(|&value| point(runtime, value)).collect(),
        };
        Panel {
            title: format!("{workload}, {}, by {}", metric.unit(), axis.name),
            ticks: axis.values.iter().map(|&value| value as f64).collect(),
            across: Spacing::Logarithmic,
            curves: report.subjects().iter().map(curve).collect(),
        }
    };
    report.rows_of(first).into_iter().map(|row| panel(row.metric)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn every_axis_has_all_its_workloads_and_values() {
        let works = works(&Plan::usual(PathBuf::new()), |_| true);
        let expected: usize = AXES.iter().map(|axis| axis.values.len() * axis.workloads.len()).sum();
        assert_eq!(works.len(), expected, "a workload of an axis does not exist");
    }

    #[test]
    fn the_value_of_the_axis_is_in_the_plan() {
        let works = works(&Plan::usual(PathBuf::new()), |_| true);
        let plan = |label: &str| &works.iter().find(|work| work.label == label).unwrap().plan;
        assert_eq!(plan("token/8 processors").workers, 8);
        assert_eq!(plan("echo_tcp/1000 connections").connections, 1000);
        let many = plan("spawn_inside/1000000 tasks");
        assert_eq!((many.size, many.iterations), (Some(1_000_000), Some(1)));
        assert_eq!(plan("spawn_inside/100 tasks").iterations, Some(1_000));
    }
}
