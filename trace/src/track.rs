//! The tracks of a trace, and the conversion between tracks, their numbers and their names.

use std::borrow::Cow;

use crate::fields::track_event_type;
use crate::names::{self, EventName, TaskSource};

/// A track of a trace: one horizontal line of slices, instants or counter values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    /// The process that all other tracks belong to.
    Process,
    /// The turns of the netpoller.
    Netpoller,
    /// The counter that shows the number of tasks in the injector.
    Injector,
    /// The polls on the processor with this index.
    Processor(u16),
    /// The counter that shows the number of tasks queued on the processor with this index.
    Queue(u16),
    /// A thread, by its number among the threads that have recorded events.
    Thread(u64),
    /// A simulated host, by its number among the threads.
    Host(u32),
    /// The polls of a simulated host's tasks on one processor.
    HostProcessor {
        /// The number of the host among the threads.
        host: u32,
        /// The index of the processor.
        processor: u16,
    },
    /// A track that wsrt did not write.
    Unknown,
}

const PROCESS: u64 = 1;
const NETPOLLER: u64 = 10;
const INJECTOR: u64 = 11;
const PROCESSORS: u64 = 1_000;
const QUEUES: u64 = 2_000;
const THREADS: u64 = 100_000;
/// Processor indices from this number on get track numbers behind all threads' numbers.
const MANY: u64 = 1_000;
const MANY_PROCESSORS: u64 = 1 << 40;
const MANY_QUEUES: u64 = 2 << 40;
const HOSTS: u64 = 3 << 40;
const AFTER_HOSTS: u64 = 4 << 40;
/// The offset of host processors: a host's number is stored above the 16 bits of the processor's
/// index.
const HOST_PROCESSORS: u64 = 1 << 48;
const AFTER_HOST_PROCESSORS: u64 = 2 << 48;

/// Returns the number of a processor's track, counted from `few` or, for a large index, from
/// `many`.
const fn numbered(index: u16, few: u64, many: u64) -> u64 {
    let index = index as u64;
    index + if index < MANY { few } else { many }
}

impl Track {
    /// Returns the number that identifies the track in a trace, or 0 for `Unknown`.
    pub const fn uuid(self) -> u64 {
        match self {
            Track::Process => PROCESS,
            Track::Netpoller => NETPOLLER,
            Track::Injector => INJECTOR,
            Track::Processor(index) => numbered(index, PROCESSORS, MANY_PROCESSORS),
            Track::Queue(index) => numbered(index, QUEUES, MANY_QUEUES),
            Track::Thread(number) => THREADS + number,
            Track::Host(number) => HOSTS + number as u64,
            Track::HostProcessor { host, processor } => HOST_PROCESSORS + ((host as u64) << 16) + processor as u64,
            Track::Unknown => 0,
        }
    }

    /// Returns the track that the number identifies, or `Unknown` if wsrt does not use the number.
    pub fn from_uuid(uuid: u64) -> Self {
        let index = |first| u16::try_from(uuid - first);
        match uuid {
            PROCESS => Track::Process,
            NETPOLLER => Track::Netpoller,
            INJECTOR => Track::Injector,
            PROCESSORS..QUEUES => index(PROCESSORS).map_or(Track::Unknown, Track::Processor),
            QUEUES..3_000 => index(QUEUES).map_or(Track::Unknown, Track::Queue),
            THREADS..MANY_PROCESSORS => Track::Thread(uuid - THREADS),
            MANY_PROCESSORS..MANY_QUEUES => index(MANY_PROCESSORS).map_or(Track::Unknown, Track::Processor),
            HOSTS..AFTER_HOSTS => u32::try_from(uuid - HOSTS).map_or(Track::Unknown, Track::Host),
            HOST_PROCESSORS..AFTER_HOST_PROCESSORS => {
                let number = uuid - HOST_PROCESSORS;
                Track::HostProcessor { host: (number >> 16) as u32, processor: number as u16 }
            }
            MANY_QUEUES..HOSTS => index(MANY_QUEUES).map_or(Track::Unknown, Track::Queue),
            _ => Track::Unknown,
        }
    }

    /// Returns the index of the processor whose polls the track shows, whether for the whole
    /// process or for one host. Returns `None` for all other tracks.
    pub fn processor(self) -> Option<u16> {
        match self {
            Track::Processor(processor) | Track::HostProcessor { processor, .. } => Some(processor),
            _ => None,
        }
    }

    /// Returns the name of the track. The names of the process, of threads and of hosts come from
    /// the program instead.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Track::Netpoller => EventName::Netpoller.name().into(),
            Track::Injector => TaskSource::Injector.name().into(),
            Track::Processor(index) => names::processor(index).into(),
            Track::Queue(index) => names::queue(index).into(),
            Track::HostProcessor { processor, .. } => names::processor(processor).into(),
            Track::Process | Track::Thread(_) | Track::Host(_) | Track::Unknown => "".into(),
        }
    }
}

/// The kind of an event on a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackEventKind {
    /// A slice begins, nested in the slices that are already open on the track.
    Begin,
    /// The innermost open slice of the track ends.
    End,
    /// Something happens that has no duration.
    Instant,
    /// A counter takes on this value.
    Counter(u64),
}

impl TrackEventKind {
    /// Returns the number that stands for this kind in a trace.
    pub fn number(self) -> u64 {
        match self {
            TrackEventKind::Begin => track_event_type::SLICE_BEGIN,
            TrackEventKind::End => track_event_type::SLICE_END,
            TrackEventKind::Instant => track_event_type::INSTANT,
            TrackEventKind::Counter(_) => track_event_type::COUNTER,
        }
    }

    /// Returns the kind that the number stands for, or `None` if there is no such kind. `value` is
    /// the value of a counter, and is ignored for all other kinds.
    pub fn from_number(number: u64, value: u64) -> Option<Self> {
        match number {
            track_event_type::SLICE_BEGIN => Some(TrackEventKind::Begin),
            track_event_type::SLICE_END => Some(TrackEventKind::End),
            track_event_type::INSTANT => Some(TrackEventKind::Instant),
            track_event_type::COUNTER => Some(TrackEventKind::Counter(value)),
            _ => None,
        }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_whose_track_it_is() {
        for (uuid, track) in [
            (0, Track::Unknown),
            (1, Track::Process),
            (1_000, Track::Processor(0)),
            (1_999, Track::Processor(999)),
            (1 << 40 | 1_000, Track::Processor(1_000)),
            (2_007, Track::Queue(7)),
            (2 << 40 | 1_000, Track::Queue(1_000)),
            (100_003, Track::Thread(3)),
            (1 << 40 | 1 << 16, Track::Unknown),
            (3 << 40 | 3, Track::Host(3)),
            (1 << 48 | 3 << 16 | 7, Track::HostProcessor { host: 3, processor: 7 }),
            (4 << 40, Track::Unknown),
            (2 << 48, Track::Unknown),
            (u64::MAX, Track::Unknown),
        ] {
            assert_eq!(Track::from_uuid(uuid), track, "{uuid}");
        }
    }

    #[test]
    fn each_track_has_a_number_of_its_own() {
        let indexed = (0..=u16::MAX).flat_map(|index| [Track::Processor(index), Track::Queue(index)]);
        let threads = [0, 1, 4_000_000_000].map(Track::Thread);
        let single = [Track::Process, Track::Netpoller, Track::Injector, Track::Unknown];
        let processors = |host| [0, u16::MAX].map(|processor| Track::HostProcessor { host, processor });
        let hosts =
            [0, 1, u32::MAX].into_iter().flat_map(|host| [Track::Host(host)].into_iter().chain(processors(host)));
        for track in indexed.chain(threads).chain(single).chain(hosts) {
            assert_eq!(Track::from_uuid(track.uuid()), track, "{}", track.uuid());
        }
    }
}
