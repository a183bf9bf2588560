//! The tracks of a file: each is described before its first event, its times never go back, and what begins on it ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::batch::ThreadFacts;
use super::packets::{Kind, Note, PROCESS, Packets, Shown, Text, Track, Value};
use crate::Span;
use crate::int_hasher::Scatter;

/// What a track is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Process,
    /// Where the netpoller's turns are.
    Netpoller,
    Processor(u16),
    /// By its number among those that have shown something.
    Thread(u32),
    /// How many tasks wait on a processor; `None` is the injector.
    Queue(Option<u16>),
}

impl Place {
    /// The number that stands for it in the file.
    fn uuid(self) -> u64 {
        /// Indices from here on are numbered elsewhere.
        const MANY: u16 = 1_000;
        match self {
            Self::Process => PROCESS,
            Self::Netpoller => 10,
            Self::Queue(None) => 11,
            Self::Processor(index) if index < MANY => 1_000 + u64::from(index),
            Self::Processor(index) => 1 << 40 | u64::from(index),
            Self::Queue(Some(index)) if index < MANY => 2_000 + u64::from(index),
            Self::Queue(Some(index)) => 2 << 40 | u64::from(index),
            Self::Thread(number) => 100_000 + u64::from(number),
        }
    }

    fn describe(self, packets: &mut Packets, threads: &[ThreadFacts]) {
        let pid = u64::from(std::process::id());
        let (processor, queue);
        let track = match self {
            Self::Process => Track::Process { pid, name: &process_name() },
            Self::Netpoller => Track::Lane { name: "netpoller", rank: 1 << 20 },
            Self::Queue(None) => Track::Counter { name: "injector" },
            Self::Processor(index) => {
                processor = format!("P{index}");
                Track::Lane { name: &processor, rank: index.into() }
            }
            Self::Queue(Some(index)) => {
                queue = format!("queue P{index}");
                Track::Counter { name: &queue }
            }
            Self::Thread(number) => {
                let facts = &threads[number as usize];
                Track::Thread { pid, tid: facts.tid.into(), name: &facts.name }
            }
        };
        packets.describe(self.uuid(), &track);
    }
}

/// What is known of one track.
#[derive(Debug)]
struct State {
    /// The time of its last event.
    last: u64,
    /// What has begun on it and not ended, the outermost first. `None` for polls and turns.
    open: Vec<Option<Span>>,
    /// The last value of a counter.
    value: Option<u64>,
}

/// All tracks of a file.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    states: HashMap<u64, State, Scatter>,
    /// The latest time of all.
    latest: u64,
}

/// What is to be shown on a track.
#[derive(Debug)]
pub(crate) struct Mark<'a> {
    pub(crate) name: Option<Text>,
    pub(crate) notes: &'a [(Note, Value)],
    pub(crate) flow: Option<u64>,
    pub(crate) ends: &'a [u64],
}

impl Mark<'_> {
    pub(crate) const END: Mark<'static> = Mark { name: None, notes: &[], flow: None, ends: &[] };
}

impl Tracks {
    /// The latest time of all, in nanoseconds.
    pub(crate) fn latest(&self) -> u64 {
        self.latest
    }

    /// Describes a track, if that is still to be done.
    pub(crate) fn introduce(&mut self, packets: &mut Packets, track: Place, threads: &[ThreadFacts]) {
        if let Entry::Vacant(vacant) = self.states.entry(track.uuid()) {
            vacant.insert(State { last: 0, open: Vec::new(), value: None });
            track.describe(packets, threads);
        }
    }

    fn state(&mut self, track: Place) -> &mut State {
        self.states.get_mut(&track.uuid()).expect("a track is introduced before it is used")
    }

    /// The time on a track: what would lie before the last event there is moved up to it. Clocks of cores may differ by a hair.
    fn advance(&mut self, track: Place, time: u64) -> u64 {
        let state = self.state(track);
        state.last = state.last.max(time);
        let time = state.last;
        self.latest = self.latest.max(time);
        time
    }

    pub(crate) fn begin(
        &mut self,
        packets: &mut Packets,
        track: Place,
        time: u64,
        span: Option<Span>,
        mark: &Mark<'_>,
    ) {
        let time = self.advance(track, time);
        self.state(track).open.push(span);
        show(packets, Kind::Begin, track, time, mark);
    }

    pub(crate) fn instant(&mut self, packets: &mut Packets, track: Place, time: u64, mark: &Mark<'_>) {
        let time = self.advance(track, time);
        show(packets, Kind::Instant, track, time, mark);
    }

    /// Ends what began last. Nothing, if nothing has.
    pub(crate) fn end(&mut self, packets: &mut Packets, track: Place, time: u64, mark: &Mark<'_>) {
        let time = self.advance(track, time);
        if self.state(track).open.pop().is_some() {
            show(packets, Kind::End, track, time, mark);
        }
    }

    /// Ends the span, and what has begun in it. Nothing, if it is not open.
    pub(crate) fn end_span(&mut self, packets: &mut Packets, track: Place, time: u64, span: Span) {
        let Some(at) = self.state(track).open.iter().rposition(|open| *open == Some(span)) else { return };
        for _ in at..self.state(track).open.len() {
            self.end(packets, track, time, &Mark::END);
        }
    }

    /// Whether a span is open on a track.
    pub(crate) fn is_open(&self, track: Place, span: Span) -> bool {
        self.states.get(&track.uuid()).is_some_and(|state| state.open.contains(&Some(span)))
    }

    /// Ends all that is open on a track.
    pub(crate) fn end_all(&mut self, packets: &mut Packets, track: Place, time: u64) {
        for _ in 0..self.state(track).open.len() {
            self.end(packets, track, time, &Mark::END);
        }
    }

    /// Whether anything is open on a track.
    pub(crate) fn has_open(&self, track: Place) -> bool {
        self.states.get(&track.uuid()).is_some_and(|state| !state.open.is_empty())
    }

    /// Ends all that is open anywhere.
    pub(crate) fn close(&mut self, packets: &mut Packets) {
        for (&uuid, state) in &mut self.states {
            for _ in state.open.drain(..) {
                packets.show(&Shown {
                    kind: Kind::End,
                    time: self.latest,
                    track: uuid,
                    name: None,
                    notes: &[],
                    flow: None,
                    ends: &[],
                });
            }
        }
    }

    pub(crate) fn count(&mut self, packets: &mut Packets, track: Place, time: u64, value: u64) {
        let time = self.advance(track, time);
        if self.state(track).value.replace(value) != Some(value) {
            packets.count(time, track.uuid(), value);
        }
    }
}

fn show(packets: &mut Packets, kind: Kind, track: Place, time: u64, mark: &Mark<'_>) {
    let &Mark { name, notes, flow, ends } = mark;
    packets.show(&Shown { kind, time, track: track.uuid(), name, notes, flow, ends });
}

fn process_name() -> String {
    let program = std::env::args_os().next();
    let path = program.as_deref().map(std::path::Path::new);
    path.and_then(|path| path.file_name()).map_or_else(|| "wsrt".into(), |name| name.to_string_lossy().into_owned())
}
