//! Sums and differences of what was counted.

use std::panic::Location;

use super::processor::Counts;
use super::{Arrivals, Metrics, PollSources, ProcessorMetrics, Steals};

impl Metrics {
    /// Returns what was counted between `earlier`, a snapshot of the same runtime, and this one.
    /// Gauges are those of this one.
    ///
    /// Of snapshots the wrong way round, and of different runtimes, the counters say nothing; where
    /// they would be less than zero they are zero.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let none = ProcessorMetrics::default();
        let before = earlier.processors.iter().chain(std::iter::repeat(&none));
        Self {
            elapsed: self.elapsed.saturating_sub(earlier.elapsed),
            processors: self.processors.iter().zip(before).map(|(now, before)| now.since(before)).collect(),
            elsewhere: self.elsewhere.since(&earlier.elsewhere),
            stalls: self.stalls.saturating_sub(earlier.stalls),
            stalls_by_site: sites_since(&self.stalls_by_site, &earlier.stalls_by_site),
            gauges: self.gauges,
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
            counts: self.counts.combine(&earlier.counts, u64::saturating_sub, Arrivals::since),
            schedule_latency: self.schedule_latency.since(&earlier.schedule_latency),
            poll_time: self.poll_time.since(&earlier.poll_time),
            ..*self
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.counts = self.counts.combine(&other.counts, u64::saturating_add, Arrivals::plus);
        self.queue += other.queue;
        self.timers += other.timers;
        self.schedule_latency.add(&other.schedule_latency);
        self.poll_time.add(&other.poll_time);
    }
}

impl Counts {
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64, arrivals: fn(&Arrivals, &Arrivals) -> Arrivals) -> Self {
        Self {
            polls: self.polls.combine(&other.polls, f),
            steals: combine_rows(&self.steals, &other.steals, f),
            parks: f(self.parks, other.parks),
            wakes: f(self.wakes, other.wakes),
            noops: f(self.noops, other.noops),
            overflows: f(self.overflows, other.overflows),
            arrivals: arrivals(&self.arrivals, &other.arrivals),
        }
    }
}

/// Victim by victim; a row without a place for a victim has nothing of it.
fn combine_rows(one: &[Steals], other: &[Steals], f: fn(u64, u64) -> u64) -> Vec<Steals> {
    let at = |row: &[Steals], victim: usize| row.get(victim).copied().unwrap_or_default();
    let combine = |victim| {
        let (one, other) = (at(one, victim), at(other, victim));
        Steals { operations: f(one.operations, other.operations), tasks: f(one.tasks, other.tasks) }
    };
    (0..one.len().max(other.len())).map(combine).collect()
}

impl PollSources {
    fn combine(&self, other: &Self, f: fn(u64, u64) -> u64) -> Self {
        Self {
            runnext: f(self.runnext, other.runnext),
            ring: f(self.ring, other.ring),
            injector: f(self.injector, other.injector),
            network: f(self.network, other.network),
            timer: f(self.timer, other.timer),
            stolen: f(self.stolen, other.stolen),
        }
    }
}

impl Arrivals {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            turns: self.turns.saturating_sub(earlier.turns),
            events: self.events.saturating_sub(earlier.events),
            timers: self.timers.saturating_sub(earlier.timers),
            timer_lateness: self.timer_lateness.saturating_sub(earlier.timer_lateness),
            timer_lateness_max: self.timer_lateness_max,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            turns: self.turns + other.turns,
            events: self.events + other.events,
            timers: self.timers + other.timers,
            timer_lateness: self.timer_lateness.saturating_add(other.timer_lateness),
            timer_lateness_max: self.timer_lateness_max.max(other.timer_lateness_max),
        }
    }
}
