//! What the watcher looks for at a slow pace, and a test at its end: tasks that can never run
//! again.

use std::sync::Arc;

use crate::observe::orphans::described;
use crate::scheduler::Scheduler;
use crate::task::TaskSnapshot;

/// The number of tasks that one step looks at: some hundred microseconds, for which the watcher
/// sees no stuck poll. An orphan behind more tasks of its shard was seen when it was among the
/// newest, unless a runtime spawns more than this between two rounds.
const NEWEST: usize = 4096;

/// Makes one step of a round, with the number `step`. Returns the number of the next one, or `None`
/// if the round is over.
pub(in crate::runtime) fn patrol(scheduler: &Arc<Scheduler>, step: usize) -> Option<usize> {
    let mut orphans = Vec::new();
    if !scheduler.tasks.walk_newest_orphans(step, NEWEST, |task| orphans.push(task)) {
        return None;
    }
    if scheduler.config.reports_orphans {
        scheduler.observer.orphans.report(&orphans);
    }
    Some(step + 1)
}

/// Returns the orphans of a runtime, those of its local sets included.
pub(in crate::runtime) fn all_orphans(scheduler: &Scheduler) -> Vec<TaskSnapshot> {
    let mut orphans = Vec::new();
    scheduler.tasks.walk_orphans(|task| orphans.push(task));
    for set in scheduler.observer.local_sets.alive() {
        set.live().walk_orphans(|task| orphans.push(task));
    }
    orphans
}

/// Fails a test that has left orphans.
///
/// # Panics
///
/// Panics if the runtime runs a test, and has orphans that it is not told to ignore.
pub(super) fn refuse_orphans(scheduler: &Scheduler) {
    if !scheduler.config.is_test || !scheduler.config.reports_orphans {
        return;
    }
    let orphans = all_orphans(scheduler);
    if orphans.is_empty() {
        return;
    }
    let lines: String = orphans.iter().map(|task| format!("\n{} is an orphan", described(task))).collect();
    panic!(
        "wsrt: this test has left tasks that wait, and that nothing is left to wake or end. In a program they would be leaks: \
         let them end, or abort them. The option `configure = |builder| builder.report_orphans(false)` of `#[wsrt::test]` \
         allows them{lines}"
    );
}
