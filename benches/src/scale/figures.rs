//! The figures of one run.

use std::time::Duration;

use wsrt::runtime::{Builder, ProcessorMetrics};
use wsrt::sim::{Costs, Sim};
use wsrt::time::{Instant, sleep};

use super::workloads::{Waits, Workload};
use crate::measure::quantile;

/// The figures of a workload on so many processors.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    /// The least time it could take, as a share of the time that it took.
    pub(super) efficiency: f64,
    /// The share of the processors' time in which tasks computed.
    pub(super) utilisation: f64,
    pub(super) tasks: usize,
    /// Successful steals a task.
    pub(super) steals: f64,
    /// Processors taken up from among the idle, a task.
    pub(super) wakes: f64,
    /// Of these, the share after which the processor polled nothing.
    pub(super) useless: f64,
    /// Waits, in microseconds.
    pub(super) median: f64,
    pub(super) p99: f64,
    pub(super) worst: f64,
}

impl Figures {
    pub(super) const HEAD: &str = "\
| workload | processors | tasks | of the ideal | busy | steals a task | wakes a task | useless | wait p50 µs | p99 | worst |\n\
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

    /// Runs `workload` on so many simulated processors.
    pub(super) fn of(workload: &Workload, processors: usize, seed: u64, costs: Costs) -> Self {
        let mut builder = Builder::new_simulated(seed);
        let runtime = builder.simulated_costs(costs).worker_threads(processors).build().expect("it is one thread");
        let waits = Waits::default();
        let all = waits.clone();
        let run = workload.run;
        let (ran, elapsed, ideal) = runtime.run(async move {
            // All threads have started then, and sleep.
            sleep(Duration::from_millis(20)).await;
            let (before, began) = (Snapshot::take(), Instant::now());
            let ideal = run(processors, waits).await;
            let elapsed = began.elapsed();
            (Snapshot::take().since(&before), elapsed, ideal)
        });
        ran.figures(processors, elapsed, ideal, &all.sorted())
    }

    pub(super) fn row(&self, workload: &str, processors: usize) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let figures = [
            percent(self.efficiency),
            percent(self.utilisation),
            format!("{:.2}", self.steals),
            format!("{:.2}", self.wakes),
            percent(self.useless),
            format!("{:.1}", self.median),
            format!("{:.1}", self.p99),
            format!("{:.1}", self.worst),
        ];
        format!("| {workload} | {processors} | {} | {} |", self.tasks, figures.join(" | "))
    }
}

/// Everything that was counted until a moment.
struct Snapshot {
    computed: Duration,
    steals: u64,
    wakes: u64,
    parks: u64,
    useless: u64,
}

impl Snapshot {
    fn take() -> Self {
        let metrics = wsrt::runtime::Handle::current().metrics().snapshot();
        let total = |count: fn(&ProcessorMetrics) -> u64| metrics.processors().iter().map(count).sum();
        Self {
            computed: Sim::current().computed(),
            steals: total(ProcessorMetrics::steal_operations),
            wakes: total(ProcessorMetrics::wake_count),
            parks: total(ProcessorMetrics::park_count),
            useless: total(ProcessorMetrics::noop_count),
        }
    }

    fn since(self, before: &Self) -> Self {
        Self {
            computed: self.computed - before.computed,
            steals: self.steals - before.steals,
            wakes: self.wakes - before.wakes,
            parks: self.parks - before.parks,
            useless: self.useless - before.useless,
        }
    }

    fn figures(&self, processors: usize, elapsed: Duration, ideal: Duration, waits: &[u64]) -> Figures {
        let micros: Vec<f64> = waits.iter().map(|wait| *wait as f64 / 1_000.0).collect();
        let tasks = waits.len();
        let a_task = |count: u64| count as f64 / tasks as f64;
        Figures {
            efficiency: ideal.as_secs_f64() / elapsed.as_secs_f64(),
            utilisation: self.computed.as_secs_f64() / (elapsed.as_secs_f64() * processors as f64),
            tasks,
            steals: a_task(self.steals),
            wakes: a_task(self.wakes),
            useless: self.useless as f64 / self.parks.max(1) as f64,
            median: quantile(&micros, 0.5),
            p99: quantile(&micros, 0.99),
            worst: micros.last().copied().unwrap_or(0.0),
        }
    }
}
