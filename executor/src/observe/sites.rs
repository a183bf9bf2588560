//! Measures the polls of each spawn site, and of each task name, while that is switched on.

use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::observe::latency::Histogram;
use crate::observe::observer::{Observer, Switch};
use crate::task::Runnable;
use crate::util::sync::{self, Mutex};

/// The number of names that a table has at most: a program may name each connection.
const MOST_NAMES: usize = 256;
/// The name that the tasks of further names have in the table.
const OTHER_NAMES: &str = "(other)";

/// The polls of tasks that one place has spawned, or that have one name, on one processor.
#[derive(Debug)]
pub(crate) struct PollRecord<K> {
    pub(crate) of: K,
    pub(crate) polls: Histogram,
    /// The longest poll, in nanoseconds.
    pub(crate) longest: u64,
}

impl<K> PollRecord<K> {
    fn new(of: K) -> Self {
        Self { of, polls: Histogram::new(), longest: 0 }
    }

    fn record(&mut self, nanos: u64) {
        self.polls.record(nanos);
        self.longest = self.longest.max(nanos);
    }
}

/// The records of one processor. Taken by the holder of the processor at the end of a poll, and now
/// and then by a reader.
type Table<K, R> = Mutex<BTreeMap<K, PollRecord<R>>>;

/// The tables of one processor.
#[derive(Debug)]
struct Tables {
    /// By the addresses of the locations: one place may have several.
    sites: Table<usize, &'static Location<'static>>,
    names: Table<Arc<str>, Arc<str>>,
    other_names: Arc<str>,
}

impl Tables {
    fn new() -> Self {
        Self { sites: Table::default(), names: Table::default(), other_names: OTHER_NAMES.into() }
    }

    fn record_site(&self, spawned_at: &'static Location<'static>, nanos: u64) {
        let mut sites = self.sites.lock();
        let key = std::ptr::from_ref(spawned_at).addr();
        sites.entry(key).or_insert_with(|| PollRecord::new(spawned_at)).record(nanos);
    }

    fn record_name(&self, name: Arc<str>, nanos: u64) {
        let mut names = self.names.lock();
        if let Some(known) = names.get_mut(&*name) {
            return known.record(nanos);
        }
        let name = if names.len() < MOST_NAMES { name } else { Arc::clone(&self.other_names) };
        names.entry(Arc::clone(&name)).or_insert_with(|| PollRecord::new(name)).record(nanos);
    }
}

/// The polls of each spawn site and each task name in one runtime. There are no tables until the
/// first switch.
#[derive(Debug, Default)]
pub(crate) struct SiteRecords(OnceLock<Box<[Tables]>>);

impl SiteRecords {
    fn tables(&self) -> impl Iterator<Item = &Tables> {
        self.0.get().into_iter().flatten()
    }

    /// Calls `read` with the record of each spawn site, inside the lock of its table.
    pub(crate) fn for_each_site(&self, read: &mut dyn FnMut(&PollRecord<&'static Location<'static>>)) {
        self.tables().for_each(|tables| tables.sites.lock().values().for_each(&mut *read));
    }

    /// Calls `read` with the record of each name, inside the lock of its table.
    pub(crate) fn for_each_name(&self, read: &mut dyn FnMut(&PollRecord<Arc<str>>)) {
        self.tables().for_each(|tables| tables.names.lock().values().for_each(&mut *read));
    }
}

impl Observer {
    /// Switches the measurement of sites or names on or off, for at most `processors` processors.
    /// Earlier measurements are kept. Returns whether it was on.
    pub(crate) fn measure_polls(&self, of: Switch, on: bool, processors: usize) -> bool {
        if on {
            self.sites.0.get_or_init(|| (0..processors).map(|_| Tables::new()).collect());
        }
        self.switches.set(of, on)
    }

    /// Measures a poll on the processor with index `processor` until the guard is dropped.
    pub(super) fn measure_site(&self, processor: usize, task: &Runnable) -> Option<SitePoll<'_>> {
        let spawned_at = self.switches.is_on(Switch::Sites).then(|| task.spawned_at());
        let name = if self.switches.is_on(Switch::Names) { task.shared_name() } else { None };
        if spawned_at.is_none() && name.is_none() {
            return None;
        }
        let tables = &self.sites.0.get()?[processor];
        Some(SitePoll { tables, spawned_at, name, began: sync::now() })
    }
}

/// A poll that is being measured, counted for the processor on which the poll began.
#[derive(Debug)]
pub(super) struct SitePoll<'a> {
    tables: &'a Tables,
    spawned_at: Option<&'static Location<'static>>,
    name: Option<Arc<str>>,
    began: Instant,
}

impl Drop for SitePoll<'_> {
    fn drop(&mut self) {
        let took = sync::now().saturating_duration_since(self.began);
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        if let Some(spawned_at) = self.spawned_at {
            self.tables.record_site(spawned_at, nanos);
        }
        if let Some(name) = self.name.take() {
            self.tables.record_name(name, nanos);
        }
    }
}
