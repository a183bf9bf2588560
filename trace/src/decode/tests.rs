//! Tests that the decoder reads what the encoder writes, and that no input makes the decoder panic.

use std::panic::Location;

use fastrand::Rng;

use super::{Decoded, Decoder, FileEnding, NameTable, OpenSlices, PacketReader, TrackEvent};
use crate::encode::{BatchEntry, EncodeContext, Encoder, EventBatch, QueueSample, StackSample, ThreadInfo};
use crate::names::{self, Awaited, EventName, PollOutcome, TaskSource, WakeCause};
use crate::{Activity, ClockSync, Event, EventKind, Track, TrackEventKind, WokenBy};

/// A file that has been read to its end.
struct Read {
    events: Vec<TrackEvent>,
    tracks: Vec<(Track, String)>,
    names: NameTable,
    ending: FileEnding,
    malformed: usize,
}

fn read(bytes: &[u8]) -> Read {
    let (mut packets, mut decoder) = (PacketReader::of(bytes), Decoder::default());
    let (mut events, mut tracks, mut malformed) = (Vec::new(), Vec::new(), 0);
    let ending = loop {
        match packets.next_packet().expect("a slice can be read") {
            Err(ending) => break ending,
            Ok(packet) => match decoder.decode(packet) {
                Ok(Decoded::Event(event)) => events.push(event),
                Ok(Decoded::Track { track, name, .. }) => tracks.push((track, decoder.names.text(name).to_owned())),
                Ok(Decoded::Nothing) => {}
                Err(_) => malformed += 1,
            },
        }
    };
    Read { events, tracks, names: decoder.names, ending, malformed }
}

impl Read {
    fn name(&self, event: &TrackEvent) -> &str {
        self.names.text(event.name)
    }

    /// Returns the events of this kind with this name.
    fn called<'a>(&'a self, kind: TrackEventKind, name: &'a str) -> impl Iterator<Item = &'a TrackEvent> {
        self.events.iter().filter(move |event| event.kind == kind && self.name(event) == name)
    }
}

/// The hosts of a simulation, by their indices among the threads.
const ALPHA: u32 = 1;
const BETA: u32 = 2;

/// Encodes batches of events of one thread and the hosts that it drives. The stamps count
/// nanoseconds.
fn encode(batches: Vec<EventBatch>, task_names: &[(u64, &str)]) -> Vec<u8> {
    let info = |name: &str, driver| ThreadInfo { tid: 7, name: name.into(), driver };
    let threads = [info("machine", None), info("alpha", Some(0)), info("beta", Some(0))];
    let is_simulated = batches.iter().any(|batch| batch.entries.iter().any(|entry| entry.thread > 0));
    let (names, clock) = (task_names.iter().map(|&(task, name)| (task, name.into())).collect(), ClockSync::of_nanos());
    let context = EncodeContext { threads: &threads, names: &names, clock: &clock, is_simulated, workers: 4 };
    let (mut encoder, mut all, mut bytes) = (Encoder::begin(), Vec::new(), Vec::new());
    let until = batches.last().map_or(0, |batch| batch.until);
    for batch in batches {
        encoder.add(&batch, context);
        encoder.take(&mut bytes);
        all.append(&mut bytes);
    }
    encoder.end(until, context);
    encoder.take(&mut bytes);
    all.append(&mut bytes);
    all
}

fn batch(events: &[Event], until: u64) -> EventBatch {
    let entries = events.iter().map(|&event| BatchEntry { thread: 0, later: 0, event }).collect();
    EventBatch { entries, until, ..EventBatch::default() }
}

const CAUSES: [WokenBy; 4] = [WokenBy::Task(0), WokenBy::Network, WokenBy::Timer, WokenBy::Outside];

/// Returns random wakes and polls of some tasks on one processor, one after another, each with the
/// expected decoded event.
fn random_polls(random: &mut Rng) -> (Vec<Event>, Vec<TrackEvent>) {
    let (mut events, mut expected, mut now) = (Vec::new(), Vec::new(), 1_000);
    let track = Track::Processor(random.u16(..3_000));
    let Track::Processor(processor) = track else { unreachable!() };
    for _ in 0..random.usize(1..30) {
        now += random.u64(1..1_000);
        let (task, waker) = (random.u64(1 << 40..1 << 48), random.u64(..100));
        let by = CAUSES.map(|by| if by == WokenBy::Task(0) { WokenBy::Task(waker) } else { by })[random.usize(..4)];
        let (spawned, readied) = (random.bool(), now);
        events.push(Event::new(now, EventKind::Readied { task, processor, by, spawned }));
        let mut wake = event(now, track, TrackEventKind::Instant);
        wake.annotations.task = Some(task);
        wake.annotations.woken_by = Some(by.cause());
        expected.push(wake);

        now += random.u64(1..1_000);
        let (victim, lasted) = (random.u32(..4_096), random.u64(1..1 << 39));
        let source = TaskSource::ALL[random.usize(..8)];
        let outcome = PollOutcome::ALL[random.usize(..3)];
        let number = if source == TaskSource::Stolen { TaskSource::stolen_from(victim) } else { source as u32 };
        events.push(Event::new(now, EventKind::Poll { task, processor, source: number, lasted, outcome }));
        let mut begin = event(now, track, TrackEventKind::Begin);
        begin.annotations.task = Some(task);
        begin.annotations.source = Some(source);
        begin.annotations.victim = (source == TaskSource::Stolen).then_some(victim.into());
        begin.annotations.woken_by = Some(if spawned { WakeCause::Spawn } else { by.cause() });
        begin.annotations.waker = matches!(by, WokenBy::Task(_)).then_some(waker);
        begin.annotations.waited = Some(now - readied);
        expected.push(begin);
        now += lasted;
        if outcome == PollOutcome::Ready {
            let mut end = event(now, track, TrackEventKind::Instant);
            end.annotations.task = Some(task);
            expected.push(end);
        }
        let mut end = event(now, track, TrackEventKind::End);
        end.annotations.outcome = Some(outcome);
        expected.push(end);
    }
    (events, expected)
}

fn event(at: u64, track: Track, kind: TrackEventKind) -> TrackEvent {
    TrackEvent { at, track, kind, name: super::NameId::NONE, annotations: super::Annotations::default() }
}

#[test]
fn a_sample_in_an_earlier_poll_is_read_back() {
    let site = std::panic::Location::caller();
    let functions = ["app::main", "app::serve", "app::serve", &"f".repeat(1_000)].map(String::from);
    let sample = |nanos, track, task: Option<u64>| StackSample {
        nanos,
        track,
        task,
        spawned_at: task.map(|_| site),
        stack: functions.as_slice().into(),
    };
    let poll = EventKind::Poll { task: 5, processor: 3, source: 0, lasted: 100, outcome: PollOutcome::Ready };
    let first = batch(&[Event::new(100, poll)], 300);
    let stacks = vec![sample(150, Track::Processor(3), Some(5)), sample(350, Track::Thread(0), None)];
    let file = read(&encode(vec![first, EventBatch { stacks, ..batch(&[], 400) }], &[]));
    let found: Vec<_> = file.called(TrackEventKind::Instant, EventName::Sample.name()).collect();
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].at, found[0].track, found[0].annotations.task), (150, Track::Processor(3), Some(5)));
    assert_eq!((found[1].at, found[1].track, found[1].annotations.task), (350, Track::Thread(0), None));
    let spawned_at = found[0].annotations.spawned_at.map(|name| file.names.text(name).to_owned());
    assert_eq!(spawned_at, Some(crate::place::ShortLocation(site).to_string()));
    assert_eq!(found[1].annotations.spawned_at, None);
    let stack = found[0].annotations.stack.expect("it has one");
    assert_eq!(found[1].annotations.stack, Some(stack), "it is kept once");
    let read: Vec<_> = file.names.stack(stack).iter().map(|&name| file.names.text(name)).collect();
    assert_eq!(read, ["app::main", "app::serve", "app::serve", &"f".repeat(400)]);
}

#[test]
fn polls_and_wakes_are_read_back_as_they_were_recorded() {
    let mut random = Rng::with_seed(21);
    for _ in 0..300 {
        let (events, expected) = random_polls(&mut random);
        let until = expected.last().map_or(0, |event| event.at);
        let file = read(&encode(vec![batch(&events, until)], &[]));
        assert_eq!((file.ending, file.malformed), (FileEnding::Whole, 0));
        // But for names, which are checked below.
        let nameless = |event: &TrackEvent| TrackEvent { name: super::NameId::NONE, ..*event };
        let on_processor = |event: &&TrackEvent| matches!(event.track, Track::Processor(_));
        let found: Vec<_> = file.events.iter().filter(on_processor).map(nameless).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn every_kind_of_event_is_read_back_with_its_name() {
    let processor = 3;
    let wake = |task, spawned| EventKind::Readied { task, processor, by: WokenBy::Timer, spawned };
    let poll = |task, lasted| {
        let (source, outcome) = (TaskSource::Ring as u32, PollOutcome::Ready);
        EventKind::Poll { task, processor, source, lasted, outcome }
    };
    let events = [
        Event::new(100, EventKind::Enter(Activity::Holds(processor))),
        Event::new(110, wake(1, true)),
        Event::new(111, wake(2, false)),
        Event::new(120, EventKind::Stolen { processor, victim: 9, tasks: 17 }),
        Event::new(140, EventKind::Stall { task: 1, processor, millis: 150, asleep: true }).within(1),
        Event::new(150, EventKind::Overflow { processor, tasks: 129 }).within(1),
        Event::new(130, poll(1, 100)),
        Event::new(240, EventKind::Ended { task: 2, processor }),
        Event::new(250, EventKind::Leave(Activity::Holds(processor))),
        Event::new(260, EventKind::Turn { events: 5, timers: 6, lasted: 20 }),
        Event::new(290, EventKind::Enter(Activity::Parked)),
        Event::new(300, EventKind::Leave(Activity::Parked)),
    ];
    let sample = |processor| QueueSample { nanos: 300, processor, waiting: 77 };
    let batch = EventBatch { dropped: 4, samples: vec![sample(None), sample(Some(3))], ..batch(&events, 400) };
    let file = read(&encode(vec![batch], &[(1, "the first")]));

    let one = |kind, name: &str| {
        let found: Vec<_> = file.called(kind, name).collect();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        (found[0].at, found[0].track, found[0].annotations)
    };
    use TrackEventKind::{Begin, Instant};
    let on = Track::Processor(processor);
    assert_eq!(one(Begin, &names::holds(processor)).1, Track::Thread(0));
    assert_eq!(one(Instant, EventName::Spawn.name()).2.woken_by, Some(WakeCause::Timer));
    assert_eq!(one(Instant, EventName::Wake.name()).2.task, Some(2));
    let (_, track, steal) = one(Instant, EventName::Steal.name());
    assert_eq!((track, steal.victim, steal.tasks), (on, Some(9), Some(17)));
    let (at, _, stall) = one(Instant, EventName::Stall.name());
    assert_eq!((at, stall.millis, stall.asleep), (140, Some(150), Some(true)));
    assert_eq!(one(Instant, EventName::Overflow.name()).2.tasks, Some(129));
    let (at, track, poll) = one(Begin, "the first");
    assert_eq!((at, track, poll.woken_by), (130, on, Some(WakeCause::Spawn)));
    let (_, track, turn) = one(Begin, EventName::Turn.name());
    assert_eq!((track, turn.events, turn.timers), (Track::Netpoller, Some(5), Some(6)));
    assert_eq!(one(Begin, EventName::Parked.name()).0, 290);
    assert_eq!(file.called(Instant, EventName::End.name()).count(), 2);
    let dropped = file.called(Instant, EventName::EventsDropped.name());
    assert_eq!(dropped.filter_map(|event| event.annotations.count).sum::<u64>(), 4);
    for counter in [Track::Injector, Track::Queue(processor)] {
        let counts = |event: &&TrackEvent| event.track == counter && event.kind == TrackEventKind::Counter(77);
        assert_eq!(file.events.iter().filter(counts).count(), 1);
        assert!(file.tracks.contains(&(counter, counter.name().into_owned())), "{:?}", file.tracks);
    }
    assert!(file.tracks.contains(&(Track::Thread(0), "machine".to_owned())));
}

#[test]
fn a_wait_is_read_back_within_its_poll() {
    let (processor, outcome) = (3, PollOutcome::Pending);
    let waits = EventKind::Waits { task: 1, processor, awaited: Awaited::MpscSend };
    let poll = EventKind::Poll { task: 1, processor, source: 0, lasted: 100, outcome };
    let events = [
        Event::new(230, waits).at(Some(Location::caller())).within(1),
        Event::new(130, poll).at(Some(Location::caller())),
    ];
    let file = read(&encode(vec![batch(&events, 400)], &[]));
    let on_processor = |event: &&TrackEvent| event.track == Track::Processor(processor);
    let found: Vec<_> = file.events.iter().filter(on_processor).collect();
    let [begin, wait, end] = found[..] else { panic!("{found:?}") };
    assert_eq!((begin.at, wait.at, end.at, file.name(wait)), (130, 230, 230, EventName::Wait.name()));
    let of_wait = &wait.annotations;
    assert_eq!((of_wait.task, of_wait.waits_for), (Some(1), Some(Awaited::MpscSend)));
    let (made_at, spawned_at) = (of_wait.made_at, begin.annotations.spawned_at);
    assert!(made_at.is_some_and(|place| file.names.text(place).starts_with(file!())), "{wait:?}");
    assert_eq!((of_wait.spawned_at, begin.annotations.made_at, made_at == spawned_at), (None, None, false));
}

/// A host polls a task, and the task wakes another task. The wake is on a track of the host,
/// although one thread recorded everything, and no track shows which processors are held.
#[test]
fn events_of_hosts_are_read_back_on_their_tracks() {
    let processor = 3;
    let poll = |task, at| {
        let outcome = PollOutcome::Pending;
        Event::new(at, EventKind::Poll { task, processor, source: 0, lasted: 100, outcome })
    };
    let wake = EventKind::Readied { task: 2, processor, by: WokenBy::Task(1), spawned: false };
    let in_place = [EventKind::Enter, EventKind::Leave].map(|event| event(Activity::InPlace));
    let mut batch = batch(
        &[
            Event::new(150, wake).within(1),
            poll(1, 100),
            poll(2, 300),
            Event::new(500, in_place[0]),
            Event::new(600, in_place[1]),
            poll(3, 700),
        ],
        900,
    );
    for (entry, thread) in batch.entries.iter_mut().zip([ALPHA, ALPHA, BETA, BETA, BETA, 0]) {
        entry.thread = thread;
    }
    let file = read(&encode(vec![batch], &[(1, "of alpha"), (2, "of beta")]));
    let track = |kind, name| file.called(kind, name).map(|event| event.track).collect::<Vec<_>>();
    let [alpha, beta] = [ALPHA, BETA].map(|host| Track::HostProcessor { host, processor });
    assert_eq!(track(TrackEventKind::Begin, "of alpha"), [alpha]);
    assert_eq!(track(TrackEventKind::Instant, EventName::Wake.name()), [alpha]);
    assert_eq!(track(TrackEventKind::Begin, "of beta"), [beta]);
    assert_eq!(track(TrackEventKind::Begin, EventName::InPlace.name()), [Track::Host(BETA)]);
    assert_eq!(track(TrackEventKind::Begin, EventName::UnknownTask.name()), [Track::Processor(processor)]);
    assert_eq!(track(TrackEventKind::Begin, &names::holds(processor)), []);
    let named = |track: Track, name: &str| file.tracks.contains(&(track, name.to_owned()));
    assert!(
        named(alpha, "alpha P3") && named(Track::Host(BETA), "beta") && named(beta, "beta P3"),
        "{:?}",
        file.tracks
    );
    assert!(alpha.uuid() != beta.uuid() && [alpha, beta].map(Track::processor) == [Some(processor); 2]);
}

#[test]
fn a_processor_behind_the_workers_is_a_spare() {
    let poll = |processor| {
        let outcome = PollOutcome::Pending;
        Event::new(100, EventKind::Poll { task: 1, processor, source: 0, lasted: 100, outcome })
    };
    let file = read(&encode(vec![batch(&[poll(3), poll(4)], 900)], &[]));
    for (index, name, is_spare) in [(3, "P3", false), (4, "P4 (spare)", true)] {
        assert!(file.tracks.contains(&(Track::Processor(index), name.to_owned())), "{:?}", file.tracks);
        assert_eq!(names::is_spare(name), is_spare, "{name}");
    }
}

/// Returns a random event, as a program that drops many events may leave them.
fn random_event(random: &mut Rng, stamp: u64) -> Event {
    let (task, processor) = (random.u64(1..5), [0, 1, 1_500, crate::NO_PROCESSOR][random.usize(..4)]);
    let activities = [Activity::Holds(processor), Activity::Parked, Activity::Helps, Activity::InPlace];
    let activity = activities[random.usize(..4)];
    let (source, lasted) = (random.u32(..1 << 15), random.u64(..900));
    let kind = match random.u32(..10) {
        0 | 1 => EventKind::Poll { task, processor, source, lasted, outcome: PollOutcome::ALL[random.usize(..3)] },
        2 => EventKind::Opened { task, processor, source },
        3 | 4 => EventKind::Readied { task, processor, by: CAUSES[random.usize(..4)], spawned: random.bool() },
        5 => EventKind::Ended { task, processor },
        6 => EventKind::Stall { task, processor, millis: 1, asleep: random.bool() },
        7 => EventKind::Turn { events: random.u32(..), timers: random.u32(..), lasted },
        8 => EventKind::Waits { task, processor, awaited: Awaited::ALL[random.usize(..18)] },
        _ if random.bool() => EventKind::Enter(activity),
        _ => EventKind::Leave(activity),
    };
    Event::new(stamp, kind).within(random.u32(..3))
}

fn random_file(random: &mut Rng) -> Vec<u8> {
    let (mut now, hosts) = (1_000, [0, BETA][random.usize(..2)]);
    let mut random_batch = |random: &mut Rng| {
        let mut next = || {
            now += random.u64(..500);
            random_event(random, now)
        };
        let events: Vec<_> = (0..20).map(|_| next()).collect();
        let mut batch = EventBatch { dropped: random.u64(..3), ..batch(&events, now) };
        batch.entries.iter_mut().for_each(|entry| entry.thread = random.u32(..=hosts));
        batch
    };
    encode((0..4).map(|_| random_batch(random)).collect(), &[(2, "two")])
}

#[test]
fn whatever_was_dropped_slices_end_and_times_never_go_back() {
    let mut random = Rng::with_seed(22);
    for _ in 0..300 {
        let file = read(&random_file(&mut random));
        assert_eq!((file.ending, file.malformed), (FileEnding::Whole, 0));
        let (mut open, mut last) = (OpenSlices::default(), std::collections::HashMap::new());
        for event in &file.events {
            let before = last.insert(event.track, event.at);
            assert!(before <= Some(event.at), "{event:?} after {before:?}");
            match event.kind {
                TrackEventKind::Begin => open.begin(event),
                TrackEventKind::End => drop(open.end(event)),
                _ => {}
            }
        }
        assert_eq!((open.unmatched(), open.end_all(0).len()), (0, 0));
    }
}

#[test]
fn a_file_cut_off_anywhere_is_read_up_to_there() {
    let mut random = Rng::with_seed(23);
    let bytes = random_file(&mut random);
    let whole = read(&bytes).events;
    for length in 0..bytes.len() {
        let file = read(&bytes[..length]);
        assert_eq!(file.malformed, 0, "{length} bytes");
        assert_eq!(file.events, whole[..file.events.len()], "{length} bytes");
    }
}

#[test]
fn no_damage_makes_it_panic() {
    let mut random = Rng::with_seed(24);
    let whole = random_file(&mut random);
    for _ in 0..2_000 {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..20) {
            let place = random.usize(..bytes.len());
            match random.u32(..3) {
                0 => bytes[place] = random.u8(..),
                1 => bytes[place] ^= 1 << random.u32(..8),
                _ => drop(bytes.drain(place..(place + random.usize(..9)).min(bytes.len() - 1))),
            }
        }
        read(&bytes);
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let mut random = Rng::with_seed(25);
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.usize(..80)).map(|_| random.u8(..)).collect();
        read(&bytes);
        let mut decoder = Decoder::default();
        let _ = decoder.decode(&bytes);
    }
}
