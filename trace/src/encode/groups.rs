//! Sorts the events of one thread by time. A poll is recorded at its end, after the events that
//! happened during the poll.
//!
//! Events within a poll or a turn of the netpoller wait here for the end of it. The outermost poll
//! or turn completes a *group*: the beginning, the events within, and the end. A long poll is shown
//! early (`Opened`), so that no event has to wait for the poll's end.

use super::flows::Flow;
use crate::event::{Event, EventKind};

/// An event with the flows that begin or end at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Annotated {
    pub(super) event: Event,
    /// The time of the event in units of the counter, which is the stamp unless the event is
    /// untimed.
    pub(super) time: u64,
    /// For a wake, the flow that begins at it. For the end of a task, the flow that ends at it.
    pub(super) flow: Option<u64>,
    /// For a poll, the flow from the wake that led to it.
    pub(super) woken: Option<Flow>,
    /// The simulated host on which the event happened.
    pub(super) host: Option<u32>,
}

/// The part of an event that a step represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepPart {
    Begin,
    End,
    /// The whole event, which has no duration.
    Instant,
}

/// The beginning or the end of an event, or an event without a duration.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventStep {
    pub(super) stamp: u64,
    pub(super) part: StepPart,
    pub(super) annotated: Annotated,
}

/// The steps of one thread within one poll or turn of the netpoller, in order of time.
#[derive(Debug)]
pub(super) struct StepGroup {
    pub(super) thread: u32,
    /// True if the group is a turn of the netpoller, and false if it is a poll.
    pub(super) is_turn: bool,
    pub(super) steps: Vec<EventStep>,
}

/// The steps of one thread that wait for a poll to end.
#[derive(Debug, Default)]
pub(super) struct PendingSteps {
    steps: Vec<EventStep>,
    /// The stamp of the poll that was shown early.
    opened: Option<u64>,
}

impl PendingSteps {
    /// Adds the thread's next event. If the event completes a group, appends the group to `groups`.
    pub(super) fn take(&mut self, thread: u32, annotated: Annotated, groups: &mut Vec<StepGroup>) {
        let stamp = annotated.event.stamp;
        let depth = annotated.event.depth();
        match annotated.event.kind() {
            EventKind::Poll { lasted, .. } if depth == 0 && self.opened == Some(stamp) => {
                self.opened = None;
                self.steps.push(EventStep { stamp: stamp + lasted, part: StepPart::End, annotated });
            }
            EventKind::Poll { lasted, .. } | EventKind::Turn { lasted, .. } => {
                if depth == 0 {
                    // The end of the poll that was opened was dropped.
                    self.opened = None;
                }
                self.enclose(stamp, lasted, annotated);
            }
            EventKind::Opened { .. } => {
                self.insert_begin(stamp, annotated);
                self.opened = Some(stamp);
            }
            _ => {
                self.flush_lost(thread, depth, groups);
                self.steps.push(EventStep { stamp: annotated.time, part: StepPart::Instant, annotated });
            }
        }
        if depth <= u32::from(self.opened.is_some()) {
            self.flush(thread, matches!(annotated.event.kind(), EventKind::Turn { .. }), groups);
        }
    }

    /// Passes on the waiting steps of a poll that was dropped or is cut off by the end of the file.
    pub(super) fn flush(&mut self, thread: u32, is_turn: bool, groups: &mut Vec<StepGroup>) {
        if !self.steps.is_empty() {
            groups.push(StepGroup { thread, is_turn, steps: std::mem::take(&mut self.steps) });
        }
    }

    /// Passes on the waiting steps at an event outside any poll, because the poll that they wait
    /// for must have been dropped.
    fn flush_lost(&mut self, thread: u32, depth: u32, groups: &mut Vec<StepGroup>) {
        if depth == 0 {
            self.opened = None;
            self.flush(thread, false, groups);
        }
    }

    fn enclose(&mut self, begin: u64, lasted: u64, annotated: Annotated) {
        self.insert_begin(begin, annotated);
        self.steps.push(EventStep { stamp: begin + lasted, part: StepPart::End, annotated });
    }

    /// Inserts a beginning before the steps that have happened since.
    fn insert_begin(&mut self, begin: u64, annotated: Annotated) {
        let since = self
            .steps
            .iter()
            .rev()
            .take_while(|step| step.stamp >= begin && step.annotated.event.depth() > annotated.event.depth());
        let at = self.steps.len() - since.count();
        self.steps.insert(at, EventStep { stamp: begin, part: StepPart::Begin, annotated });
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;
    use crate::event::WokenBy;
    use crate::names::PollOutcome;

    fn annotated(event: Event) -> Annotated {
        Annotated { event, time: event.stamp, flow: None, woken: None, host: None }
    }

    fn poll(begin: u64, lasted: u64, depth: u32) -> Annotated {
        let what = EventKind::Poll { task: begin, processor: 0, source: 0, lasted, outcome: PollOutcome::Pending };
        annotated(Event::new(begin, what).within(depth))
    }

    fn wake(stamp: u64, depth: u32) -> Annotated {
        annotated(
            Event::new(stamp, EventKind::Readied { task: 1, processor: 0, by: WokenBy::Task(2), spawned: false })
                .within(depth),
        )
    }

    /// Returns the steps of all groups, as stamps and parts.
    fn groups(events: &[Annotated]) -> Vec<Vec<(u64, StepPart)>> {
        let (mut pending, mut groups) = (PendingSteps::default(), Vec::new());
        events.iter().for_each(|&event| pending.take(0, event, &mut groups));
        pending.flush(0, false, &mut groups);
        let steps = |group: StepGroup| group.steps.into_iter().map(|step| (step.stamp, step.part)).collect();
        groups.into_iter().map(steps).collect()
    }

    #[test]
    fn an_event_in_a_poll_stands_within_it() {
        use StepPart::{Begin, End, Instant};
        let events = [wake(5, 0), wake(12, 1), wake(15, 1), poll(10, 10, 0), poll(20, 5, 0)];
        let expected = [
            vec![(5, Instant)],
            vec![(10, Begin), (12, Instant), (15, Instant), (20, End)],
            vec![(20, Begin), (25, End)],
        ];
        assert_eq!(groups(&events), expected);
    }

    #[test]
    fn polls_within_polls_nest() {
        use StepPart::{Begin, End, Instant};
        let events =
            [wake(11, 1), wake(13, 2), poll(12, 3, 1), wake(16, 2), poll(15, 2, 1), wake(18, 1), poll(10, 10, 0)];
        let expected = [vec![
            (10, Begin),
            (11, Instant),
            (12, Begin),
            (13, Instant),
            (15, End),
            (15, Begin),
            (16, Instant),
            (17, End),
            (18, Instant),
            (20, End),
        ]];
        assert_eq!(groups(&events), expected);
    }

    #[test]
    fn no_event_waits_for_a_poll_that_was_opened() {
        use StepPart::{Begin, End, Instant};
        let opened = annotated(Event::new(10, EventKind::Opened { task: 10, processor: 0, source: 0 }));
        let events = [wake(11, 1), opened, wake(13, 1), wake(15, 2), poll(14, 2, 1), poll(10, 10, 0), poll(20, 1, 0)];
        let expected = [
            vec![(10, Begin), (11, Instant)],
            vec![(13, Instant)],
            vec![(14, Begin), (15, Instant), (16, End)],
            vec![(20, End)],
            vec![(20, Begin), (21, End)],
        ];
        assert_eq!(groups(&events), expected);
    }

    #[test]
    fn events_within_a_dropped_poll_are_not_lost() {
        use StepPart::Instant;
        assert_eq!(
            groups(&[wake(11, 1), wake(30, 0), wake(40, 1)]),
            [vec![(11, Instant)], vec![(30, Instant)], vec![(40, Instant)]]
        );
    }
}
