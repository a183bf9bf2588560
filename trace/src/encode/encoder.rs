//! The encoder, which turns batches of events into the bytes of one file.

use std::collections::HashMap;

use super::batch::{BatchEntry, EncodeContext, EventBatch};
use super::flows::Flows;
use super::groups::{Annotated, EventStep, PendingSteps, StepGroup, StepPart};
use super::packets::{Annotation, AnnotationValue, EventBody, PacketWriter, StringId};
use super::strings::KnownStrings;
use super::tracks::Tracks;
use crate::counter::clocks;
use crate::event::{Activity, Event, EventKind, NO_PROCESSOR, WokenBy};
use crate::int_hasher::IntHasher;
use crate::names::{AnnotationKey, EventName, PollOutcome, TaskSource, WakeCause};
use crate::track::Track;

/// Encodes batches of events as one Perfetto trace.
///
/// Call [`begin`](Self::begin) once, [`add`](Self::add) for each batch, and [`end`](Self::end) at
/// the end. The encoded bytes can be removed at any time with [`take`](Self::take).
#[derive(Debug)]
pub struct Encoder {
    packets: PacketWriter,
    strings: KnownStrings,
    tracks: Tracks,
    flows: Flows,
    /// The stamps of polls that were shown early and have not ended, by task.
    opened: HashMap<u64, u64, IntHasher>,
    /// The steps of each thread that wait for the end of a poll.
    pending: Vec<PendingSteps>,
    /// The stalls of polls that have not ended, by processor.
    stalls: HashMap<u16, Vec<EventStep>, IntHasher>,
    groups: Vec<StepGroup>,
    events: u64,
    dropped: u64,
}

impl Encoder {
    /// Creates an encoder and writes the beginning of the file.
    pub fn begin() -> Self {
        let mut packets = PacketWriter::default();
        packets.begin(clocks());
        let strings = KnownStrings::spell_out(&mut packets);
        let mut tracks = Tracks::default();
        tracks.introduce(&mut packets, Track::Process, &[], 0);
        tracks.introduce(&mut packets, Track::Netpoller, &[], 0);
        Self {
            packets,
            strings,
            tracks,
            flows: Flows::default(),
            opened: HashMap::default(),
            pending: Vec::new(),
            stalls: HashMap::default(),
            groups: Vec::new(),
            events: 0,
            dropped: 0,
        }
    }

    /// Returns the number of events added so far, and the number of events dropped so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.events, self.dropped)
    }

    /// Appends the bytes that were encoded since the last call to `into`.
    pub fn take(&mut self, into: &mut Vec<u8>) {
        self.packets.take(into);
    }

    /// Encodes a batch of events.
    pub fn add(&mut self, batch: &EventBatch, context: EncodeContext<'_>) {
        self.events += (batch.entries.len() + batch.stacks.len()) as u64;
        self.pending.resize_with(context.threads.len(), PendingSteps::default);
        self.flows.grow_older();
        let annotated = self.match_flows(&batch.entries, context);
        let mut groups = std::mem::take(&mut self.groups);
        for (entry, annotated) in batch.entries.iter().zip(annotated) {
            let thread = context.recorder_of(entry.thread);
            self.pending[thread as usize].take(thread, annotated, &mut groups);
        }
        self.write_groups(&mut groups, context);
        self.groups = groups;
        for sample in &batch.samples {
            let track = self.track(sample.processor.map_or(Track::Injector, Track::Queue), context);
            self.tracks.count(&mut self.packets, track, sample.nanos, sample.waiting);
        }
        batch.stacks.iter().for_each(|sample| self.write_sample(sample, context));
        if batch.dropped > 0 {
            self.write_dropped(batch.dropped, context.clock.nanos(batch.until));
        }
    }

    /// Encodes the end of the file. All open slices end at the file's last moment.
    pub fn end(&mut self, until: u64, context: EncodeContext<'_>) {
        let mut groups = std::mem::take(&mut self.groups);
        for (thread, pending) in self.pending.iter_mut().enumerate() {
            pending.flush(thread as u32, false, &mut groups);
        }
        self.write_groups(&mut groups, context);
        self.write_stalled(context);
        let end = context.clock.nanos(until).max(self.tracks.latest());
        for (task, flow) in self.flows.take_waiting() {
            let name = Some(self.strings.event(EventName::WaitsAtEnd));
            let annotations = &[task_number(task)];
            let body = EventBody { name, annotations, ending_flows: &[flow], ..EventBody::EMPTY };
            self.tracks.instant(&mut self.packets, Track::Process, end, &body);
        }
        self.write_dropped(0, end);
        self.tracks.close(&mut self.packets);
    }

    fn write_dropped(&mut self, count: u64, time: u64) {
        self.dropped += count;
        let lost = self.flows.take_lost();
        let annotations = [(AnnotationKey::Count, AnnotationValue::Number(count))];
        let name = Some(self.strings.event(EventName::EventsDropped));
        let body = EventBody { name, annotations: &annotations, ending_flows: &lost, ..EventBody::EMPTY };
        self.tracks.instant(&mut self.packets, Track::Process, time, &body);
    }

    /// Finds the wake that belongs to each poll, in order of time.
    fn match_flows(&mut self, entries: &[BatchEntry], context: EncodeContext<'_>) -> Vec<Annotated> {
        let mut all: Vec<Annotated> = entries.iter().map(|entry| without_flows(entry, context)).collect();
        let mut order: Vec<u32> = (0..all.len() as u32).collect();
        order.sort_by_key(|&at| matching_order(&all[at as usize].event));
        for at in order {
            let annotated = &mut all[at as usize];
            let stamp = annotated.event.stamp;
            match annotated.event.kind() {
                EventKind::Readied { task, by, spawned, .. } => {
                    annotated.flow = Some(self.flows.begin(task, annotated.time, by, spawned));
                }
                EventKind::Opened { task, .. } => {
                    annotated.woken = self.flows.end(task, stamp);
                    self.opened.insert(task, stamp);
                }
                // The flow of a poll that was opened ends where it was opened.
                EventKind::Poll { task, .. } if self.opened.remove(&task) != Some(stamp) => {
                    annotated.woken = self.flows.end(task, stamp);
                }
                EventKind::Ended { task, .. } => annotated.flow = self.flows.end_task(task),
                _ => {}
            }
        }
        all
    }

    fn write_groups(&mut self, groups: &mut Vec<StepGroup>, context: EncodeContext<'_>) {
        groups.sort_by_key(|group| group.steps[0].stamp);
        for mut group in groups.drain(..) {
            self.add_stalls(&mut group);
            for step in &group.steps {
                self.write_step(&group, step, context);
            }
        }
    }

    /// Adds the stalls of a poll, which the watcher thread has recorded, to the poll's group.
    fn add_stalls(&mut self, group: &mut StepGroup) {
        if self.stalls.is_empty() {
            return;
        }
        let Some(end) = group.steps.iter().rev().find(|step| step.part == StepPart::End) else { return };
        let EventKind::Poll { processor, .. } = end.annotated.event.kind() else { return };
        for stall in self.stalls.remove(&processor).unwrap_or_default() {
            let at = group.steps.partition_point(|step| step.stamp <= stall.stamp);
            group.steps.insert(at.min(group.steps.len() - 1), stall);
        }
    }

    /// Writes the polls that still stall at the end of the file, and whose own events were never
    /// recorded.
    fn write_stalled(&mut self, context: EncodeContext<'_>) {
        for (processor, stalls) in std::mem::take(&mut self.stalls) {
            let Some(EventStep { annotated, .. }) = stalls.first() else { continue };
            let EventKind::Stall { task, millis, .. } = annotated.event.kind() else { continue };
            let track = self.track(Track::Processor(processor), context);
            let begun = context.clock.nanos(annotated.event.stamp).saturating_sub(millis * 1_000_000);
            let source = (AnnotationKey::Source, self.strings.source(TaskSource::Unknown));
            let name = Some(self.task_name(annotated, task, context));
            let body = EventBody { name, annotations: &[task_number(task), source], ..EventBody::EMPTY };
            self.tracks.begin(&mut self.packets, track, begun, None, &body);
            for step in &stalls {
                self.write_instant(track, context.clock.nanos(step.stamp), &step.annotated);
            }
        }
    }

    /// Returns the track, and describes it in the file if that has not been done yet.
    fn track(&mut self, track: Track, context: EncodeContext<'_>) -> Track {
        self.tracks.introduce(&mut self.packets, track, context.threads, context.workers);
        track
    }

    fn write_step(&mut self, group: &StepGroup, step: &EventStep, context: EncodeContext<'_>) {
        let time = context.clock.nanos(step.stamp);
        let kind = step.annotated.event.kind();
        let host = step.annotated.host;
        let thread = self.track(host.map_or(Track::Thread(group.thread.into()), Track::Host), context);
        let track = match kind {
            EventKind::Turn { .. } => Track::Netpoller,
            EventKind::Readied { .. } if group.is_turn => Track::Netpoller,
            EventKind::Stall { processor, .. } if !self.tracks.has_open(Track::Processor(processor)) => {
                return self.stalls.entry(processor).or_default().push(*step);
            }
            EventKind::Enter(_) | EventKind::Leave(_) => thread,
            kind => match processor_of(kind) {
                NO_PROCESSOR => thread,
                index => host.map_or(Track::Processor(index), |host| Track::HostProcessor { host, processor: index }),
            },
        };
        let track = self.track(track, context);
        match step.part {
            StepPart::Begin => self.write_begin(track, time, group, &step.annotated, context),
            StepPart::End => self.write_end(track, time, &step.annotated),
            StepPart::Instant => match kind {
                EventKind::Enter(activity) => self.write_enter(track, time, activity, &step.annotated),
                EventKind::Leave(activity) => self.tracks.end_activity(&mut self.packets, track, time, activity),
                _ => self.write_instant(track, time, &step.annotated),
            },
        }
    }

    /// Returns the name of a poll, which is the task's name or, for a task without a name, its
    /// spawn location.
    fn task_name(&mut self, annotated: &Annotated, task: u64, context: EncodeContext<'_>) -> StringId {
        match (context.names.get(&task), annotated.event.site()) {
            (Some(name), _) => self.packets.string(name),
            (None, Some(site)) => self.packets.site(site),
            (None, None) => self.strings.event(EventName::UnknownTask),
        }
    }

    fn write_begin(
        &mut self,
        track: Track,
        time: u64,
        group: &StepGroup,
        annotated: &Annotated,
        context: EncodeContext<'_>,
    ) {
        let (task, processor, source) = match annotated.event.kind() {
            EventKind::Poll { task, processor, source, .. } | EventKind::Opened { task, processor, source } => {
                (task, processor, source)
            }
            EventKind::Turn { events, timers, .. } => return self.write_turn(track, time, events, timers),
            _ => return,
        };
        if annotated.event.depth() == 0 && processor != NO_PROCESSOR {
            // Ends a poll there whose own end was dropped.
            self.tracks.end_all(&mut self.packets, track, time);
            if !context.is_simulated {
                self.write_held(group.thread, processor, time);
            }
        }
        let name = Some(self.task_name(annotated, task, context));
        let annotations = self.poll_annotations(task, source, annotated, context);
        let ending_flows = annotated.woken.as_ref().map(|flow| std::slice::from_ref(&flow.id)).unwrap_or_default();
        let body = EventBody { name, annotations: &annotations, ending_flows, ..EventBody::EMPTY };
        self.tracks.begin(&mut self.packets, track, time, None, &body);
    }

    fn write_turn(&mut self, track: Track, time: u64, events: u32, timers: u32) {
        let number = |count: u32| AnnotationValue::Number(count.into());
        let annotations = [(AnnotationKey::Events, number(events)), (AnnotationKey::Timers, number(timers))];
        let name = Some(self.strings.event(EventName::Turn));
        let body = EventBody { name, annotations: &annotations, ..EventBody::EMPTY };
        self.tracks.begin(&mut self.packets, track, time, None, &body);
    }

    /// Shows that a thread holds a processor, because the thread polls a task there. The file may
    /// have begun after the thread took the processor.
    fn write_held(&mut self, thread: u32, processor: u16, time: u64) {
        let (track, activity) = (Track::Thread(thread.into()), Activity::Holds(processor));
        if !self.tracks.is_open(track, activity) {
            self.tracks.end_all(&mut self.packets, track, time);
            let name = Some(self.strings.activity(&mut self.packets, activity));
            self.tracks.begin(&mut self.packets, track, time, Some(activity), &EventBody { name, ..EventBody::EMPTY });
        }
    }

    fn poll_annotations(
        &mut self,
        task: u64,
        source: u32,
        annotated: &Annotated,
        context: EncodeContext<'_>,
    ) -> Vec<Annotation> {
        let (source, victim) = TaskSource::from_number(source);
        let mut annotations = Vec::with_capacity(7);
        annotations.push(task_number(task));
        annotations.push((AnnotationKey::Source, self.strings.source(source)));
        annotations.extend(victim.map(|victim| (AnnotationKey::Victim, AnnotationValue::Number(victim.into()))));
        annotations.extend(self.spawned_at(annotated));
        if let Some(flow) = annotated.woken {
            let cause = if flow.spawned { WakeCause::Spawn } else { flow.by.cause() };
            annotations.push((AnnotationKey::WokenBy, self.strings.cause(cause)));
            if let WokenBy::Task(waker) = flow.by {
                annotations.push((AnnotationKey::Waker, AnnotationValue::Number(waker)));
            }
            let (begun, readied) = (context.clock.nanos(annotated.event.stamp), context.clock.nanos(flow.stamp));
            annotations.push((AnnotationKey::Waited, AnnotationValue::Number(begun.saturating_sub(readied))));
        }
        annotations
    }

    fn spawned_at(&mut self, annotated: &Annotated) -> Option<Annotation> {
        self.site(AnnotationKey::SpawnedAt, annotated)
    }

    fn site(&mut self, key: AnnotationKey, annotated: &Annotated) -> Option<Annotation> {
        let site = annotated.event.site()?;
        Some((key, AnnotationValue::String(self.packets.site(site))))
    }

    fn write_end(&mut self, track: Track, time: u64, annotated: &Annotated) {
        let EventKind::Poll { task, outcome, .. } = annotated.event.kind() else {
            return self.tracks.end(&mut self.packets, track, time, &EventBody::EMPTY);
        };
        if outcome == PollOutcome::Ready {
            let name = Some(self.strings.event(EventName::End));
            let body = EventBody { name, annotations: &[task_number(task)], ..EventBody::EMPTY };
            self.tracks.instant(&mut self.packets, track, time, &body);
        }
        let annotations = [(AnnotationKey::Outcome, self.strings.outcome(outcome))];
        let body = EventBody { annotations: &annotations, ..EventBody::EMPTY };
        self.tracks.end(&mut self.packets, track, time, &body);
    }

    fn write_enter(&mut self, track: Track, time: u64, activity: Activity, annotated: &Annotated) {
        if self.tracks.is_open(track, activity) {
            self.tracks.end_activity(&mut self.packets, track, time, activity);
        }
        let name = Some(self.strings.activity(&mut self.packets, activity));
        let site = self.spawned_at(annotated);
        let body = EventBody { name, annotations: site.as_slice(), ..EventBody::EMPTY };
        self.tracks.begin(&mut self.packets, track, time, Some(activity), &body);
    }

    fn write_instant(&mut self, track: Track, time: u64, annotated: &Annotated) {
        use AnnotationValue::{Bool, Number};
        let kind = annotated.event.kind();
        let is_wait = matches!(kind, EventKind::Waits { .. });
        let site = self.site(if is_wait { AnnotationKey::MadeAt } else { AnnotationKey::SpawnedAt }, annotated);
        let mut annotations = Vec::with_capacity(4);
        let name = match kind {
            EventKind::Readied { task, by, spawned, .. } => {
                annotations.extend([task_number(task), (AnnotationKey::By, self.strings.by(by))]);
                if spawned { EventName::Spawn } else { EventName::Wake }
            }
            EventKind::Waits { task, awaited, .. } => {
                annotations.extend([task_number(task), (AnnotationKey::WaitsFor, self.strings.awaited(awaited))]);
                EventName::Wait
            }
            EventKind::Ended { task, .. } => {
                annotations.push(task_number(task));
                EventName::End
            }
            EventKind::Stolen { victim, tasks, .. } => {
                annotations.extend([(AnnotationKey::Victim, Number(victim)), (AnnotationKey::Tasks, Number(tasks))]);
                EventName::Steal
            }
            EventKind::Overflow { tasks, .. } => {
                annotations.push((AnnotationKey::Tasks, Number(tasks)));
                EventName::Overflow
            }
            EventKind::Stall { task, millis, asleep, .. } => {
                annotations.extend([task_number(task), (AnnotationKey::Millis, Number(millis))]);
                annotations.push((AnnotationKey::Asleep, Bool(asleep)));
                EventName::Stall
            }
            _ => return,
        };
        annotations.extend(site);
        let is_end = name == EventName::End;
        let flow = annotated.flow.filter(|_| !is_end);
        let ending_flows = annotated.flow.as_ref().filter(|_| is_end).map(std::slice::from_ref).unwrap_or_default();
        let name = Some(self.strings.event(name));
        self.tracks.instant(
            &mut self.packets,
            track,
            time,
            &EventBody { name, annotations: &annotations, flow, ending_flows, ..EventBody::EMPTY },
        );
    }
}

fn task_number(task: u64) -> Annotation {
    (AnnotationKey::Task, AnnotationValue::Number(task))
}

/// Returns the key by which events are sorted before matching. At equal stamps, a poll comes after
/// the wake that ended the poll before it, and before the untimed wakes that happened in it.
fn matching_order(event: &Event) -> (u64, u8) {
    let rank = match event.kind() {
        EventKind::Readied { .. } if event.is_untimed() => 2,
        EventKind::Readied { .. } => 0,
        _ => 1,
    };
    (event.stamp, rank)
}

fn without_flows(entry: &BatchEntry, context: EncodeContext<'_>) -> Annotated {
    let host = context.host(entry.thread);
    Annotated { event: entry.event, time: entry.time(), flow: None, woken: None, host }
}

fn processor_of(kind: EventKind) -> u16 {
    match kind {
        EventKind::Poll { processor, .. }
        | EventKind::Opened { processor, .. }
        | EventKind::Readied { processor, .. }
        | EventKind::Waits { processor, .. }
        | EventKind::Ended { processor, .. }
        | EventKind::Stolen { processor, .. }
        | EventKind::Overflow { processor, .. }
        | EventKind::Stall { processor, .. } => processor,
        EventKind::Turn { .. } | EventKind::Enter(_) | EventKind::Leave(_) | EventKind::Host(_) => NO_PROCESSOR,
    }
}

mod samples;
#[cfg(all(test, not(wsrt_loom)))]
mod tests;
