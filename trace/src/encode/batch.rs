//! The input of the encoder: batches of events, and the names and the clock that are needed to show
//! them.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

use crate::clock_sync::ClockSync;
use crate::event::Event;
use crate::int_hasher::IntHasher;
use crate::track::Track;

/// An event in a batch, with the thread or host that it is shown on.
#[derive(Clone, Copy, Debug)]
pub struct BatchEntry {
    /// The thread that recorded the event, or the simulated host on which the event happened, as an
    /// index into [`EncodeContext::threads`].
    pub thread: u32,
    /// For an untimed event, the delay after its stamp with which the event is shown, in units of
    /// the counter.
    pub later: u32,
    /// The event itself.
    pub event: Event,
}

impl BatchEntry {
    /// Returns the time at which the event is shown, in units of the counter.
    pub fn time(&self) -> u64 {
        self.event.stamp + u64::from(self.later)
    }
}

/// The maximum period, in units of the counter, over which untimed events are spread: a few
/// microseconds at most.
const CLOSE: u64 = 1 << 14;

/// Assigns times to untimed events. `entries` must be the events of one thread, in the order in
/// which they were recorded.
pub fn time_events(entries: &mut [BatchEntry]) {
    let mut untimed = 0;
    for at in 0..entries.len() {
        let event = entries[at].event;
        if event.is_untimed() {
            untimed += 1;
        } else if untimed > 0 {
            spread(&mut entries[at - untimed..at], event.recorded_at());
            untimed = 0;
        }
    }
    let last = entries.len() - untimed;
    spread(&mut entries[last..], u64::MAX);
}

/// Spreads untimed events evenly between their common stamp and `end`. If `end` is unknown, or far
/// away because the poll took longer than expected, only the order of the events is preserved.
fn spread(untimed: &mut [BatchEntry], end: u64) {
    let Some(first) = untimed.first() else { return };
    let gap = end.saturating_sub(first.event.stamp);
    let step = if gap < CLOSE { (gap / (untimed.len() as u64 + 1)).max(1) } else { 1 };
    for (place, entry) in (1_u64..).zip(untimed) {
        entry.later = (step * place) as u32;
    }
}

/// The length of a run queue at one moment.
#[derive(Clone, Copy, Debug)]
pub struct QueueSample {
    /// The time of the sample, in nanoseconds of the monotonic clock.
    pub nanos: u64,
    /// The index of the processor that owns the queue, or `None` for the injector.
    pub processor: Option<u16>,
    /// The number of tasks that wait in the queue.
    pub waiting: u64,
}

/// A sample of what a thread used CPU time for.
#[derive(Clone, Debug)]
pub struct StackSample {
    /// The time of the sample, in nanoseconds of the monotonic clock.
    pub nanos: u64,
    /// The processor in whose poll the thread was, or else the thread.
    pub track: Track,
    /// The id of the task that was polled, if there was one.
    pub task: Option<u64>,
    /// The location at which the task or the blocking job was spawned, if there was one.
    pub spawned_at: Option<&'static Location<'static>>,
    /// The functions that the thread was in, the outermost first.
    pub stack: Arc<[String]>,
}

/// The events that were recorded during some period, with the events of each thread in the order of
/// recording.
///
/// An event that happened before one of these events is in this batch or in an earlier one, unless
/// it is a poll or a turn of the netpoller that has not ended yet.
#[derive(Clone, Debug, Default)]
pub struct EventBatch {
    /// The events of all threads.
    pub entries: Vec<BatchEntry>,
    /// The samples of queue lengths.
    pub samples: Vec<QueueSample>,
    /// The CPU samples that were named during the period. They were taken then or earlier.
    pub stacks: Vec<StackSample>,
    /// The number of events that were dropped during the period.
    pub dropped: u64,
    /// The end of the period, in units of the counter.
    pub until: u64,
}

/// A thread that records events, or a simulated host that is driven by a thread.
#[derive(Clone, Debug)]
pub struct ThreadInfo {
    /// The operating system's id of the thread, or 0 if the id is unknown.
    pub tid: u32,
    /// The name of the thread or host.
    pub name: String,
    /// For a host, the thread that drives the host, as an index into [`EncodeContext::threads`].
    /// `None` for a thread.
    pub driver: Option<u32>,
}

/// The names of named tasks, by task id.
pub type TaskNames = HashMap<u64, Arc<str>, IntHasher>;

/// The data that the encoder needs in addition to the events.
#[derive(Clone, Copy, Debug)]
pub struct EncodeContext<'a> {
    /// The threads and hosts that entries refer to by index.
    pub threads: &'a [ThreadInfo],
    /// The names of tasks.
    pub names: &'a TaskNames,
    /// The converter from stamps to nanoseconds.
    pub clock: &'a ClockSync,
    /// True if the threads drive a simulation, in which one thread runs the machines of all
    /// processors.
    pub is_simulated: bool,
    /// The number of processors that are no spares. The indices of spares are this or more.
    pub workers: usize,
}

impl EncodeContext<'_> {
    /// Returns the index of the thread that recorded an entry: the entry's own thread, or the
    /// thread that drives the entry's host.
    pub(super) fn recorder_of(&self, number: u32) -> u32 {
        self.threads[number as usize].driver.unwrap_or(number)
    }

    /// Returns the index of the host on which an entry happened, or `None` if the entry belongs to
    /// a thread.
    pub(super) fn host(&self, number: u32) -> Option<u32> {
        self.threads[number as usize].driver.map(|_| number)
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::event::{EventKind, WokenBy};
    use crate::names::PollOutcome;

    fn wake(stamp: u64) -> Event {
        Event::new(stamp, EventKind::Readied { task: 1, processor: 0, by: WokenBy::Outside, spawned: false })
    }

    fn poll(begun: u64, lasted: u64) -> Event {
        let outcome = PollOutcome::Pending;
        Event::new(begun, EventKind::Poll { task: 1, processor: 0, source: 0, lasted, outcome })
    }

    fn times(events: &[Event]) -> Vec<u64> {
        let mut entries: Vec<_> = events.iter().map(|&event| BatchEntry { thread: 0, later: 0, event }).collect();
        time_events(&mut entries);
        entries.iter().map(BatchEntry::time).collect()
    }

    #[test]
    fn untimed_events_are_spread_between_the_stamps_around_them() {
        let events = [wake(100).untimed(), wake(100).untimed(), wake(160), wake(160).untimed(), poll(100, 100)];
        assert_eq!(times(&events), [120, 140, 160, 180, 100]);
    }

    #[test]
    fn untimed_events_of_a_long_poll_stand_at_its_beginning() {
        assert_eq!(times(&[wake(100).untimed(), wake(100).untimed(), poll(100, 1 << 20)]), [101, 102, 100]);
    }

    #[test]
    fn untimed_events_at_the_end_stand_right_behind_their_stamp() {
        assert_eq!(times(&[wake(100), wake(100).untimed()]), [100, 101]);
    }
}
