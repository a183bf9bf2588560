//! The polls of each spawn site, as values.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::panic::Location;
use std::time::Duration;

use super::LatencyHistogram;
use crate::observe::sites::SiteRecords;

/// The polls of all tasks that one place has spawned, returned by
/// [`Metrics::polls_by_site`](super::Metrics::polls_by_site).
#[derive(Debug, Clone)]
pub struct SitePolls {
    spawned_at: &'static Location<'static>,
    poll_time: LatencyHistogram,
    longest: Duration,
}

impl SitePolls {
    /// Reads the records, the place whose polls have taken the most time first.
    pub(super) fn read(records: &SiteRecords) -> Vec<Self> {
        let mut sites: BTreeMap<&'static Location<'static>, Self> = BTreeMap::new();
        records.for_each(|record| {
            let spawned_at = record.spawned_at;
            let none = || Self { spawned_at, poll_time: LatencyHistogram::default(), longest: Duration::ZERO };
            let site = sites.entry(spawned_at).or_insert_with(none);
            site.poll_time.add(&LatencyHistogram::read(&record.polls));
            site.longest = site.longest.max(Duration::from_nanos(record.longest));
        });
        Self::longest_first(sites.into_values().collect())
    }

    /// Returns the polls since `earlier`, without the places that had none.
    pub(super) fn since(now: &[Self], earlier: &[Self]) -> Vec<Self> {
        let before: BTreeMap<_, _> = earlier.iter().map(|site| (site.spawned_at, &site.poll_time)).collect();
        let grown = now.iter().map(|site| {
            let before = before.get(site.spawned_at);
            let poll_time = before.map_or_else(|| site.poll_time.clone(), |before| site.poll_time.since(before));
            Self { poll_time, ..*site }
        });
        Self::longest_first(grown.filter(|site| site.poll_time.count() > 0).collect())
    }

    fn longest_first(mut sites: Vec<Self>) -> Vec<Self> {
        sites.sort_by_key(|site| Reverse(site.poll_time.sum()));
        sites
    }

    /// Returns the source location that spawned the tasks.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.spawned_at
    }

    /// Returns the durations of the polls: their count, their sum and their distribution.
    pub fn poll_time(&self) -> &LatencyHistogram {
        &self.poll_time
    }

    /// Returns the duration of the longest poll since measuring began. A difference of two
    /// snapshots has the same maximum.
    pub fn longest_poll(&self) -> Duration {
        self.longest
    }
}
