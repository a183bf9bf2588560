//! The tracks of a file. A track is described before its first event, its times never decrease but
//! for CPU samples, and every slice that begins on the track also ends.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::batch::ThreadInfo;
use super::packets::{EventBody, PacketWriter, TrackDescriptor};
use crate::event::Activity;
use crate::int_hasher::IntHasher;
use crate::names;
use crate::track::{Track, TrackEventKind};

/// The netpoller's position among the tracks, which is behind all processors.
const NETPOLLER_RANK: u64 = 1 << 20;
/// The position of simulated hosts, which is behind the netpoller.
const HOST_RANK: u64 = 1 << 21;

fn describe(track: Track, packets: &mut PacketWriter, threads: &[ThreadInfo], workers: usize) {
    let pid = u64::from(std::process::id());
    let name = match track {
        Track::Processor(index) if usize::from(index) >= workers => names::spare_processor(index).into(),
        _ => track.name(),
    };
    let descriptor = match track {
        Track::Process => TrackDescriptor::Process { pid, name: &process_name() },
        Track::Netpoller => slices(&name, Track::Process, NETPOLLER_RANK),
        Track::Processor(index) => slices(&name, Track::Process, index.into()),
        Track::Host(number) => slices(&threads[number as usize].name, Track::Process, HOST_RANK + u64::from(number)),
        Track::HostProcessor { host, processor } => {
            let name = format!("{} {name}", threads[host as usize].name);
            return packets.describe(track, &slices(&name, Track::Host(host), processor.into()));
        }
        Track::Injector | Track::Queue(_) => TrackDescriptor::Counter { name: &name },
        Track::Thread(number) => {
            let info = &threads[number as usize];
            TrackDescriptor::Thread { pid, tid: info.tid.into(), name: &info.name }
        }
        Track::Unknown => return,
    };
    packets.describe(track, &descriptor);
}

fn slices(name: &str, parent: Track, rank: u64) -> TrackDescriptor<'_> {
    TrackDescriptor::Slices { name, parent, rank }
}

/// The state of one track.
#[derive(Debug)]
struct TrackState {
    track: Track,
    /// The time of the track's last event.
    last: u64,
    /// The slices that are open on the track, the outermost first. Polls and turns of the netpoller
    /// are `None`.
    open: Vec<Option<Activity>>,
    /// The last value of the counter, if the track is one.
    value: Option<u64>,
}

/// All tracks of a file.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    states: HashMap<u64, TrackState, IntHasher>,
    /// The latest time on any track.
    latest: u64,
}

impl Tracks {
    /// Returns the latest time on any track, in nanoseconds.
    pub(super) fn latest(&self) -> u64 {
        self.latest
    }

    /// Describes a track in the file, unless it has been described before. `workers` is the number
    /// of processors that are no spares.
    pub(super) fn introduce(
        &mut self,
        packets: &mut PacketWriter,
        track: Track,
        threads: &[ThreadInfo],
        workers: usize,
    ) {
        if let Entry::Vacant(vacant) = self.states.entry(track.uuid()) {
            vacant.insert(TrackState { track, last: 0, open: Vec::new(), value: None });
            describe(track, packets, threads, workers);
        }
    }

    fn state(&mut self, track: Track) -> &mut TrackState {
        self.states.get_mut(&track.uuid()).expect("a track is introduced before it is used")
    }

    /// Returns the time to use on a track. A time before the track's last event is moved up to that
    /// event, because the clocks of two cores may differ slightly.
    fn advance(&mut self, track: Track, time: u64) -> u64 {
        let state = self.state(track);
        state.last = state.last.max(time);
        let time = state.last;
        self.latest = self.latest.max(time);
        time
    }

    /// Begins a slice, which is an activity of a thread, a poll, or a turn of the netpoller.
    pub(super) fn begin(
        &mut self,
        packets: &mut PacketWriter,
        track: Track,
        time: u64,
        activity: Option<Activity>,
        body: &EventBody<'_>,
    ) {
        let time = self.advance(track, time);
        self.state(track).open.push(activity);
        packets.event(TrackEventKind::Begin, time, track, body);
    }

    pub(super) fn instant(&mut self, packets: &mut PacketWriter, track: Track, time: u64, body: &EventBody<'_>) {
        let time = self.advance(track, time);
        packets.event(TrackEventKind::Instant, time, track, body);
    }

    /// Writes an instant that may be earlier than the track's last event.
    pub(super) fn late_instant(&mut self, packets: &mut PacketWriter, track: Track, time: u64, body: &EventBody<'_>) {
        self.latest = self.latest.max(time);
        packets.event(TrackEventKind::Instant, time, track, body);
    }

    /// Ends the innermost open slice of a track, if there is one.
    pub(super) fn end(&mut self, packets: &mut PacketWriter, track: Track, time: u64, body: &EventBody<'_>) {
        let time = self.advance(track, time);
        if self.state(track).open.pop().is_some() {
            packets.event(TrackEventKind::End, time, track, body);
        }
    }

    /// Ends an activity if it is open, together with the slices that began within it.
    pub(super) fn end_activity(&mut self, packets: &mut PacketWriter, track: Track, time: u64, activity: Activity) {
        let Some(at) = self.state(track).open.iter().rposition(|open| *open == Some(activity)) else { return };
        for _ in at..self.state(track).open.len() {
            self.end(packets, track, time, &EventBody::EMPTY);
        }
    }

    /// Returns whether an activity is open on a track.
    pub(super) fn is_open(&self, track: Track, activity: Activity) -> bool {
        self.states.get(&track.uuid()).is_some_and(|state| state.open.contains(&Some(activity)))
    }

    /// Ends all open slices of a track.
    pub(super) fn end_all(&mut self, packets: &mut PacketWriter, track: Track, time: u64) {
        for _ in 0..self.state(track).open.len() {
            self.end(packets, track, time, &EventBody::EMPTY);
        }
    }

    /// Returns whether any slice is open on a track.
    pub(super) fn has_open(&self, track: Track) -> bool {
        self.states.get(&track.uuid()).is_some_and(|state| !state.open.is_empty())
    }

    /// Ends all open slices of all tracks.
    pub(super) fn close(&mut self, packets: &mut PacketWriter) {
        for state in self.states.values_mut() {
            for _ in state.open.drain(..) {
                packets.event(TrackEventKind::End, self.latest, state.track, &EventBody::EMPTY);
            }
        }
    }

    /// Sets the value of a counter.
    pub(super) fn count(&mut self, packets: &mut PacketWriter, track: Track, time: u64, value: u64) {
        let time = self.advance(track, time);
        if self.state(track).value.replace(value) != Some(value) {
            packets.count(time, track, value);
        }
    }
}

fn process_name() -> String {
    let program = std::env::args_os().next();
    let path = program.as_deref().map(std::path::Path::new);
    path.and_then(|path| path.file_name()).map_or_else(|| "wsrt".into(), |name| name.to_string_lossy().into_owned())
}
