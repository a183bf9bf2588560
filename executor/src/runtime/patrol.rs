//! What the watcher looks for at a slow pace, and a test at its end: tasks that can never run
//! again.
//!
//! A deadlock is a cycle of waits for locks (`observe/deadlocks.rs`), an orphan a task that nothing
//! refers to (`observe/orphans.rs`). Both are found by counts of references that exist anyway.

use std::sync::Arc;

use crate::observe::dump;
use crate::observe::orphans::described;
use crate::runtime::{Cycle, Dump};
use crate::scheduler::Scheduler;
use crate::sysmon::reporter::report;
use crate::task::TaskSnapshot;
use crate::util::report::ReportKind;
use crate::util::sync;

/// The number of tasks that one step looks at: some hundred microseconds, for which the watcher
/// sees no stuck poll. Older tasks of a shard were looked at while they were among the newest. A
/// task that became an orphan later is not reported, but dumps and metrics show it.
const NEWEST: usize = 4096;

/// Makes one step of a round, with the number `step`: the first one looks for deadlocks, and one
/// for each shard of the registry for orphans. Returns the number of the next step, or `None` if
/// the round is over.
pub(in crate::runtime) fn patrol(scheduler: &Arc<Scheduler>, step: usize) -> Option<usize> {
    let Some(shard) = step.checked_sub(1) else {
        let deadlocks = scheduler.observer.deadlocks.look();
        if !deadlocks.is_empty() {
            // They still wait, so the dump finds those that are all this runtime's tasks.
            let dump = Dump::of(dump::look(scheduler), sync::now());
            deadlocks
                .iter()
                .filter_map(|tasks| dump.cycle_of(tasks))
                .for_each(|cycle| report_deadlock(scheduler, &cycle));
        }
        return scheduler.config.reports_orphans.then_some(1);
    };
    let mut orphans = Vec::new();
    let is_there = scheduler.tasks.walk_newest_orphans(shard, NEWEST, |task| orphans.push(task));
    for text in scheduler.observer.orphans.new_reports(&orphans) {
        report(scheduler, ReportKind::Orphan, text);
    }
    is_there.then_some(step + 1)
}

fn report_deadlock(scheduler: &Arc<Scheduler>, cycle: &Cycle) {
    let kind = if cycle.is_futurelock() { ReportKind::Futurelock } else { ReportKind::Deadlock };
    let text = format!(
        "a {}: nothing can wake these tasks, since each waits for a lock that the next one holds, and the last for the first \
         (reported once for these locks)\n{cycle}",
        kind.name()
    );
    report(scheduler, kind, text);
}

/// Returns the orphans of a runtime and of its local sets.
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
