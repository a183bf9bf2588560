//! The story: what one file tells, batch by batch.

use std::collections::HashMap;

use super::batch::{Batch, Entry, Scene};
use super::flows::Arrows;
use super::groups::{Group, Part, Pending, Step, Told};
use super::packets::{Note, Packets, Text, Value};
use super::strings::Words;
use super::tracks::{Mark, Place, Tracks};
use crate::int_hasher::Scatter;
use crate::{By, Event, NO_PROCESSOR, Outcome, Span, What, monotonic_nanos};

/// Turns batches of events into the bytes of one file.
#[derive(Debug)]
pub struct Story {
    packets: Packets,
    words: Words,
    tracks: Tracks,
    arrows: Arrows,
    /// Polls that were opened and are not over: when they began, by task.
    opened: HashMap<u64, u64, Scatter>,
    /// What each thread has told that waits for the end of a poll.
    pending: Vec<Pending>,
    /// Stalls of polls that are not over, by processor.
    stalls: HashMap<u16, Vec<Step>, Scatter>,
    groups: Vec<Group>,
    events: u64,
    dropped: u64,
}

impl Story {
    /// Begins a file.
    pub fn begin() -> Self {
        let mut packets = Packets::default();
        packets.begin(clocks());
        let words = Words::spell_out(&mut packets);
        let mut tracks = Tracks::default();
        tracks.introduce(&mut packets, Place::Process, &[]);
        tracks.introduce(&mut packets, Place::Netpoller, &[]);
        Self {
            packets,
            words,
            tracks,
            arrows: Arrows::default(),
            opened: HashMap::default(),
            pending: Vec::new(),
            stalls: HashMap::default(),
            groups: Vec::new(),
            events: 0,
            dropped: 0,
        }
    }

    /// Events told so far, and events that were dropped.
    pub fn counts(&self) -> (u64, u64) {
        (self.events, self.dropped)
    }

    /// The bytes that have come since the last call.
    pub fn take(&mut self, into: &mut Vec<u8>) {
        self.packets.take(into);
    }

    pub fn tell(&mut self, batch: &Batch, scene: Scene<'_>) {
        self.events += batch.entries.len() as u64;
        self.pending.resize_with(scene.threads.len(), Pending::default);
        self.arrows.grow_older();
        let told = self.match_arrows(&batch.entries);
        let mut groups = std::mem::take(&mut self.groups);
        for (entry, told) in batch.entries.iter().zip(told) {
            self.pending[entry.thread as usize].take(entry.thread, told, &mut groups);
        }
        self.show_groups(&mut groups, scene);
        self.groups = groups;
        for sample in &batch.samples {
            let track = Place::Queue(sample.processor);
            self.tracks.introduce(&mut self.packets, track, scene.threads);
            self.tracks.count(&mut self.packets, track, sample.nanos, sample.waiting);
        }
        if batch.dropped > 0 {
            self.tell_dropped(batch.dropped, scene.anchors.nanos(batch.until));
        }
    }

    /// Ends the file: all that is open ends at its last moment.
    pub fn end(&mut self, until: u64, scene: Scene<'_>) {
        let mut groups = std::mem::take(&mut self.groups);
        for (thread, pending) in self.pending.iter_mut().enumerate() {
            pending.flush(thread as u32, false, &mut groups);
        }
        self.show_groups(&mut groups, scene);
        self.show_stalled(scene);
        let end = scene.anchors.nanos(until).max(self.tracks.latest());
        for (task, flow) in self.arrows.take_waiting() {
            let notes = [(Note::Task, Value::Number(task))];
            let mark = Mark { name: Some(self.words.waits), notes: &notes, flow: None, ends: &[flow] };
            self.tracks.instant(&mut self.packets, Place::Process, end, &mark);
        }
        self.tell_dropped(0, end);
        self.tracks.close(&mut self.packets);
    }

    fn tell_dropped(&mut self, count: u64, time: u64) {
        self.dropped += count;
        let astray = self.arrows.take_astray();
        let notes = [(Note::Count, Value::Number(count))];
        let mark = Mark { name: Some(self.words.dropped), notes: &notes, flow: None, ends: &astray };
        self.tracks.instant(&mut self.packets, Place::Process, time, &mark);
    }

    /// Finds out which wake led to which poll, in the order of time.
    fn match_arrows(&mut self, entries: &[Entry]) -> Vec<Told> {
        let mut told: Vec<Told> = entries.iter().map(untold).collect();
        let mut order: Vec<u32> = (0..told.len() as u32).collect();
        order.sort_by_key(|&at| place(&told[at as usize].event));
        for at in order {
            let told = &mut told[at as usize];
            let stamp = told.event.stamp;
            match told.event.what() {
                What::Readied { task, by, spawned, .. } => {
                    told.flow = Some(self.arrows.begin(task, told.shown, by, spawned));
                }
                What::Opened { task, .. } => {
                    told.arrow = self.arrows.end(task, stamp);
                    self.opened.insert(task, stamp);
                }
                // One that was opened has its arrow there.
                What::Poll { task, .. } if self.opened.remove(&task) != Some(stamp) => {
                    told.arrow = self.arrows.end(task, stamp);
                }
                What::Ended { task, .. } => told.flow = self.arrows.cut(task),
                _ => {}
            }
        }
        told
    }

    fn show_groups(&mut self, groups: &mut Vec<Group>, scene: Scene<'_>) {
        groups.sort_by_key(|group| group.steps[0].stamp);
        for mut group in groups.drain(..) {
            self.add_stalls(&mut group);
            for step in &group.steps {
                self.show_step(&group, step, scene);
            }
        }
    }

    /// Puts what the watcher has said of a poll where it belongs: within it.
    fn add_stalls(&mut self, group: &mut Group) {
        if self.stalls.is_empty() {
            return;
        }
        let Some(Step { told, .. }) = group.steps.iter().rev().find(|step| step.part == Part::End) else { return };
        let What::Poll { processor, .. } = told.event.what() else { return };
        for stall in self.stalls.remove(&processor).unwrap_or_default() {
            let at = group.steps.partition_point(|step| step.stamp <= stall.stamp);
            group.steps.insert(at.min(group.steps.len() - 1), stall);
        }
    }

    /// Polls that the watcher has seen to be stuck, and that have not ended.
    fn show_stalled(&mut self, scene: Scene<'_>) {
        for (processor, stalls) in std::mem::take(&mut self.stalls) {
            let Some(Step { told, .. }) = stalls.first() else { continue };
            let What::Stall { task, millis, .. } = told.event.what() else { continue };
            let track = self.track(Place::Processor(processor), scene);
            let begun = scene.anchors.nanos(told.event.stamp).saturating_sub(millis * 1_000_000);
            let notes = [(Note::Task, Value::Number(task)), (Note::Source, self.words.source(7))];
            let mark = Mark { name: Some(self.name(told, task, scene)), notes: &notes, flow: None, ends: &[] };
            self.tracks.begin(&mut self.packets, track, begun, None, &mark);
            for step in &stalls {
                self.show_moment(track, scene.anchors.nanos(step.stamp), &step.told);
            }
        }
    }

    fn track(&mut self, track: Place, scene: Scene<'_>) -> Place {
        self.tracks.introduce(&mut self.packets, track, scene.threads);
        track
    }

    fn show_step(&mut self, group: &Group, step: &Step, scene: Scene<'_>) {
        let time = scene.anchors.nanos(step.stamp);
        let what = step.told.event.what();
        let thread = self.track(Place::Thread(group.thread), scene);
        let place = match what {
            What::Turn { .. } => Place::Netpoller,
            What::Readied { .. } if group.is_turn => Place::Netpoller,
            What::Stall { processor, .. } if !self.holds_open(processor) => {
                return self.stalls.entry(processor).or_default().push(*step);
            }
            What::Enter(_) | What::Leave(_) => thread,
            what => match processor_of(what) {
                NO_PROCESSOR => thread,
                index => Place::Processor(index),
            },
        };
        let place = self.track(place, scene);
        match step.part {
            Part::Begin => self.show_begin(place, time, group, &step.told, scene),
            Part::End => self.show_end(place, time, &step.told),
            Part::Moment => match what {
                What::Enter(span) => self.show_enter(place, time, span, &step.told),
                What::Leave(span) => self.tracks.end_span(&mut self.packets, place, time, span),
                _ => self.show_moment(place, time, &step.told),
            },
        }
    }

    fn holds_open(&self, processor: u16) -> bool {
        self.tracks.has_open(Place::Processor(processor))
    }

    fn name(&mut self, told: &Told, task: u64, scene: Scene<'_>) -> Text {
        match (scene.names.get(&task), told.event.site()) {
            (Some(name), _) => self.packets.text(name),
            (None, Some(site)) => self.packets.site(site),
            (None, None) => self.words.unknown,
        }
    }

    fn show_begin(&mut self, track: Place, time: u64, group: &Group, told: &Told, scene: Scene<'_>) {
        let (task, processor, source) = match told.event.what() {
            What::Poll { task, processor, source, .. } | What::Opened { task, processor, source } => {
                (task, processor, source)
            }
            What::Turn { events, timers, .. } => {
                let notes =
                    [(Note::Events, Value::Number(events.into())), (Note::Timers, Value::Number(timers.into()))];
                let mark = Mark { name: Some(self.words.turn), notes: &notes, flow: None, ends: &[] };
                return self.tracks.begin(&mut self.packets, track, time, None, &mark);
            }
            _ => return,
        };
        if told.event.depth() == 0 && processor != NO_PROCESSOR {
            // A poll there whose end was dropped.
            self.tracks.end_all(&mut self.packets, track, time);
            self.show_held(group.thread, processor, time);
        }
        let name = self.name(told, task, scene);
        let notes = self.notes_of_poll(task, source, told, scene);
        let ends = told.arrow.as_ref().map(|arrow| std::slice::from_ref(&arrow.flow)).unwrap_or_default();
        let mark = Mark { name: Some(name), notes: &notes, flow: None, ends };
        self.tracks.begin(&mut self.packets, track, time, None, &mark);
    }

    /// Whoever polls on a processor holds it, though the file may have begun after the taking.
    fn show_held(&mut self, thread: u32, processor: u16, time: u64) {
        let (track, span) = (Place::Thread(thread), Span::Holds(processor));
        if !self.tracks.is_open(track, span) {
            self.tracks.end_all(&mut self.packets, track, time);
            let name = self.words.span(&mut self.packets, span);
            self.tracks.begin(&mut self.packets, track, time, Some(span), &Mark { name: Some(name), ..Mark::END });
        }
    }

    fn notes_of_poll(&mut self, task: u64, source: u32, told: &Told, scene: Scene<'_>) -> Vec<(Note, Value)> {
        let mut notes = Vec::with_capacity(7);
        notes.push((Note::Task, Value::Number(task)));
        notes.push((Note::Source, self.words.source(source as usize)));
        notes.extend(victim_of(source).map(|victim| (Note::Victim, Value::Number(victim))));
        notes.extend(told.event.site().map(|site| (Note::SpawnedAt, Value::Text(self.packets.site(site)))));
        if let Some(arrow) = told.arrow {
            let by = if arrow.spawned { Value::Text(self.words.spawn) } else { self.words.by(arrow.by) };
            notes.push((Note::WokenBy, by));
            if let By::Task(waker) = arrow.by {
                notes.push((Note::Waker, Value::Number(waker)));
            }
            let waited = scene.anchors.nanos(told.event.stamp).saturating_sub(scene.anchors.nanos(arrow.stamp));
            notes.push((Note::Waited, Value::Number(waited)));
        }
        notes
    }

    fn show_end(&mut self, track: Place, time: u64, told: &Told) {
        let What::Poll { task, outcome, .. } = told.event.what() else {
            return self.tracks.end(&mut self.packets, track, time, &Mark::END);
        };
        if outcome == Outcome::Ready {
            let notes = [(Note::Task, Value::Number(task))];
            let mark = Mark { name: Some(self.words.end), notes: &notes, ..Mark::END };
            self.tracks.instant(&mut self.packets, track, time, &mark);
        }
        let notes = [(Note::Outcome, self.words.outcome(outcome))];
        self.tracks.end(&mut self.packets, track, time, &Mark { notes: &notes, ..Mark::END });
    }

    fn show_enter(&mut self, track: Place, time: u64, span: Span, told: &Told) {
        if self.tracks.is_open(track, span) {
            self.tracks.end_span(&mut self.packets, track, time, span);
        }
        let name = self.words.span(&mut self.packets, span);
        let site = told.event.site().map(|site| (Note::SpawnedAt, Value::Text(self.packets.site(site))));
        let mark = Mark { name: Some(name), notes: site.as_slice(), ..Mark::END };
        self.tracks.begin(&mut self.packets, track, time, Some(span), &mark);
    }

    fn show_moment(&mut self, track: Place, time: u64, told: &Told) {
        let words = self.words;
        let site = told.event.site().map(|site| (Note::SpawnedAt, Value::Text(self.packets.site(site))));
        let mut notes = Vec::with_capacity(4);
        let name = match told.event.what() {
            What::Readied { task, by, spawned, .. } => {
                notes.extend([(Note::Task, Value::Number(task)), (Note::By, words.by(by))]);
                if spawned { words.spawn } else { words.wake }
            }
            What::Ended { task, .. } => {
                notes.push((Note::Task, Value::Number(task)));
                words.end
            }
            What::Stolen { victim, tasks, .. } => {
                notes.extend([(Note::Victim, Value::Number(victim)), (Note::Tasks, Value::Number(tasks))]);
                words.steal
            }
            What::Overflow { tasks, .. } => {
                notes.push((Note::Tasks, Value::Number(tasks)));
                words.overflow
            }
            What::Stall { task, millis, asleep, .. } => {
                notes.extend([(Note::Task, Value::Number(task)), (Note::Millis, Value::Number(millis))]);
                notes.push((Note::Asleep, Value::Bool(asleep)));
                words.stall
            }
            _ => return,
        };
        notes.extend(site);
        let is_end = matches!(told.event.what(), What::Ended { .. });
        let flow = told.flow.filter(|_| !is_end);
        let ends = told.flow.as_ref().filter(|_| is_end).map(std::slice::from_ref).unwrap_or_default();
        self.tracks.instant(&mut self.packets, track, time, &Mark { name: Some(name), notes: &notes, flow, ends });
    }
}

/// The order in which events are matched. Where stamps are the same, a poll comes after the wake that ended what was before it, and
/// before those that happened in it and are untimed.
fn place(event: &Event) -> (u64, u8) {
    let rank = match event.what() {
        What::Readied { .. } if event.is_untimed() => 2,
        What::Readied { .. } => 0,
        _ => 1,
    };
    (event.stamp, rank)
}

/// The processor that a task was stolen from: above the low three bits, which are the kind of place where it was found.
fn victim_of(source: u32) -> Option<u64> {
    const STOLEN: u32 = 5;
    (source % 8 == STOLEN).then_some(u64::from(source >> 3))
}

fn untold(&Entry { event, later, .. }: &Entry) -> Told {
    Told { event, shown: event.stamp + u64::from(later), flow: None, arrow: None }
}

fn processor_of(what: What) -> u16 {
    match what {
        What::Poll { processor, .. }
        | What::Opened { processor, .. }
        | What::Readied { processor, .. }
        | What::Ended { processor, .. }
        | What::Stolen { processor, .. }
        | What::Overflow { processor, .. }
        | What::Stall { processor, .. } => processor,
        What::Turn { .. } | What::Enter(_) | What::Leave(_) => NO_PROCESSOR,
    }
}

/// The monotonic clock, that since boot and the calendar's, read one after the other, in nanoseconds.
fn clocks() -> [u64; 3] {
    let monotonic = monotonic_nanos();
    let calendar = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    [monotonic, boot_nanos().unwrap_or(monotonic), calendar.map_or(0, |since| since.as_nanos() as u64)]
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn boot_nanos() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written to.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) };
    (status == 0).then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn boot_nanos() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests;
