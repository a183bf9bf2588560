//! Polls: how long they took, how long their tasks had waited before, and the longest polls.

use wsrt_trace::TaskSource;
use wsrt_trace::decode::TrackSlice;

use super::durations::Durations;
use super::longest::Longest;
use super::processors::source_of;

const SLOWEST: usize = 10;

/// The polls whose tasks were found in the same kind of place.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) polls: u64,
    /// The total duration of the polls, in nanoseconds.
    pub(crate) busy: u64,
    pub(crate) waits: Durations,
}

/// One poll of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    pub(crate) processor: u32,
    pub(crate) slice: TrackSlice,
}

/// All polls of a trace.
#[derive(Debug)]
pub(crate) struct Polls {
    pub(crate) times: Durations,
    /// The times from the wake of a task to its poll.
    pub(crate) waits: Durations,
    /// The polls by the place where their tasks were found, in the order of [`TaskSource::ALL`].
    pub(crate) found: Vec<Found>,
    pub(crate) slowest: Longest<Poll>,
}

impl Polls {
    pub(crate) fn new() -> Self {
        let found = Found { polls: 0, busy: 0, waits: Durations::new() };
        Self {
            times: Durations::new(),
            waits: Durations::new(),
            found: vec![found; TaskSource::ALL.len()],
            slowest: Longest::new(SLOWEST),
        }
    }

    pub(crate) fn add(&mut self, poll: Poll) {
        let slice = &poll.slice;
        let found = &mut self.found[source_of(&slice.annotations) as usize];
        found.polls += 1;
        found.busy += slice.own;
        if let Some(waited) = slice.annotations.waited {
            found.waits.add(waited);
            self.waits.add(waited);
        }
        self.times.add(slice.duration);
        self.slowest.offer(slice.duration, poll);
    }
}
