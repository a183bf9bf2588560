//! What the recorder hands to those who make something of it: a batch of events, and what is known of their surroundings.

use std::collections::HashMap;
use std::sync::Arc;

use crate::clock_sync::Anchors;
use crate::int_hasher::Scatter;
use crate::{Event, What};

/// An event, and the number of the thread that has written it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub thread: u32,
    /// By how much, in the counter's unit, the event is shown later than its stamp: an untimed one, somewhere between two looks at
    /// the counter.
    pub later: u32,
    pub event: Event,
}

/// Untimed events that lie within this much, in the counter's unit, are spread over it: some microseconds at most.
const CLOSE: u64 = 1 << 14;

/// Times one thread's events, in the order in which they were written.
pub fn time(entries: &mut [Entry]) {
    let mut untimed = 0;
    for at in 0..entries.len() {
        let event = entries[at].event;
        if event.is_untimed() {
            untimed += 1;
        } else if untimed > 0 {
            spread(&mut entries[at - untimed..at], written_at(&event));
            untimed = 0;
        }
    }
    let last = entries.len() - untimed;
    spread(&mut entries[last..], u64::MAX);
}

/// Spreads untimed events from their stamp, which they share, to `end`. If that is far, in a poll that was expected to be light and was
/// not, or not known yet, all that can be said is that they came one after the other.
fn spread(untimed: &mut [Entry], end: u64) {
    let Some(first) = untimed.first() else { return };
    let gap = end.saturating_sub(first.event.stamp);
    let step = if gap < CLOSE { (gap / (untimed.len() as u64 + 1)).max(1) } else { 1 };
    for (place, entry) in (1_u64..).zip(untimed) {
        entry.later = (step * place) as u32;
    }
}

/// When an event was written down.
pub fn written_at(event: &Event) -> u64 {
    match event.what() {
        What::Poll { lasted, .. } | What::Turn { lasted, .. } => event.stamp + lasted,
        _ => event.stamp,
    }
}

/// The length of a queue at some moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub nanos: u64,
    /// The processor's index; `None` for the injector.
    pub processor: Option<u16>,
    pub waiting: u64,
}

/// All that was written down in some time: each thread's events in the order in which it wrote them. Whatever belongs before one of
/// them in time is in this batch or was in an earlier one, but for what is not over.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub entries: Vec<Entry>,
    pub samples: Vec<Sample>,
    /// Events that found no room.
    pub dropped: u64,
    /// The end of that time.
    pub until: u64,
}

/// A thread that shows events.
#[derive(Clone, Debug)]
pub struct ThreadFacts {
    /// The system's number for it, 0 where that is not known.
    pub tid: u32,
    pub name: String,
}

/// Names of tasks that have one, by number.
pub type Names = HashMap<u64, Arc<str>, Scatter>;

/// What is known beside the events.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub threads: &'a [ThreadFacts],
    pub names: &'a Names,
    pub anchors: &'a Anchors,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{By, Outcome};

    fn wake(stamp: u64) -> Event {
        Event::new(stamp, What::Readied { task: 1, processor: 0, by: By::Outside, spawned: false })
    }

    fn poll(begun: u64, lasted: u64) -> Event {
        Event::new(begun, What::Poll { task: 1, processor: 0, source: 0, lasted, outcome: Outcome::Pending })
    }

    fn times(events: &[Event]) -> Vec<u64> {
        let mut entries: Vec<_> = events.iter().map(|&event| Entry { thread: 0, later: 0, event }).collect();
        time(&mut entries);
        entries.iter().map(|entry| entry.event.stamp + u64::from(entry.later)).collect()
    }

    #[test]
    fn untimed_events_are_spread_between_the_looks_around_them() {
        let events = [wake(100).untimed(), wake(100).untimed(), wake(160), wake(160).untimed(), poll(100, 100)];
        assert_eq!(times(&events), [120, 140, 160, 180, 100]);
    }

    #[test]
    fn untimed_events_of_a_poll_that_was_not_light_stand_at_its_beginning() {
        assert_eq!(times(&[wake(100).untimed(), wake(100).untimed(), poll(100, 1 << 20)]), [101, 102, 100]);
    }

    #[test]
    fn untimed_events_with_nothing_behind_them_stand_where_they_may_first_have_been() {
        assert_eq!(times(&[wake(100), wake(100).untimed()]), [100, 101]);
    }
}
