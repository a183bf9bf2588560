//! Arrows: which wake has led to which poll.
//!
//! A task has one permit to be polled, so wakes and polls alternate: each poll belongs to the latest wake before it. Two wakes may
//! wait to be matched, since a poll is written down when it is over, and the task may have been woken again by then. It may even have
//! been polled again, by another machine that was quicker to write that down: a wake that was passed over is *overdue*, and its poll
//! may still come. If it does not, for it was dropped, the arrow is *astray*, and ends where the gap is said.

use std::collections::HashMap;

use crate::By;
use crate::int_hasher::Scatter;

/// By so much, in the counter's unit, a wake may seem to be later than the poll that it led to.
const SLACK: u64 = 1 << 14;

/// For so many batches at least an arrow may be overdue.
const BATCHES: u32 = 1_024;

/// A wake, as the poll that it led to sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// The number that both ends bear.
    pub(crate) flow: u64,
    /// When the task was readied, by the counter.
    pub(crate) stamp: u64,
    pub(crate) by: By,
    /// Whether it was spawned, rather than woken.
    pub(crate) spawned: bool,
}

/// The wakes whose poll has not been seen, by the task's number.
#[derive(Debug, Default)]
pub(crate) struct Arrows {
    last: u64,
    waiting: HashMap<u64, (Arrow, Option<Arrow>), Scatter>,
    /// Wakes that were passed over of late, and those of before.
    overdue: [HashMap<u64, Arrow, Scatter>; 2],
    age: u32,
    astray: Vec<u64>,
}

impl Arrows {
    /// Begins an arrow at a wake of `task`, and returns its number.
    pub(crate) fn begin(&mut self, task: u64, stamp: u64, by: By, spawned: bool) -> u64 {
        self.last += 1;
        let arrow = Arrow { flow: self.last, stamp, by, spawned };
        match self.waiting.get_mut(&task) {
            None => drop(self.waiting.insert(task, (arrow, None))),
            Some((first, second)) => {
                if let Some(second) = second.replace(arrow) {
                    let passed_over = std::mem::replace(first, second);
                    self.pass_over(task, passed_over);
                }
            }
        }
        arrow.flow
    }

    /// Ends the arrow that leads to the poll of `task` that began at `stamp`, if its wake was seen: the latest before it.
    pub(crate) fn end(&mut self, task: u64, stamp: u64) -> Option<Arrow> {
        let Some(&(first, second)) = self.waiting.get(&task) else { return self.end_overdue(task, stamp) };
        let Some(second) = second else {
            // One whose time is not quite known may seem to come after its poll.
            if first.stamp > stamp {
                let overdue = self.end_overdue(task, stamp);
                if overdue.is_some() || first.stamp > stamp + SLACK {
                    return overdue;
                }
            }
            self.waiting.remove(&task);
            return Some(first);
        };
        let (early, late) = if first.stamp <= second.stamp { (first, second) } else { (second, first) };
        if late.stamp <= stamp {
            self.waiting.remove(&task);
            self.pass_over(task, early);
            return Some(late);
        }
        if early.stamp > stamp + SLACK {
            return self.end_overdue(task, stamp);
        }
        self.waiting.insert(task, (late, None));
        Some(early)
    }

    fn pass_over(&mut self, task: u64, arrow: Arrow) {
        let before = self.overdue[0].insert(task, arrow);
        self.astray.extend(before.map(|before| before.flow));
    }

    fn end_overdue(&mut self, task: u64, stamp: u64) -> Option<Arrow> {
        let overdue =
            self.overdue.iter_mut().find(|overdue| overdue.get(&task).is_some_and(|arrow| arrow.stamp <= stamp));
        overdue?.remove(&task)
    }

    /// To be called for each batch. What is overdue for many of them is astray.
    pub(crate) fn grow_older(&mut self) {
        self.age += 1;
        if self.age % BATCHES == 0 {
            self.overdue.swap(0, 1);
            self.astray.extend(self.overdue[0].drain().map(|(_, arrow)| arrow.flow));
        }
    }

    /// Ends an arrow to a task that is complete without a further poll.
    pub(crate) fn cut(&mut self, task: u64) -> Option<u64> {
        let (first, second) = self.waiting.remove(&task)?;
        if let Some(second) = second {
            self.pass_over(task, second);
        }
        Some(first.flow)
    }

    /// Arrows that lead to polls that were not written down.
    pub(crate) fn take_astray(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.astray)
    }

    /// Ends all, in no order: arrows whose poll may still have come, and their tasks.
    pub(crate) fn take_waiting(&mut self) -> Vec<(u64, u64)> {
        let waiting = std::mem::take(&mut self.waiting);
        let overdue = self.overdue.iter_mut().flat_map(HashMap::drain);
        let mut left: Vec<_> = overdue.map(|(task, arrow)| (task, arrow.flow)).collect();
        for (task, (first, second)) in waiting {
            left.push((task, first.flow));
            left.extend(second.map(|second| (task, second.flow)));
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poll_belongs_to_the_wake_before_it() {
        let mut arrows = Arrows::default();
        let spawn = arrows.begin(7, 10, By::Outside, true);
        // Woken again before its first poll was written down.
        let wake = arrows.begin(7, 30, By::Task(3), false);
        assert_eq!(arrows.end(7, 20).map(|arrow| (arrow.flow, arrow.spawned)), Some((spawn, true)));
        assert_eq!(arrows.end(7, 40).map(|arrow| (arrow.flow, arrow.by)), Some((wake, By::Task(3))));
        assert_eq!(arrows.end(7, 50), None);
        assert!(arrows.take_astray().is_empty() && arrows.take_waiting().is_empty());
    }

    #[test]
    fn a_poll_before_all_wakes_that_were_seen_has_none() {
        let mut arrows = Arrows::default();
        let wake = arrows.begin(7, 30 + SLACK, By::Timer, false);
        assert_eq!(arrows.end(7, 20), None);
        assert_eq!(arrows.take_waiting(), [(7, wake)]);
    }

    #[test]
    fn a_wake_whose_time_is_not_quite_known_may_come_after_its_poll() {
        let mut arrows = Arrows::default();
        let wake = arrows.begin(7, 30, By::Task(1), false);
        assert_eq!(arrows.end(7, 20).map(|arrow| arrow.flow), Some(wake));
        let (guessed, known) = (arrows.begin(7, 200, By::Task(1), false), arrows.begin(7, 140, By::Task(2), false));
        assert_eq!(arrows.end(7, 150).map(|arrow| arrow.flow), Some(known));
        assert_eq!(arrows.end(7, 220).map(|arrow| arrow.flow), Some(guessed));
        assert!(arrows.take_astray().is_empty());
    }

    #[test]
    fn wakes_whose_polls_were_dropped_are_astray() {
        let mut arrows = Arrows::default();
        let lost = [arrows.begin(7, 10, By::Network, false), arrows.begin(7, 30, By::Network, false)];
        let seen = arrows.begin(7, 50, By::Network, false);
        assert_eq!(arrows.end(7, 60).map(|arrow| arrow.flow), Some(seen));
        let mut astray = arrows.take_astray();
        (0..2 * BATCHES).for_each(|_| arrows.grow_older());
        astray.extend(arrows.take_astray());
        assert_eq!(astray, lost);
    }

    #[test]
    fn a_poll_that_is_written_down_behind_the_next_one_keeps_its_wake() {
        let mut arrows = Arrows::default();
        let wakes = [10, 30].map(|stamp| arrows.begin(7, stamp, By::Network, false));
        assert_eq!(arrows.end(7, 35).map(|arrow| arrow.flow), Some(wakes[1]));
        arrows.grow_older();
        let third = arrows.begin(7, 50, By::Network, false);
        assert_eq!(arrows.end(7, 12).map(|arrow| arrow.flow), Some(wakes[0]));
        assert_eq!(arrows.end(7, 60).map(|arrow| arrow.flow), Some(third));
        assert!(arrows.take_astray().is_empty());
    }

    #[test]
    fn the_end_of_a_task_ends_its_arrow() {
        let mut arrows = Arrows::default();
        let wake = arrows.begin(7, 10, By::Network, false);
        assert_eq!((arrows.cut(7), arrows.cut(7)), (Some(wake), None));
    }
}
