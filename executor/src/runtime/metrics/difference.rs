//! Sums and differences of metrics.

use std::panic::Location;
use std::time::Duration;

use super::processor::Counts;
use super::{Arrivals, Metrics, ProcessorMetrics, Steals};

impl Metrics {
    /// Returns the counts between the `earlier` snapshot of the same runtime and this snapshot.
    /// Gauges are this snapshot's.
    ///
    /// If the snapshots are in the wrong order, or belong to different runtimes, the counters of
    /// the result are unspecified. A counter that would be negative is zero.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let none = ProcessorMetrics::default();
        let before = earlier.processors.iter().chain(std::iter::repeat(&none));
        Self {
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
            processors: self.processors.iter().zip(before).map(|(now, before)| now.since(before)).collect(),
            elsewhere: self.elsewhere.combine(&earlier.elsewhere, u64::saturating_sub),
            stalls: self.stalls.saturating_sub(earlier.stalls),
            stalls_by_site: sites_since(&self.stalls_by_site, &earlier.stalls_by_site),
            rescues: self.rescues.saturating_sub(earlier.rescues),
            unexplained_rescues: self.unexplained_rescues.saturating_sub(earlier.unexplained_rescues),
            spawns: self.spawns.saturating_sub(earlier.spawns),
            blocking_jobs: self.blocking_jobs.saturating_sub(earlier.blocking_jobs),
            blocking_wait: self.blocking_wait.saturating_sub(earlier.blocking_wait),
            ..*self
        }
    }
}

type Sites = [(&'static Location<'static>, u64)];

fn sites_since(now: &Sites, before: &Sites) -> Vec<(&'static Location<'static>, u64)> {
    let count_before = |site| before.iter().find(|(other, _)| *other == site).map_or(0, |(_, count)| *count);
    let grown = now.iter().map(|&(site, count)| (site, count.saturating_sub(count_before(site))));
    let mut grown: Vec<_> = grown.filter(|(_, count)| *count > 0).collect();
    grown.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    grown
}

impl ProcessorMetrics {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            counts: self.counts.combine(&earlier.counts, u64::saturating_sub),
            busy: self.busy.saturating_sub(earlier.busy),
            schedule_latency: self.schedule_latency.since(&earlier.schedule_latency),
            poll_time: self.poll_time.since(&earlier.poll_time),
            ..*self
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        let latest = self.counts.arrivals.timer_lateness_max.max(other.counts.arrivals.timer_lateness_max);
        self.counts = self.counts.combine(&other.counts, u64::saturating_add);
        self.counts.arrivals.timer_lateness_max = latest;
        self.busy += other.busy;
        self.queue += other.queue;
        self.timers += other.timers;
        self.schedule_latency.add(&other.schedule_latency);
        self.poll_time.add(&other.poll_time);
    }
}

impl Counts {
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64) -> Self {
        Self {
            polls: std::array::from_fn(|kind| f(self.polls[kind], other.polls[kind])),
            steals: combine_rows(&self.steals, &other.steals, f),
            parks: f(self.parks, other.parks),
            wakes: f(self.wakes, other.wakes),
            noops: f(self.noops, other.noops),
            overflows: f(self.overflows, other.overflows),
            arrivals: self.arrivals.combine(&other.arrivals, f),
        }
    }
}

/// Combines victim by victim; a row that ends before a victim counts zero for it.
fn combine_rows(one: &[Steals], other: &[Steals], f: fn(u64, u64) -> u64) -> Vec<Steals> {
    let at = |row: &[Steals], victim: usize| row.get(victim).copied().unwrap_or_default();
    let combine = |victim| {
        let (one, other) = (at(one, victim), at(other, victim));
        Steals { operations: f(one.operations, other.operations), tasks: f(one.tasks, other.tasks) }
    };
    (0..one.len().max(other.len())).map(combine).collect()
}

impl Arrivals {
    /// Combines all but the maximum, which is taken from `self`.
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64) -> Self {
        Self {
            turns: f(self.turns, other.turns),
            events: f(self.events, other.events),
            timers: f(self.timers, other.timers),
            timer_lateness: Duration::from_nanos(f(self.lateness_nanos(), other.lateness_nanos())),
            timer_lateness_max: self.timer_lateness_max,
        }
    }

    /// Returns `timer_lateness` in nanoseconds, which are counted in 64 bits.
    fn lateness_nanos(&self) -> u64 {
        u64::try_from(self.timer_lateness.as_nanos()).unwrap_or(u64::MAX)
    }
}
