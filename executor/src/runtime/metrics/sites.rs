//! The polls of each spawn site and of each task name, as values.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use super::LatencyHistogram;
use crate::observe::sites::{PollRecord, SiteRecords};

/// The polls of all tasks that one place has spawned, returned by
/// [`Metrics::polls_by_site`](super::Metrics::polls_by_site).
#[derive(Debug, Clone)]
pub struct SitePolls(PollsOf<&'static Location<'static>>);

/// The polls of all tasks that have one name, returned by
/// [`Metrics::polls_by_name`](super::Metrics::polls_by_name).
#[derive(Debug, Clone)]
pub struct NamePolls(PollsOf<Arc<str>>);

/// The polls of tasks that have `of` in common.
#[derive(Debug, Clone)]
struct PollsOf<K> {
    of: K,
    poll_time: LatencyHistogram,
    longest: Duration,
}

impl<K: Clone + Ord> PollsOf<K> {
    /// Adds a processor's record to those of the others.
    fn add(polls: &mut BTreeMap<K, Self>, record: &PollRecord<K>) {
        let none = || Self { of: record.of.clone(), poll_time: LatencyHistogram::default(), longest: Duration::ZERO };
        let polls = polls.entry(record.of.clone()).or_insert_with(none);
        polls.poll_time.add(&LatencyHistogram::read(&record.polls));
        polls.longest = polls.longest.max(Duration::from_nanos(record.longest));
    }

    /// Returns the polls since `earlier`, without what had none.
    fn since<'a>(now: impl Iterator<Item = &'a Self>, earlier: impl Iterator<Item = &'a Self>) -> Vec<Self>
    where
        K: 'a,
    {
        let before: BTreeMap<_, _> = earlier.map(|polls| (&polls.of, &polls.poll_time)).collect();
        let grown = now.map(|polls| {
            let before = before.get(&polls.of);
            let poll_time = before.map_or_else(|| polls.poll_time.clone(), |before| polls.poll_time.since(before));
            Self { of: polls.of.clone(), poll_time, longest: polls.longest }
        });
        Self::longest_first(grown.filter(|polls| polls.poll_time.count() > 0))
    }

    /// Returns the polls, those first that have taken the most time.
    fn longest_first(polls: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut polls = Vec::from_iter(polls);
        polls.sort_by_key(|polls| Reverse(polls.poll_time.sum()));
        polls
    }
}

impl SitePolls {
    /// Reads the records, the place whose polls have taken the most time first.
    pub(super) fn read(records: &SiteRecords) -> Vec<Self> {
        let mut sites = BTreeMap::new();
        records.for_each_site(&mut |record| PollsOf::add(&mut sites, record));
        PollsOf::longest_first(sites.into_values()).into_iter().map(Self).collect()
    }

    /// Returns the polls since `earlier`, without the places that had none.
    pub(super) fn since(now: &[Self], earlier: &[Self]) -> Vec<Self> {
        let [now, earlier] = [now, earlier].map(|sites| sites.iter().map(|site| &site.0));
        PollsOf::since(now, earlier).into_iter().map(Self).collect()
    }

    /// Returns the source location that spawned the tasks.
    pub fn spawned_at(&self) -> &'static Location<'static> {
        self.0.of
    }

    /// Returns the durations of the polls: their count, their sum and their distribution.
    pub fn poll_time(&self) -> &LatencyHistogram {
        &self.0.poll_time
    }

    /// Returns the duration of the longest poll since measuring began. A difference of two
    /// snapshots has the same maximum.
    pub fn longest_poll(&self) -> Duration {
        self.0.longest
    }
}

impl NamePolls {
    /// Reads the records, the name whose polls have taken the most time first.
    pub(super) fn read(records: &SiteRecords) -> Vec<Self> {
        let mut names = BTreeMap::new();
        records.for_each_name(&mut |record| PollsOf::add(&mut names, record));
        PollsOf::longest_first(names.into_values()).into_iter().map(Self).collect()
    }

    /// Returns the polls since `earlier`, without the names that had none.
    pub(super) fn since(now: &[Self], earlier: &[Self]) -> Vec<Self> {
        let [now, earlier] = [now, earlier].map(|names| names.iter().map(|name| &name.0));
        PollsOf::since(now, earlier).into_iter().map(Self).collect()
    }

    /// Returns the tasks' name, or `(other)` for the names that came when a worker had polled tasks
    /// of 256 other names.
    pub fn name(&self) -> &str {
        &self.0.of
    }

    /// Returns the durations of the polls: their count, their sum and their distribution.
    pub fn poll_time(&self) -> &LatencyHistogram {
        &self.0.poll_time
    }

    /// Returns the duration of the longest poll since measuring began. A difference of two
    /// snapshots has the same maximum.
    pub fn longest_poll(&self) -> Duration {
        self.0.longest
    }
}
