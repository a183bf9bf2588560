//! Measures the polls of each spawn site, while that is switched on.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::OnceLock;
use std::time::Instant;

use crate::observe::latency::Histogram;
use crate::observe::observer::{Observer, Switch};
use crate::task::Runnable;
use crate::util::sync::{self, Mutex};

/// The polls of tasks that one place has spawned, on one processor.
#[derive(Debug)]
pub(crate) struct SiteRecord {
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) polls: Histogram,
    /// The longest poll, in nanoseconds.
    pub(crate) longest: u64,
}

/// The records of one processor, by the addresses of the locations: one place may have several.
/// Taken by the holder of the processor at the end of a poll, and now and then by a reader.
type Table = Mutex<BTreeMap<usize, SiteRecord>>;

/// The polls of each spawn site in one runtime. There are no tables until the first switch.
#[derive(Debug, Default)]
pub(crate) struct SiteRecords(OnceLock<Box<[Table]>>);

impl SiteRecords {
    /// Calls `read` with each record, inside the lock of its table.
    pub(crate) fn for_each(&self, mut read: impl FnMut(&SiteRecord)) {
        self.0.get().into_iter().flatten().for_each(|table| table.lock().values().for_each(&mut read));
    }
}

impl Observer {
    /// Switches the measurement on or off, for at most `processors` processors. Earlier
    /// measurements are kept. Returns whether it was on.
    pub(crate) fn measure_sites(&self, on: bool, processors: usize) -> bool {
        if on {
            self.sites.0.get_or_init(|| (0..processors).map(|_| Table::default()).collect());
        }
        self.switches.set(Switch::Sites, on)
    }

    /// Measures a poll on the processor with index `processor` until the guard is dropped.
    pub(super) fn measure_site(&self, processor: usize, task: &Runnable) -> Option<SitePoll<'_>> {
        if !self.switches.is_on(Switch::Sites) {
            return None;
        }
        let table = &self.sites.0.get()?[processor];
        Some(SitePoll { table, spawned_at: task.spawned_at(), began: sync::now() })
    }
}

/// A poll that is being measured, counted for the processor on which the poll began.
#[derive(Debug)]
pub(super) struct SitePoll<'a> {
    table: &'a Table,
    spawned_at: &'static Location<'static>,
    began: Instant,
}

impl Drop for SitePoll<'_> {
    fn drop(&mut self) {
        let took = sync::now().saturating_duration_since(self.began);
        let (nanos, spawned_at) = (u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), self.spawned_at);
        let mut table = self.table.lock();
        let record = table.entry(std::ptr::from_ref(spawned_at).addr()).or_insert_with(|| SiteRecord {
            spawned_at,
            polls: Histogram::new(),
            longest: 0,
        });
        record.polls.record(nanos);
        record.longest = record.longest.max(nanos);
    }
}
