//! From events to what the page shows: sums, bins, buckets and the first few, whatever the file's length.

mod grid;
mod histogram;
mod ids;
mod longest;
mod polls;
mod processors;
mod sites;
mod steals;
mod tasks;
mod threads;

pub(crate) use grid::{Bin, Grid, Series, Sum};
pub(crate) use histogram::{Histogram, PARTS, column_edge};
pub(crate) use longest::Longest;
pub(crate) use polls::{Poll, Polls};
pub(crate) use processors::{Processor, Processors};
pub(crate) use sites::{Site, Sites};
pub(crate) use steals::Steals;
pub(crate) use tasks::{Task, Tasks};
pub(crate) use threads::{Doing, Thread, Threads};

use ids::Ids;
use wsrt_trace::decode::{Details, Event, Kind, Name, OpenSlices, Said, Slice, Strings, Track, WokenBy};

/// So many stalls are listed.
const STALLS: usize = 30;

/// A poll that took too long, as the watcher saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    pub(crate) at: u64,
    pub(crate) processor: u32,
    pub(crate) details: Details,
}

/// The netpoller's turns.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) turns: u64,
    pub(crate) events: u64,
    pub(crate) timers: u64,
    /// Sockets found ready and timers found due, at the end of the turn.
    pub(crate) found: Series<Sum>,
}

/// The injector's length.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    pub(crate) length: Series<grid::Level>,
    pub(crate) longest: u64,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) wakes: u64,
    /// In the order of [`WokenBy::ALL`].
    pub(crate) wakes_by: [u64; WokenBy::ALL.len()],
    pub(crate) spawns: u64,
    pub(crate) ends: u64,
    pub(crate) overflows: u64,
    pub(crate) overflow_tasks: u64,
    /// Events that the writer could not keep.
    pub(crate) dropped: u64,
    /// Events of ours that say what cannot be.
    pub(crate) absurd: u64,
    /// Events on tracks of ours.
    pub(crate) events: u64,
    /// Those of them on tracks that only wsrt has. Other programs have threads, too.
    pub(crate) ours: u64,
    /// Slices that had no end.
    pub(crate) unended: u64,
}

/// What a trace comes to.
#[derive(Debug)]
pub(crate) struct Aggregate {
    open: OpenSlices,
    pub(crate) grid: Grid,
    pub(crate) totals: Totals,
    pub(crate) process: Option<(Name, Option<u64>)>,
    pub(crate) processors: Processors,
    pub(crate) polls: Polls,
    pub(crate) network: Network,
    pub(crate) injector: Injector,
    pub(crate) steals: Steals,
    pub(crate) stalls: Longest<Stall>,
    pub(crate) sites: Sites,
    pub(crate) tasks: Tasks,
    pub(crate) threads: Threads,
    ids: Ids,
    /// Whether the file's closing mark was the last that was said.
    pub(crate) closed: bool,
}

impl Aggregate {
    pub(crate) fn new() -> Self {
        Self {
            open: OpenSlices::default(),
            grid: Grid::new(),
            totals: Totals::default(),
            process: None,
            processors: Processors::default(),
            polls: Polls::new(),
            network: Network::default(),
            injector: Injector::default(),
            steals: Steals::default(),
            stalls: Longest::new(STALLS),
            sites: Sites::default(),
            tasks: Tasks::default(),
            threads: Threads::default(),
            ids: Ids::default(),
            closed: false,
        }
    }

    /// Whether anything in it came from wsrt.
    pub(crate) fn is_of_wsrt(&self) -> bool {
        self.totals.ours > 0
    }

    /// How many tasks were polled; `true` if there were more than could be counted.
    pub(crate) fn task_count(&self) -> (u64, bool) {
        (self.ids.count(), self.ids.full())
    }

    /// How many begins and ends of slices had no partner.
    pub(crate) fn unmatched(&self) -> u64 {
        self.open.unmatched()
    }

    pub(crate) fn take(&mut self, said: Said, strings: &Strings) {
        match said {
            Said::Event(event) if event.track != Track::Unknown => self.event(&event, strings),
            Said::Track { uuid, name, id } => self.track(uuid, name, id),
            Said::Event(_) | Said::Nothing => {}
        }
    }

    /// Ends what the file leaves open.
    pub(crate) fn finish(&mut self, strings: &Strings) {
        for slice in self.open.end_all(self.grid.last()) {
            self.totals.unended += 1;
            self.slice(&slice, strings);
        }
    }

    fn track(&mut self, uuid: u64, name: Name, id: Option<u64>) {
        match Track::of(uuid) {
            Track::Process => self.process = Some((name, id)),
            Track::Thread(uuid) => self.threads.name(uuid, name, id),
            _ => {}
        }
    }

    fn event(&mut self, event: &Event, strings: &Strings) {
        self.totals.events += 1;
        self.totals.ours += u64::from(!matches!(event.track, Track::Process | Track::Thread(_)));
        self.grid.cover(event.at);
        // What is still open may be ended behind the mark.
        self.closed &= event.kind == Kind::End;
        match event.kind {
            Kind::Begin => self.open.begin(event),
            Kind::End => {
                if let Some(slice) = self.open.end(event) {
                    self.slice(&slice, strings);
                }
            }
            Kind::Instant => self.instant(event, strings.text(event.name)),
            Kind::Counter(value) => self.counter(event, value),
        }
    }

    fn slice(&mut self, slice: &Slice, strings: &Strings) {
        match slice.track {
            Track::Processor(index) => self.poll(Poll { processor: index, slice: *slice }),
            Track::Netpoller => self.turn(slice),
            Track::Thread(uuid) => {
                let text = strings.text(slice.name);
                self.threads.slice(uuid, text, slice);
                if let Some(index) = threads::processor_held(text) {
                    self.processors.at(index).held += slice.duration;
                }
            }
            _ => {}
        }
    }

    fn poll(&mut self, poll: Poll) {
        let (slice, details) = (&poll.slice, &poll.slice.details);
        self.processors.poll(&self.grid, poll.processor, slice);
        self.polls.add(poll);
        // A task without a name is called by where it was spawned.
        let spawned_at = details.spawned_at.unwrap_or(slice.name);
        let mut is_new = false;
        if let Some(task) = details.task {
            is_new = self.ids.insert(task);
            self.tasks.polled(task, slice.name, spawned_at, slice.own);
        }
        self.sites.poll(spawned_at, slice, is_new);
    }

    fn turn(&mut self, slice: &Slice) {
        let (events, timers) = (slice.details.events.unwrap_or(0), slice.details.timers.unwrap_or(0));
        self.network.turns += 1;
        self.network.events = self.network.events.saturating_add(events);
        self.network.timers = self.network.timers.saturating_add(timers);
        let end = slice.begin.saturating_add(slice.duration);
        self.network.found.add(&self.grid, end, events.saturating_add(timers));
    }

    fn instant(&mut self, event: &Event, name: &str) {
        let details = &event.details;
        match (name, event.track) {
            ("wake", _) => self.wake(details),
            ("spawn", _) => self.totals.spawns += 1,
            ("end", _) => self.totals.ends += 1,
            ("events dropped", _) => {
                self.totals.dropped = self.totals.dropped.saturating_add(details.count.unwrap_or(0));
                self.closed = true;
            }
            ("steal", Track::Processor(thief)) => self.steal(thief, details),
            ("overflow", Track::Processor(index)) => {
                self.totals.overflows += 1;
                self.totals.overflow_tasks = self.totals.overflow_tasks.saturating_add(details.tasks.unwrap_or(0));
                let processor = self.processors.at(index);
                processor.overflow_count += 1;
                processor.overflows.add(&self.grid, event.at, 1);
            }
            ("stall", Track::Processor(index)) => {
                let processor = self.processors.at(index);
                processor.stall_count += 1;
                processor.stalls.add(&self.grid, event.at, 1);
                let stall = Stall { at: event.at, processor: index, details: *details };
                self.stalls.offer(details.milliseconds.unwrap_or(0), stall);
            }
            _ => {}
        }
    }

    fn wake(&mut self, details: &Details) {
        self.totals.wakes += 1;
        if let Some(by) = details.woken_by {
            self.totals.wakes_by[by as usize] += 1;
        }
        if let Some(task) = details.task {
            self.tasks.woken(task, details.woken_by);
        }
    }

    fn steal(&mut self, thief: u32, details: &Details) {
        let tasks = details.tasks.unwrap_or(1);
        let is_sound = details.victim.is_some_and(|victim| self.steals.add(thief, victim, tasks));
        if is_sound {
            let processor = self.processors.at(thief);
            processor.stolen = processor.stolen.saturating_add(tasks);
        } else {
            self.totals.absurd += 1;
        }
    }

    fn counter(&mut self, event: &Event, value: u64) {
        // A count below zero, or one that no memory could hold, is none.
        if value > u64::from(u32::MAX) {
            self.totals.absurd += 1;
            return;
        }
        match event.track {
            Track::Injector => {
                self.injector.length.set(&self.grid, event.at, value);
                self.injector.longest = self.injector.longest.max(value);
            }
            Track::Queue(index) => self.processors.queue(&self.grid, index, event.at, value),
            _ => {}
        }
    }
}
