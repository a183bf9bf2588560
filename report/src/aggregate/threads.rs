//! The time of the threads: processors held, sleep, waits in the netpoller, blocking jobs.

use std::collections::HashMap;

use wsrt_trace::decode::{NameId, Slice};
use wsrt_trace::{EventName, names};

/// More threads than any process has; a damaged file may have more.
const MOST: usize = 1 << 13;

/// An occupation of a thread.
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
        match EventName::from_name(slice) {
            Some(EventName::Helps) => Doing::Helps,
            Some(EventName::InPlace) => Doing::InPlace,
            Some(EventName::BlockingJob) => Doing::Blocking,
            Some(EventName::Netpoller) => Doing::Netpoller,
            Some(EventName::Parked) => Doing::Parked,
            _ if names::processor_held(slice).is_some() => Doing::Holds,
            _ => Doing::Other,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        [
            "holds a processor",
            "helps a parallel region",
            "block_in_place",
            EventName::BlockingJob.name(),
            "waits in the netpoller",
            EventName::Parked.name(),
            "other",
        ][self as usize]
    }
}

/// A thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: Option<NameId>,
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
    pub(crate) fn name(&mut self, number: u64, name: NameId, id: Option<u64>) {
        if let Some(thread) = self.thread(number) {
            thread.name = Some(name);
            thread.id = id;
        }
    }

    pub(crate) fn slice(&mut self, number: u64, text: &str, slice: &Slice) {
        if let Some(thread) = self.thread(number) {
            let time = &mut thread.times[Doing::of(text) as usize];
            *time = time.saturating_add(slice.own);
        }
    }

    /// The threads that did anything, the most active first.
    pub(crate) fn by_activity(&self) -> Vec<(u64, Thread)> {
        let is_seen = |thread: &Thread| thread.times.iter().any(|time| *time > 0);
        let mut threads: Vec<_> = self
            .known
            .iter()
            .filter(|(_, thread)| is_seen(thread))
            .map(|(number, thread)| (*number, *thread))
            .collect();
        threads.sort_unstable_by_key(|(number, thread)| (u64::MAX - thread.active(), *number));
        threads
    }

    fn thread(&mut self, number: u64) -> Option<&mut Thread> {
        let has_room = self.known.len() < MOST || self.known.contains_key(&number);
        has_room.then(|| self.known.entry(number).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_says_what_its_thread_does() {
        assert_eq!(
            (Doing::of(&names::holds(3)), Doing::of(EventName::Parked.name()), Doing::of("?")),
            (Doing::Holds, Doing::Parked, Doing::Other)
        );
    }
}
