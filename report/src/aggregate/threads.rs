//! What the threads did: held processors, slept, waited in the netpoller, ran blocking jobs.

use std::collections::HashMap;

use wsrt_trace::decode::{MOST_PROCESSORS, Name, Slice};

/// A process has not so many; a damaged file may.
const MOST: usize = 1 << 13;

/// What a thread may be at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Holds,
    Helps,
    InPlace,
    Blocking,
    Netpoller,
    Parked,
    Other,
}

impl Doing {
    pub(crate) const ALL: [Doing; 7] =
        [Doing::Holds, Doing::Helps, Doing::InPlace, Doing::Blocking, Doing::Netpoller, Doing::Parked, Doing::Other];

    fn of(slice: &str) -> Self {
        match slice {
            "helps" => Doing::Helps,
            "in place" => Doing::InPlace,
            "blocking job" => Doing::Blocking,
            "netpoller" => Doing::Netpoller,
            "parked" => Doing::Parked,
            _ if slice.starts_with("holds P") => Doing::Holds,
            _ => Doing::Other,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        [
            "holds a processor",
            "helps a parallel region",
            "block_in_place",
            "blocking job",
            "waits in the netpoller",
            "parked",
            "other",
        ][self as usize]
    }
}

/// The processor that a slice of this name holds.
pub(crate) fn processor_held(slice: &str) -> Option<u32> {
    slice.strip_prefix("holds P")?.parse().ok().filter(|index| u64::from(*index) < MOST_PROCESSORS)
}

/// A thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: Option<Name>,
    /// The operating system's number for it.
    pub(crate) id: Option<u64>,
    /// Nanoseconds, in the order of [`Doing::ALL`].
    pub(crate) times: [u64; Doing::ALL.len()],
}

impl Thread {
    /// Nanoseconds in which it did something for the runtime.
    pub(crate) fn active(&self) -> u64 {
        self.times[..Doing::Netpoller as usize].iter().sum()
    }
}

/// The threads, by the number of their track.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    known: HashMap<u64, Thread>,
}

impl Threads {
    pub(crate) fn name(&mut self, uuid: u64, name: Name, id: Option<u64>) {
        if let Some(thread) = self.thread(uuid) {
            thread.name = Some(name);
            thread.id = id;
        }
    }

    pub(crate) fn slice(&mut self, uuid: u64, text: &str, slice: &Slice) {
        if let Some(thread) = self.thread(uuid) {
            let time = &mut thread.times[Doing::of(text) as usize];
            *time = time.saturating_add(slice.own);
        }
    }

    /// Those that did anything, the most active first.
    pub(crate) fn by_activity(&self) -> Vec<(u64, Thread)> {
        let is_seen = |thread: &Thread| thread.times.iter().any(|time| *time > 0);
        let mut threads: Vec<_> =
            self.known.iter().filter(|(_, thread)| is_seen(thread)).map(|(uuid, thread)| (*uuid, *thread)).collect();
        threads.sort_unstable_by_key(|(uuid, thread)| (u64::MAX - thread.active(), *uuid));
        threads
    }

    fn thread(&mut self, uuid: u64) -> Option<&mut Thread> {
        let has_room = self.known.len() < MOST || self.known.contains_key(&uuid);
        has_room.then(|| self.known.entry(uuid).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_says_which_processor_is_held() {
        assert_eq!(processor_held("holds P12"), Some(12));
        for other in ["holds P", "holds P-1", "holds P4000000000000", "parked", "holds P65536"] {
            assert_eq!(processor_held(other), None, "{other}");
        }
        assert_eq!(
            (Doing::of("holds P3"), Doing::of("parked"), Doing::of("?")),
            (Doing::Holds, Doing::Parked, Doing::Other)
        );
    }
}
