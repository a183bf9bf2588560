//! Flows: which wake has led to which poll. Perfetto shows a flow as an arrow.
//!
//! A task is polled once for each wake, so wakes and polls alternate, and each poll belongs to the
//! latest wake before it. Two wakes may wait for their polls at the same time, because a poll is
//! recorded at its end, and its task may have been woken again by then. The task may even have been
//! polled again, by another machine that recorded its poll sooner. A wake that was skipped in this
//! way is *overdue*, and its poll may still arrive. If that poll was dropped, the flow is *lost*,
//! and ends where the drop is reported.

use std::collections::HashMap;

use crate::event::WokenBy;
use crate::int_hasher::IntHasher;

/// The time, in units of the counter, by which a wake may appear to be later than the poll that it
/// led to.
const SLACK: u64 = 1 << 14;

/// The minimum number of batches for which a flow may be overdue.
const BATCHES: u32 = 1_024;

/// A wake, as seen from the poll that it led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flow {
    /// The number of the flow, which is written at both of its ends.
    pub(super) id: u64,
    /// When the task was woken, in units of the counter.
    pub(super) stamp: u64,
    pub(super) by: WokenBy,
    /// True if the task was spawned, and false if it was woken.
    pub(super) spawned: bool,
}

/// The wakes whose polls have not arrived yet, by task id.
#[derive(Debug, Default)]
pub(super) struct Flows {
    last: u64,
    waiting: HashMap<u64, (Flow, Option<Flow>), IntHasher>,
    /// The overdue wakes: the recent ones, and the ones before them.
    overdue: [HashMap<u64, Flow, IntHasher>; 2],
    age: u32,
    lost: Vec<u64>,
}

impl Flows {
    /// Begins a flow at a wake of `task`, and returns the flow's number.
    pub(super) fn begin(&mut self, task: u64, stamp: u64, by: WokenBy, spawned: bool) -> u64 {
        self.last += 1;
        let flow = Flow { id: self.last, stamp, by, spawned };
        match self.waiting.get_mut(&task) {
            None => drop(self.waiting.insert(task, (flow, None))),
            Some((first, second)) => {
                if let Some(second) = second.replace(flow) {
                    let passed_over = std::mem::replace(first, second);
                    self.pass_over(task, passed_over);
                }
            }
        }
        flow.id
    }

    /// Ends a flow at the poll of `task` that began at `stamp`. Returns the flow of the latest wake
    /// before the poll, or `None` if there was no wake.
    pub(super) fn end(&mut self, task: u64, stamp: u64) -> Option<Flow> {
        let Some(&(first, second)) = self.waiting.get(&task) else { return self.end_overdue(task, stamp) };
        let Some(second) = second else {
            // An untimed wake may seem to come after its poll.
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

    fn pass_over(&mut self, task: u64, flow: Flow) {
        let before = self.overdue[0].insert(task, flow);
        self.lost.extend(before.map(|before| before.id));
    }

    fn end_overdue(&mut self, task: u64, stamp: u64) -> Option<Flow> {
        let overdue =
            self.overdue.iter_mut().find(|overdue| overdue.get(&task).is_some_and(|flow| flow.stamp <= stamp));
        overdue?.remove(&task)
    }

    /// Counts a batch. Flows that have been overdue for many batches become lost.
    pub(super) fn grow_older(&mut self) {
        self.age += 1;
        if self.age % BATCHES == 0 {
            self.overdue.swap(0, 1);
            self.lost.extend(self.overdue[0].drain().map(|(_, flow)| flow.id));
        }
    }

    /// Ends the flow to a task that has completed without a further poll, and returns the flow's
    /// number.
    pub(super) fn end_task(&mut self, task: u64) -> Option<u64> {
        let (first, second) = self.waiting.remove(&task)?;
        if let Some(second) = second {
            self.pass_over(task, second);
        }
        Some(first.id)
    }

    /// Removes and returns the flows whose polls were dropped.
    pub(super) fn take_lost(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.lost)
    }

    /// Removes and returns all flows whose polls may still arrive, with their tasks, in no
    /// particular order.
    pub(super) fn take_waiting(&mut self) -> Vec<(u64, u64)> {
        let waiting = std::mem::take(&mut self.waiting);
        let overdue = self.overdue.iter_mut().flat_map(HashMap::drain);
        let mut left: Vec<_> = overdue.map(|(task, flow)| (task, flow.id)).collect();
        for (task, (first, second)) in waiting {
            left.push((task, first.id));
            left.extend(second.map(|second| (task, second.id)));
        }
        left
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_poll_belongs_to_the_wake_before_it() {
        let mut flows = Flows::default();
        let spawn = flows.begin(7, 10, WokenBy::Outside, true);
        // Woken again before its first poll was recorded.
        let wake = flows.begin(7, 30, WokenBy::Task(3), false);
        assert_eq!(flows.end(7, 20).map(|flow| (flow.id, flow.spawned)), Some((spawn, true)));
        assert_eq!(flows.end(7, 40).map(|flow| (flow.id, flow.by)), Some((wake, WokenBy::Task(3))));
        assert_eq!(flows.end(7, 50), None);
        assert!(flows.take_lost().is_empty() && flows.take_waiting().is_empty());
    }

    #[test]
    fn a_poll_before_all_wakes_has_no_flow() {
        let mut flows = Flows::default();
        let wake = flows.begin(7, 30 + SLACK, WokenBy::Timer, false);
        assert_eq!(flows.end(7, 20), None);
        assert_eq!(flows.take_waiting(), [(7, wake)]);
    }

    #[test]
    fn an_untimed_wake_may_come_after_its_poll() {
        let mut flows = Flows::default();
        let wake = flows.begin(7, 30, WokenBy::Task(1), false);
        assert_eq!(flows.end(7, 20).map(|flow| flow.id), Some(wake));
        let (guessed, known) =
            (flows.begin(7, 200, WokenBy::Task(1), false), flows.begin(7, 140, WokenBy::Task(2), false));
        assert_eq!(flows.end(7, 150).map(|flow| flow.id), Some(known));
        assert_eq!(flows.end(7, 220).map(|flow| flow.id), Some(guessed));
        assert!(flows.take_lost().is_empty());
    }

    #[test]
    fn wakes_whose_polls_were_dropped_are_lost() {
        let mut flows = Flows::default();
        let passed_over = [flows.begin(7, 10, WokenBy::Network, false), flows.begin(7, 30, WokenBy::Network, false)];
        let seen = flows.begin(7, 50, WokenBy::Network, false);
        assert_eq!(flows.end(7, 60).map(|flow| flow.id), Some(seen));
        let mut lost = flows.take_lost();
        (0..2 * BATCHES).for_each(|_| flows.grow_older());
        lost.extend(flows.take_lost());
        assert_eq!(lost, passed_over);
    }

    #[test]
    fn a_poll_recorded_behind_the_next_one_keeps_its_wake() {
        let mut flows = Flows::default();
        let wakes = [10, 30].map(|stamp| flows.begin(7, stamp, WokenBy::Network, false));
        assert_eq!(flows.end(7, 35).map(|flow| flow.id), Some(wakes[1]));
        flows.grow_older();
        let third = flows.begin(7, 50, WokenBy::Network, false);
        assert_eq!(flows.end(7, 12).map(|flow| flow.id), Some(wakes[0]));
        assert_eq!(flows.end(7, 60).map(|flow| flow.id), Some(third));
        assert!(flows.take_lost().is_empty());
    }

    #[test]
    fn the_end_of_a_task_ends_its_flow() {
        let mut flows = Flows::default();
        let wake = flows.begin(7, 10, WokenBy::Network, false);
        assert_eq!((flows.end_task(7), flows.end_task(7)), (Some(wake), None));
    }
}
