//! What a trace of wsrt says: tracks, and the events on them.

use super::strings::Name;

/// Processors have indices below this.
pub const MOST_PROCESSORS: u64 = 1 << 16;

/// Whose line of events it is. The numbers are those that wsrt gives its tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Track {
    Process,
    Netpoller,
    /// The counter of the injector's length.
    Injector,
    Processor(u32),
    /// The counter of the tasks that wait on a processor.
    Queue(u32),
    /// A machine, or any other thread.
    Thread(u64),
    Unknown,
}

impl Track {
    pub fn of(uuid: u64) -> Self {
        // Processors and queues from the thousandth on have numbers of their own.
        let (many, index) = (uuid >> 40, uuid & 0xff_ffff_ffff);
        match uuid {
            1 => Track::Process,
            10 => Track::Netpoller,
            11 => Track::Injector,
            1_000..=1_999 => Track::Processor((uuid - 1_000) as u32),
            2_000..=2_999 => Track::Queue((uuid - 2_000) as u32),
            100_000.. if many == 0 => Track::Thread(uuid),
            _ if many == 1 && index < MOST_PROCESSORS => Track::Processor(index as u32),
            _ if many == 2 && index < MOST_PROCESSORS => Track::Queue(index as u32),
            _ => Track::Unknown,
        }
    }
}

/// Where the task of a poll was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Runnext,
    Ring,
    Injector,
    Network,
    Timer,
    Stolen,
    /// Among the tasks of a `LocalSet`, which polls them within its own poll.
    Local,
    /// The trace does not say.
    Untold,
}

impl Source {
    pub const ALL: [Source; 8] = [
        Source::Runnext,
        Source::Ring,
        Source::Injector,
        Source::Network,
        Source::Timer,
        Source::Stolen,
        Source::Local,
        Source::Untold,
    ];

    pub fn of(text: &str) -> Self {
        match text {
            "runnext" => Source::Runnext,
            "ring" => Source::Ring,
            "injector" => Source::Injector,
            "network" => Source::Network,
            "timer" => Source::Timer,
            "stolen" => Source::Stolen,
            "local" => Source::Local,
            _ => Source::Untold,
        }
    }

    pub fn text(self) -> &'static str {
        ["runnext", "ring", "injector", "network", "timer", "stolen", "local", "not told"][self as usize]
    }
}

/// Who readied a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WokenBy {
    Task,
    Network,
    Timer,
    Outside,
    Spawn,
}

impl WokenBy {
    pub const ALL: [WokenBy; 5] = [WokenBy::Task, WokenBy::Network, WokenBy::Timer, WokenBy::Outside, WokenBy::Spawn];

    pub fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.text() == text)
    }

    pub fn text(self) -> &'static str {
        ["task", "network", "timer", "outside", "spawn"][self as usize]
    }
}

/// What kind of event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Begin,
    End,
    Instant,
    /// With the counter's new value.
    Counter(u64),
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// In nanoseconds, on the clock of the trace.
    pub at: u64,
    pub track: Track,
    pub kind: Kind,
    pub name: Name,
    pub details: Details,
}

/// What an event's annotations say; each event has a few of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub task: Option<u64>,
    pub source: Option<Source>,
    pub victim: Option<u64>,
    pub spawned_at: Option<Name>,
    pub woken_by: Option<WokenBy>,
    pub waited: Option<u64>,
    /// Whether the poll was its task's last.
    pub ready: Option<bool>,
    /// How many tasks were moved.
    pub tasks: Option<u64>,
    pub milliseconds: Option<u64>,
    pub asleep: Option<bool>,
    /// How many sockets the netpoller found ready, and timers due.
    pub events: Option<u64>,
    pub timers: Option<u64>,
    /// How many events were dropped.
    pub count: Option<u64>,
}

/// What a packet had to say.
#[derive(Clone, Copy, Debug)]
pub enum Said {
    Event(Event),
    /// A track has this name, and belongs to the process or the thread with this number.
    Track {
        uuid: u64,
        name: Name,
        id: Option<u64>,
    },
    Nothing,
}

#[cfg(test)]
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
            (100_003, Track::Thread(100_003)),
            (1 << 40 | MOST_PROCESSORS, Track::Unknown),
            (u64::MAX, Track::Unknown),
        ] {
            assert_eq!(Track::of(uuid), track, "{uuid}");
        }
    }
}
