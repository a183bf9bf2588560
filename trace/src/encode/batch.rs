//! The input of an encoder: a batch of events, and the names and the clock to show them with.

use std::collections::HashMap;
use std::sync::Arc;

use crate::clock_sync::ClockSync;
use crate::event::{Event, EventKind};
use crate::int_hasher::IntHasher;

/// An event of a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchEntry {
    /// The thread that has recorded it, or the host of a simulation on which it has happened, by
    /// its place among [`EncodeContext::threads`].
    pub thread: u32,
    /// The delay, in the counter's unit, with which an untimed event is shown after its stamp.
    pub later: u32,
    /// The event.
    pub event: Event,
}

impl BatchEntry {
    /// Returns when the event is shown, by the counter.
    pub fn time(&self) -> u64 {
        self.event.stamp + u64::from(self.later)
    }
}

/// Untimed events that lie within this much, in the counter's unit, are spread over it: some
/// microseconds at most.
const CLOSE: u64 = 1 << 14;

/// Sets the times of untimed events. `entries` are one thread's, in the order of their recording.
pub fn time_events(entries: &mut [BatchEntry]) {
    let mut untimed = 0;
    for at in 0..entries.len() {
        let event = entries[at].event;
        if event.is_untimed() {
            untimed += 1;
        } else if untimed > 0 {
            spread(&mut entries[at - untimed..at], recorded_at(&event));
            untimed = 0;
        }
    }
    let last = entries.len() - untimed;
    spread(&mut entries[last..], u64::MAX);
}

/// Spreads untimed events evenly from the stamp that they share to `end`. If that is far, because
/// the poll took longer than expected, or unknown, all that is sure is their order.
fn spread(untimed: &mut [BatchEntry], end: u64) {
    let Some(first) = untimed.first() else { return };
    let gap = end.saturating_sub(first.event.stamp);
    let step = if gap < CLOSE { (gap / (untimed.len() as u64 + 1)).max(1) } else { 1 };
    for (place, entry) in (1_u64..).zip(untimed) {
        entry.later = (step * place) as u32;
    }
}

/// Returns when an event was recorded, by the counter: of a poll or a turn, its end.
pub fn recorded_at(event: &Event) -> u64 {
    match event.kind() {
        EventKind::Poll { lasted, .. } | EventKind::Turn { lasted, .. } => event.stamp + lasted,
        _ => event.stamp,
    }
}

/// The length of a queue at one moment.
#[derive(Clone, Copy, Debug)]
pub struct QueueSample {
    /// In nanoseconds of the monotonic clock.
    pub nanos: u64,
    /// The processor's index; `None` for the injector.
    pub processor: Option<u16>,
    /// How many tasks wait.
    pub waiting: u64,
}

/// The events recorded in some time, each thread's in the order of their recording. An event that
/// is earlier than one of them is in this batch or in an earlier one, unless it is a poll or a turn
/// that continues.
#[derive(Clone, Debug, Default)]
pub struct EventBatch {
    /// The events.
    pub entries: Vec<BatchEntry>,
    /// The lengths of the queues.
    pub samples: Vec<QueueSample>,
    /// How many events were dropped.
    pub dropped: u64,
    /// The end of that time, by the counter.
    pub until: u64,
}

/// A thread that records events, or a host of the simulation that a thread drives.
#[derive(Clone, Debug)]
pub struct ThreadInfo {
    /// The OS's number for it, 0 if that is not known.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// For a host: the thread that drives it, by its place among [`EncodeContext::threads`].
    pub driver: Option<u32>,
}

/// The names of tasks that have one, by the task's number.
pub type TaskNames = HashMap<u64, Arc<str>, IntHasher>;

/// The data that an encoder needs beside the events.
#[derive(Clone, Copy, Debug)]
pub struct EncodeContext<'a> {
    /// The threads, by the number that entries have.
    pub threads: &'a [ThreadInfo],
    /// The names of tasks.
    pub names: &'a TaskNames,
    /// Converts stamps to nanoseconds.
    pub clock: &'a ClockSync,
    /// True if the threads drive a simulation, whose machines have all processors on one thread.
    pub is_simulated: bool,
}

impl EncodeContext<'_> {
    /// Returns the thread that has recorded an entry with this number: its own, or a host's.
    pub(super) fn recorder_of(&self, number: u32) -> u32 {
        self.threads[number as usize].driver.unwrap_or(number)
    }

    /// Returns the host on which an entry with this number has happened, if it is a host's.
    pub(super) fn host(&self, number: u32) -> Option<u32> {
        self.threads[number as usize].driver.map(|_| number)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::event::WokenBy;
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
