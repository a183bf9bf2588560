//! How threads spent their time: holding processors, asleep, waiting in the netpoller, or running
//! blocking jobs.

use std::collections::HashMap;

use wsrt_trace::decode::{NameId, TrackSlice};
use wsrt_trace::{EventName, names};

/// The maximum number of threads. No real process has more, but a damaged file might.
const MOST: usize = 1 << 13;

/// What a thread is doing.
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

/// The activity of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    pub(crate) name: Option<NameId>,
    /// The operating system's id of the thread, if known.
    pub(crate) id: Option<u64>,
    /// Nanoseconds per activity, in the order of [`Doing::ALL`].
    pub(crate) times: [u64; Doing::ALL.len()],
}

impl Thread {
    /// Returns how long the thread worked for the runtime, in nanoseconds.
    pub(crate) fn active(&self) -> u64 {
        self.times[..Doing::Netpoller as usize].iter().sum()
    }
}

/// The threads of a trace, by track number.
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

    pub(crate) fn slice(&mut self, number: u64, text: &str, slice: &TrackSlice) {
        if let Some(thread) = self.thread(number) {
            let time = &mut thread.times[Doing::of(text) as usize];
            *time = time.saturating_add(slice.own);
        }
    }

    /// Returns the threads that did anything, with the most active ones first.
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
