//! Aggregates events to the contents of the page: sums, bins, buckets and top lists, whose size
//! does not depend on the length of the file.

mod durations;
mod grid;
mod ids;
mod longest;
mod polls;
mod processors;
mod samples;
mod sites;
mod steals;
mod tasks;
mod threads;
mod waits;

pub(crate) use durations::{Durations, PARTS, column_edge};
pub(crate) use grid::{Bin, Grid, Series, Sum};
pub(crate) use longest::Longest;
pub(crate) use polls::{Poll, Polls};
pub(crate) use processors::{Processor, Processors};
pub(crate) use samples::{Flame, Samples, SiteSamples};
pub(crate) use sites::{Site, Sites};
pub(crate) use steals::Steals;
pub(crate) use tasks::{Task, Tasks};
pub(crate) use threads::{Doing, Thread, Threads};
pub(crate) use waits::{Ender, Place, Waited, Waits};

use wsrt_trace::decode::{Annotations, Decoded, NameId, NameTable, OpenSlices, TrackEvent, TrackSlice};
use wsrt_trace::{EventName, Track, TrackEventKind, WakeCause, names};

use ids::Ids;

/// The maximum number of stalls that are listed.
const STALLS: usize = 30;

/// A poll that took too long, as reported by the runtime's watcher thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stall {
    pub(crate) at: u64,
    pub(crate) processor: u32,
    pub(crate) annotations: Annotations,
}

/// The turns of the netpoller.
#[derive(Debug, Default)]
pub(crate) struct Network {
    pub(crate) turns: u64,
    pub(crate) events: u64,
    pub(crate) timers: u64,
    /// The number of sockets found ready and timers found due, counted at the end of each turn.
    pub(crate) found: Series<Sum>,
}

/// The length of the injector queue over time.
#[derive(Debug, Default)]
pub(crate) struct Injector {
    pub(crate) length: Series<grid::Level>,
    pub(crate) longest: u64,
}

/// The totals of all event counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) wakes: u64,
    /// The number of wakes by cause, in the order of [`WakeCause::ALL`].
    pub(crate) wakes_by: [u64; WakeCause::ALL.len()],
    pub(crate) spawns: u64,
    pub(crate) ends: u64,
    pub(crate) overflows: u64,
    pub(crate) overflow_tasks: u64,
    /// The number of events that the writer of the trace dropped.
    pub(crate) dropped: u64,
    /// The number of events with impossible values.
    pub(crate) absurd: u64,
    /// The number of events on tracks whose numbers wsrt uses.
    pub(crate) events: u64,
    /// The number of events on tracks that only wsrt has. Thread tracks do not count, because other
    /// programs have threads as well.
    pub(crate) ours: u64,
    /// The number of slices without an end.
    pub(crate) unended: u64,
}

/// Everything that the report shows about a trace.
#[derive(Debug)]
pub(crate) struct Aggregate {
    open: OpenSlices,
    pub(crate) grid: Grid,
    pub(crate) totals: Totals,
    pub(crate) process: Option<(NameId, Option<u64>)>,
    pub(crate) processors: Processors,
    pub(crate) polls: Polls,
    pub(crate) network: Network,
    pub(crate) injector: Injector,
    pub(crate) steals: Steals,
    pub(crate) stalls: Longest<Stall>,
    pub(crate) samples: Samples,
    pub(crate) sites: Sites,
    pub(crate) tasks: Tasks,
    pub(crate) threads: Threads,
    pub(crate) waits: Waits,
    ids: Ids,
    /// True if the file is complete, because its last event is the end mark.
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
            samples: Samples::default(),
            sites: Sites::default(),
            tasks: Tasks::default(),
            threads: Threads::default(),
            waits: Waits::default(),
            ids: Ids::default(),
            closed: false,
        }
    }

    /// Returns whether any part of the trace was written by wsrt.
    pub(crate) fn is_of_wsrt(&self) -> bool {
        self.totals.ours > 0
    }

    /// Returns the number of tasks that were polled, and whether there were more tasks than could
    /// be counted.
    pub(crate) fn task_count(&self) -> (u64, bool) {
        (self.ids.count(), self.ids.full())
    }

    /// Returns the number of begin and end events of slices without a partner.
    pub(crate) fn unmatched(&self) -> u64 {
        self.open.unmatched()
    }

    pub(crate) fn take(&mut self, decoded: Decoded, names: &NameTable) {
        match decoded {
            Decoded::Event(event) if event.track != Track::Unknown => self.event(&event, names),
            Decoded::Track { track, name, id } => self.track(track, name, id, names),
            Decoded::Event(_) | Decoded::Nothing => {}
        }
    }

    /// Closes the slices that are still open at the end of the file.
    pub(crate) fn finish(&mut self, names: &NameTable) {
        for slice in self.open.end_all(self.grid.last()) {
            self.totals.unended += 1;
            self.slice(&slice, names);
        }
        self.waits.finish(self.grid.last(), &self.tasks);
    }

    fn track(&mut self, track: Track, name: NameId, id: Option<u64>, names: &NameTable) {
        match track {
            Track::Process => self.process = Some((name, id)),
            Track::Thread(number) => self.threads.name(number, name, id),
            Track::Host(number) => self.threads.name(number.into(), name, None),
            Track::Processor(index) if names::is_spare(names.text(name)) => {
                self.processors.at(index.into()).is_spare = true;
            }
            _ => {}
        }
    }

    fn event(&mut self, event: &TrackEvent, names: &NameTable) {
        self.totals.events += 1;
        self.totals.ours += u64::from(!matches!(event.track, Track::Process | Track::Thread(_)));
        self.grid.cover(event.at);
        // An open slice may be ended behind the mark.
        self.closed &= event.kind == TrackEventKind::End;
        match event.kind {
            TrackEventKind::Begin => {
                self.begin(event);
                self.open.begin(event);
            }
            TrackEventKind::End => {
                if let Some(slice) = self.open.end(event) {
                    self.slice(&slice, names);
                }
            }
            TrackEventKind::Instant => self.instant(event, names.text(event.name)),
            TrackEventKind::Counter(value) => self.counter(event, value),
        }
    }

    /// Records the task of a poll that begins. In the file, the poll of the task's waker has begun
    /// earlier.
    fn begin(&mut self, event: &TrackEvent) {
        let annotations = &event.annotations;
        if let Some(task) = annotations.task {
            // A task without a name is called by where it was spawned.
            self.tasks.called(task, event.name, annotations.spawned_at.unwrap_or(event.name));
            self.waits.polled(task, event.at, annotations, &self.tasks);
        }
    }

    fn slice(&mut self, slice: &TrackSlice, names: &NameTable) {
        if let Some(index) = slice.track.processor() {
            return self.poll(Poll { processor: index.into(), slice: *slice });
        }
        match slice.track {
            Track::Host(number) => self.threads.slice(number.into(), names.text(slice.name), slice),
            Track::Netpoller => self.turn(slice),
            Track::Thread(number) => {
                let text = names.text(slice.name);
                self.threads.slice(number, text, slice);
                if let Some(index) = names::processor_held(text) {
                    self.processors.at(index.into()).held += slice.duration;
                }
            }
            _ => {}
        }
    }

    fn poll(&mut self, poll: Poll) {
        let (slice, annotations) = (&poll.slice, &poll.slice.annotations);
        self.processors.poll(&self.grid, poll.processor, slice);
        self.polls.add(poll);
        let spawned_at = annotations.spawned_at.unwrap_or(slice.name);
        let mut is_new = false;
        if let Some(task) = annotations.task {
            is_new = self.ids.insert(task);
            self.tasks.polled(task, slice.own);
        }
        self.sites.poll(spawned_at, slice, is_new);
    }

    fn turn(&mut self, slice: &TrackSlice) {
        let (events, timers) = (slice.annotations.events.unwrap_or(0), slice.annotations.timers.unwrap_or(0));
        self.network.turns += 1;
        self.network.events = self.network.events.saturating_add(events);
        self.network.timers = self.network.timers.saturating_add(timers);
        let end = slice.begin.saturating_add(slice.duration);
        self.network.found.add(&self.grid, end, events.saturating_add(timers));
    }

    fn instant(&mut self, event: &TrackEvent, name: &str) {
        let annotations = &event.annotations;
        let Some(name) = EventName::from_name(name) else { return };
        match (name, event.track.processor()) {
            (EventName::Wake, _) => self.wake(annotations),
            (EventName::Spawn, _) => self.totals.spawns += 1,
            (EventName::End, _) => {
                self.totals.ends += 1;
                self.waits.ended(annotations.task, event.at, &self.tasks);
            }
            (EventName::Sample, _) => {
                if let Some(stack) = annotations.stack {
                    self.totals.ours += 1;
                    self.samples.add(annotations.spawned_at, stack);
                }
            }
            (EventName::Wait, _) => self.waits.begun(annotations, event.at),
            (EventName::EventsDropped, _) => {
                self.totals.dropped = self.totals.dropped.saturating_add(annotations.count.unwrap_or(0));
                self.closed = true;
            }
            (EventName::Steal, Some(thief)) => self.steal(thief.into(), annotations),
            (EventName::Overflow, Some(index)) => {
                self.totals.overflows += 1;
                self.totals.overflow_tasks = self.totals.overflow_tasks.saturating_add(annotations.tasks.unwrap_or(0));
                let processor = self.processors.at(index.into());
                processor.overflow_count += 1;
                processor.overflows.add(&self.grid, event.at, 1);
            }
            (EventName::Stall, Some(index)) => {
                let processor = self.processors.at(index.into());
                processor.stall_count += 1;
                processor.stalls.add(&self.grid, event.at, 1);
                let stall = Stall { at: event.at, processor: index.into(), annotations: *annotations };
                self.stalls.offer(annotations.millis.unwrap_or(0), stall);
            }
            _ => {}
        }
    }

    fn wake(&mut self, annotations: &Annotations) {
        self.totals.wakes += 1;
        if let Some(by) = annotations.woken_by {
            self.totals.wakes_by[by as usize] += 1;
        }
        if let Some(task) = annotations.task {
            self.tasks.woken(task, annotations.woken_by);
        }
    }

    fn steal(&mut self, thief: u32, annotations: &Annotations) {
        let tasks = annotations.tasks.unwrap_or(1);
        let is_sound = annotations.victim.is_some_and(|victim| self.steals.add(thief, victim, tasks));
        if is_sound {
            let processor = self.processors.at(thief);
            processor.stolen = processor.stolen.saturating_add(tasks);
        } else {
            self.totals.absurd += 1;
        }
    }

    fn counter(&mut self, event: &TrackEvent, value: u64) {
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
            Track::Queue(index) => self.processors.queue(&self.grid, index.into(), event.at, value),
            _ => {}
        }
    }
}
