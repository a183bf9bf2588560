//! The source locations that spawn tasks, and the cost of those tasks.

use std::collections::HashMap;

use wsrt_trace::decode::{NameId, TrackSlice};

/// The work of all tasks that were spawned at one source location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) tasks: u64,
    pub(crate) polls: u64,
    /// The total duration of the polls, in nanoseconds.
    pub(crate) busy: u64,
    pub(crate) longest: u64,
    /// The total time from wake to poll in nanoseconds, and the number of polls.
    pub(crate) waited: u128,
    pub(crate) waits: u64,
}

impl Site {
    /// Returns the average time that a task waited before a poll, in nanoseconds. Returns `None` if
    /// no waits were recorded.
    pub(crate) fn mean_wait(&self) -> Option<u64> {
        (self.waits > 0).then(|| (self.waited / u128::from(self.waits)) as u64)
    }
}

/// The spawn sites of a trace. The number of distinct names limits the number of sites.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    known: HashMap<NameId, Site>,
}

impl Sites {
    pub(crate) fn poll(&mut self, spawned_at: NameId, slice: &TrackSlice, is_new: bool) {
        let site = self.known.entry(spawned_at).or_default();
        site.tasks += u64::from(is_new);
        site.polls += 1;
        site.busy += slice.own;
        site.longest = site.longest.max(slice.duration);
        if let Some(waited) = slice.annotations.waited {
            site.waited += u128::from(waited);
            site.waits += 1;
        }
    }

    /// Returns the sites in descending order of the time that their tasks took.
    pub(crate) fn by_time(&self) -> Vec<(NameId, Site)> {
        let mut sites: Vec<_> = self.known.iter().map(|(name, site)| (*name, *site)).collect();
        sites.sort_unstable_by_key(|(name, site)| (u64::MAX - site.busy, *name));
        sites
    }
}
