//! The figures of one run.

use std::time::Duration;

use wsrt::runtime::{Builder, ProcessorMetrics};
use wsrt::sim::{Costs, Sim, Spent, Work};
use wsrt::time::{Instant, sleep};

use super::workloads::{Waits, Workload};
use crate::measure::quantile;

/// The kinds of work that thieves do.
const SEARCH: [Work; 4] = [Work::Skip, Work::Visit, Work::StolenTask, Work::Watch];
/// Those at the places that all share.
const IDLE: [Work; 3] = [Work::IdleWord, Work::IdleList, Work::IdlePosition];
const INJECTOR: [Work; 3] = [Work::Inject, Work::TakeInjected, Work::InjectedTask];
const NETPOLL: [Work; 2] = [Work::Netpoll, Work::Event];

/// The figures of a workload on so many processors.
#[derive(Clone, Debug)]
pub(super) struct Figures {
    /// The least time it could take, as a share of the time that it took.
    pub(super) efficiency: f64,
    /// The share of the processors' time in which tasks computed.
    pub(super) utilisation: f64,
    pub(super) tasks: usize,
    /// Successful steals a task, and looks at busy processors in vain.
    pub(super) steals: f64,
    pub(super) failed: f64,
    pub(super) wakes: f64,
    /// Of these, the share after which the processor polled nothing.
    pub(super) useless: f64,
    /// Waits, in microseconds.
    pub(super) median: f64,
    pub(super) p99: f64,
    pub(super) worst: f64,
    /// The shares of the processors' time that the scheduler's work took: by thieves, at the list
    /// and the word of the idle, at the injector, in the netpoller.
    pub(super) search: f64,
    pub(super) idle: f64,
    pub(super) injector: f64,
    pub(super) netpoll: f64,
    /// Of the run's time, the share in which one processor or another was at the list and the word
    /// of the idle, and in the netpoller.
    pub(super) list_in_use: f64,
    pub(super) netpoll_in_use: f64,
}

impl Figures {
    pub(super) const HEAD: &str = "\
| workload | processors | tasks | of the ideal | busy | steals a task | looks in vain a task | wakes a task | useless | wait p50 µs | p99 | worst | \
searching | idle list | injector | netpoll | list in use | netpoll in use |\n\
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

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
            format!("{:.1}", self.failed),
            format!("{:.2}", self.wakes),
            percent(self.useless),
            format!("{:.1}", self.median),
            format!("{:.1}", self.p99),
            format!("{:.1}", self.worst),
            percent(self.search),
            percent(self.idle),
            percent(self.injector),
            percent(self.netpoll),
            percent(self.list_in_use),
            percent(self.netpoll_in_use),
        ];
        format!("| {workload} | {processors} | {} | {} |", self.tasks, figures.join(" | "))
    }
}

/// Everything that was counted until a moment.
struct Snapshot {
    computed: Duration,
    steals: u64,
    parks: u64,
    useless: u64,
    visits: u64,
    wakes: u64,
    search: u64,
    idle: u64,
    idle_waited: u64,
    injector: u64,
    netpoll: u64,
    netpoll_waited: u64,
}

impl Snapshot {
    fn take() -> Self {
        let sim = Sim::current();
        let metrics = wsrt::runtime::Handle::current().metrics().snapshot();
        let total = |count: fn(&ProcessorMetrics) -> u64| metrics.processors().iter().map(count).sum();
        let nanos = |works: &[Work], part: fn(Spent) -> u64| works.iter().map(|work| part(sim.spent(*work))).sum();
        Self {
            computed: sim.computed(),
            steals: total(ProcessorMetrics::steal_operations),
            parks: total(ProcessorMetrics::park_count),
            useless: total(ProcessorMetrics::noop_count),
            visits: sim.spent(Work::Visit).count,
            wakes: sim.spent(Work::Wake).count,
            search: nanos(&SEARCH, |spent| spent.nanos),
            idle: nanos(&IDLE, |spent| spent.nanos),
            idle_waited: nanos(&IDLE, |spent| spent.waited),
            injector: nanos(&INJECTOR, |spent| spent.nanos),
            netpoll: nanos(&NETPOLL, |spent| spent.nanos),
            netpoll_waited: nanos(&NETPOLL, |spent| spent.waited),
        }
    }

    fn since(self, before: &Self) -> Self {
        Self {
            computed: self.computed - before.computed,
            steals: self.steals - before.steals,
            parks: self.parks - before.parks,
            useless: self.useless - before.useless,
            visits: self.visits - before.visits,
            wakes: self.wakes - before.wakes,
            search: self.search - before.search,
            idle: self.idle - before.idle,
            idle_waited: self.idle_waited - before.idle_waited,
            injector: self.injector - before.injector,
            netpoll: self.netpoll - before.netpoll,
            netpoll_waited: self.netpoll_waited - before.netpoll_waited,
        }
    }

    fn figures(&self, processors: usize, elapsed: Duration, ideal: Duration, waits: &[u64]) -> Figures {
        let micros: Vec<f64> = waits.iter().map(|wait| *wait as f64 / 1_000.0).collect();
        let tasks = waits.len();
        let a_task = |count: u64| count as f64 / tasks as f64;
        let all_time = elapsed.as_nanos() as f64 * processors as f64;
        let share = |nanos: u64| nanos as f64 / all_time;
        let in_use = |nanos: u64, waited: u64| (nanos - waited) as f64 / elapsed.as_nanos() as f64;
        Figures {
            efficiency: ideal.as_secs_f64() / elapsed.as_secs_f64(),
            utilisation: self.computed.as_nanos() as f64 / all_time,
            tasks,
            steals: a_task(self.steals),
            failed: a_task(self.visits.saturating_sub(self.steals)),
            wakes: a_task(self.wakes),
            useless: self.useless as f64 / self.parks.max(1) as f64,
            median: quantile(&micros, 0.5),
            p99: quantile(&micros, 0.99),
            worst: micros.last().copied().unwrap_or(0.0),
            search: share(self.search),
            idle: share(self.idle),
            injector: share(self.injector),
            netpoll: share(self.netpoll),
            list_in_use: in_use(self.idle, self.idle_waited),
            netpoll_in_use: in_use(self.netpoll, self.netpoll_waited),
        }
    }
}
