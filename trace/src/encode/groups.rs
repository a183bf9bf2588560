//! Putting one thread's events in the order of time: a poll is written down when it is over, behind what happened in it.
//!
//! What happened within a poll or a turn of the netpoller waits for it here. The outermost closes a *group*: its beginning, all that
//! happened in it, its end. A poll that goes on for long says so (`Opened`), and nothing waits for its end.

use super::flows::Arrow;
use crate::{Event, What};

/// An event with what its surroundings make of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) event: Event,
    /// When it is shown; its stamp, but for an untimed one.
    pub(crate) shown: u64,
    /// Of a wake: the number of its arrow. Of an end: that of an arrow that ends there.
    pub(crate) flow: Option<u64>,
    /// Of a poll: the wake that led to it.
    pub(crate) arrow: Option<Arrow>,
}

/// What part of an event stands at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Begin,
    End,
    /// All of it.
    Moment,
}

/// One step of the story.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) stamp: u64,
    pub(crate) part: Part,
    pub(crate) told: Told,
}

/// Steps of one thread that belong together, in the order of time.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) thread: u32,
    /// Whether it is a turn of the netpoller.
    pub(crate) is_turn: bool,
    pub(crate) steps: Vec<Step>,
}

/// What one thread has told that waits for the end of a poll.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    steps: Vec<Step>,
    /// The beginning of the poll that was opened.
    opened: Option<u64>,
}

impl Pending {
    /// Takes the thread's next event; passes on what is complete with it.
    pub(crate) fn take(&mut self, thread: u32, told: Told, groups: &mut Vec<Group>) {
        let stamp = told.event.stamp;
        let depth = told.event.depth();
        match told.event.what() {
            What::Poll { lasted, .. } if depth == 0 && self.opened == Some(stamp) => {
                self.opened = None;
                self.steps.push(Step { stamp: stamp + lasted, part: Part::End, told });
            }
            What::Poll { lasted, .. } | What::Turn { lasted, .. } => {
                if depth == 0 {
                    // The end of the one that was opened was dropped.
                    self.opened = None;
                }
                self.enclose(stamp, lasted, told);
            }
            What::Opened { .. } => {
                self.insert_begin(stamp, told);
                self.opened = Some(stamp);
            }
            _ => {
                self.flush_lost(thread, depth, groups);
                self.steps.push(Step { stamp: told.shown, part: Part::Moment, told });
            }
        }
        if depth <= u32::from(self.opened.is_some()) {
            self.flush(thread, matches!(told.event.what(), What::Turn { .. }), groups);
        }
    }

    /// What waits for a poll that was dropped, or is not over when the file ends.
    pub(crate) fn flush(&mut self, thread: u32, is_turn: bool, groups: &mut Vec<Group>) {
        if !self.steps.is_empty() {
            groups.push(Group { thread, is_turn, steps: std::mem::take(&mut self.steps) });
        }
    }

    /// An event outside of everything: what waits for a poll waits in vain.
    fn flush_lost(&mut self, thread: u32, depth: u32, groups: &mut Vec<Group>) {
        if depth == 0 {
            self.opened = None;
            self.flush(thread, false, groups);
        }
    }

    fn enclose(&mut self, begin: u64, lasted: u64, told: Told) {
        self.insert_begin(begin, told);
        self.steps.push(Step { stamp: begin + lasted, part: Part::End, told });
    }

    /// Puts a beginning before all that has happened since.
    fn insert_begin(&mut self, begin: u64, told: Told) {
        let since = self
            .steps
            .iter()
            .rev()
            .take_while(|step| step.stamp >= begin && step.told.event.depth() > told.event.depth());
        let at = self.steps.len() - since.count();
        self.steps.insert(at, Step { stamp: begin, part: Part::Begin, told });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{By, Outcome};

    fn told(event: Event) -> Told {
        Told { event, shown: event.stamp, flow: None, arrow: None }
    }

    fn poll(begin: u64, lasted: u64, depth: u32) -> Told {
        let what = What::Poll { task: begin, processor: 0, source: 0, lasted, outcome: Outcome::Pending };
        told(Event::new(begin, what).within(depth))
    }

    fn wake(stamp: u64, depth: u32) -> Told {
        told(Event::new(stamp, What::Readied { task: 1, processor: 0, by: By::Task(2), spawned: false }).within(depth))
    }

    /// The groups' steps, as stamps and parts.
    fn groups(events: &[Told]) -> Vec<Vec<(u64, Part)>> {
        let (mut pending, mut groups) = (Pending::default(), Vec::new());
        events.iter().for_each(|&told| pending.take(0, told, &mut groups));
        pending.flush(0, false, &mut groups);
        let steps = |group: Group| group.steps.into_iter().map(|step| (step.stamp, step.part)).collect();
        groups.into_iter().map(steps).collect()
    }

    #[test]
    fn what_happens_in_a_poll_stands_within_it() {
        use Part::{Begin, End, Moment};
        let told = [wake(5, 0), wake(12, 1), wake(15, 1), poll(10, 10, 0), poll(20, 5, 0)];
        let expected =
            [vec![(5, Moment)], vec![(10, Begin), (12, Moment), (15, Moment), (20, End)], vec![(20, Begin), (25, End)]];
        assert_eq!(groups(&told), expected);
    }

    #[test]
    fn polls_within_polls_nest() {
        use Part::{Begin, End, Moment};
        let told =
            [wake(11, 1), wake(13, 2), poll(12, 3, 1), wake(16, 2), poll(15, 2, 1), wake(18, 1), poll(10, 10, 0)];
        let expected = [vec![
            (10, Begin),
            (11, Moment),
            (12, Begin),
            (13, Moment),
            (15, End),
            (15, Begin),
            (16, Moment),
            (17, End),
            (18, Moment),
            (20, End),
        ]];
        assert_eq!(groups(&told), expected);
    }

    #[test]
    fn a_poll_that_was_opened_keeps_nothing_waiting() {
        use Part::{Begin, End, Moment};
        let opened = told(Event::new(10, What::Opened { task: 10, processor: 0, source: 0 }));
        let told = [wake(11, 1), opened, wake(13, 1), wake(15, 2), poll(14, 2, 1), poll(10, 10, 0), poll(20, 1, 0)];
        let expected = [
            vec![(10, Begin), (11, Moment)],
            vec![(13, Moment)],
            vec![(14, Begin), (15, Moment), (16, End)],
            vec![(20, End)],
            vec![(20, Begin), (21, End)],
        ];
        assert_eq!(groups(&told), expected);
    }

    #[test]
    fn what_waits_for_a_poll_that_was_dropped_is_not_lost() {
        use Part::Moment;
        assert_eq!(
            groups(&[wake(11, 1), wake(30, 0), wake(40, 1)]),
            [vec![(11, Moment)], vec![(30, Moment)], vec![(40, Moment)]]
        );
    }
}
