//! Statistics of individual tasks, for as many tasks as there is room for. When the room runs out,
//! the half of the tasks with the fewest wakes is forgotten.

use std::collections::HashMap;

use wsrt_trace::WakeCause;
use wsrt_trace::decode::NameId;

/// The maximum number of tasks that are kept at a time, which take up about 16 MiB.
const MOST: usize = 1 << 17;

/// The work of one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) name: Option<NameId>,
    pub(crate) spawned_at: Option<NameId>,
    pub(crate) woken: u32,
    /// The number of wakes by cause, in the order of [`WakeCause::ALL`].
    pub(crate) woken_by: [u32; 5],
    pub(crate) polls: u32,
    /// The total duration of the task's polls, in nanoseconds.
    pub(crate) busy: u64,
    /// The maximum number of wakes that may have been missed before the task was added.
    pub(crate) forgotten: u32,
}

/// The tasks that are currently kept.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    known: HashMap<u64, Task>,
    /// The maximum number of wakes of any forgotten task.
    forgotten: u32,
}

impl Tasks {
    pub(crate) fn woken(&mut self, id: u64, by: Option<WakeCause>) {
        let task = self.task(id);
        task.woken = task.woken.saturating_add(1);
        if let Some(by) = by {
            let count = &mut task.woken_by[by as usize];
            *count = count.saturating_add(1);
        }
    }

    /// Records the name of a task, and the location at which the task was spawned.
    pub(crate) fn called(&mut self, id: u64, name: NameId, spawned_at: NameId) {
        let task = self.task(id);
        task.name = Some(name);
        task.spawned_at = Some(spawned_at);
    }

    pub(crate) fn polled(&mut self, id: u64, busy: u64) {
        let task = self.task(id);
        task.polls = task.polls.saturating_add(1);
        task.busy = task.busy.saturating_add(busy);
    }

    /// Returns the `most` tasks with the most wakes, in descending order. Of tasks with equally
    /// many wakes, the older one comes first.
    pub(crate) fn most_woken(&self, most: usize) -> Vec<(u64, Task)> {
        let mut tasks: Vec<_> = self.known.iter().filter(|(_, task)| task.woken > 0).collect();
        tasks.sort_unstable_by_key(|(id, task)| (u32::MAX - task.woken, **id));
        tasks.into_iter().take(most).map(|(id, task)| (*id, *task)).collect()
    }

    /// Returns the name of a task, or `None` if the task was never polled or has been forgotten.
    pub(crate) fn name(&self, id: u64) -> Option<NameId> {
        self.known.get(&id).and_then(|task| task.name)
    }

    /// Returns the location at which a task was spawned, or `None` if the task was never polled or
    /// has been forgotten.
    pub(crate) fn spawned_at(&self, id: u64) -> Option<NameId> {
        self.known.get(&id).and_then(|task| task.spawned_at)
    }

    fn task(&mut self, id: u64) -> &mut Task {
        if self.known.len() >= MOST && !self.known.contains_key(&id) {
            self.forget_half();
        }
        let forgotten = self.forgotten;
        self.known.entry(id).or_insert_with(|| Task { forgotten, ..Task::default() })
    }

    fn forget_half(&mut self) {
        let mut ranks: Vec<_> = self.known.iter().map(|(id, task)| (task.woken, *id)).collect();
        let (_, middle, _) = ranks.select_nth_unstable(MOST / 2);
        let middle = *middle;
        // Earlier losses of a task add to its present ones.
        let lost = |task: &Task| task.woken.saturating_add(task.forgotten);
        let least =
            self.known.iter().filter(|(id, task)| (task.woken, **id) < middle).map(|(_, task)| lost(task)).max();
        self.forgotten = self.forgotten.max(least.unwrap_or(0));
        self.known.retain(|id, task| (task.woken, *id) >= middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_woken_come_first() {
        let mut tasks = Tasks::default();
        for (id, wakes) in [(1, 3), (2, 9), (3, 3), (4, 0)] {
            tasks.called(id, NameId::NONE, NameId::NONE);
            tasks.polled(id, 10);
            (0..wakes).for_each(|_| tasks.woken(id, Some(WakeCause::Network)));
        }
        let order: Vec<_> = tasks.most_woken(3).iter().map(|(id, task)| (*id, task.woken)).collect();
        assert_eq!(order, [(2, 9), (1, 3), (3, 3)]);
        assert_eq!(tasks.most_woken(1)[0].1.woken_by, [0, 9, 0, 0, 0]);
    }

    #[test]
    fn a_task_woken_often_is_not_lost_among_many() {
        let mut tasks = Tasks::default();
        let crowd = 3 * MOST as u64;
        for id in 1..crowd {
            tasks.woken(id, None);
            if id % 100 == 0 {
                tasks.woken(0, None);
            }
        }
        assert!(tasks.known.len() <= MOST);
        let (id, task) = tasks.most_woken(1)[0];
        assert_eq!((id, u64::from(task.woken)), (0, (crowd - 1) / 100));
        let (_, newest) = tasks.known.iter().max_by_key(|(id, _)| **id).expect("some are known");
        assert!(newest.forgotten >= 1, "{newest:?}");
    }
}
