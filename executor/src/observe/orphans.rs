//! Orphans: tasks that wait although nothing is left that could wake or end them.
//!
//! A task is an orphan if it is idle and nothing but the registry refers to its cell. The count of
//! references says so, so that finding orphans costs the tasks nothing. Each way to wake a task is
//! a counted reference: a waker, wherever it is kept (with a socket, a timer, a lock, a channel,
//! another task or a thread). So are the two ways to end its wait without a wake, its `JoinHandle`
//! and its `AbortHandle`s. Nothing creates the first new reference to an idle task, so an orphan
//! stays one until its runtime ends.
//!
//! # Not found
//!
//! * A task whose waker is kept by a channel or lock that only the task itself refers to.
//! * A task whose `JoinHandle` or `AbortHandle` somebody keeps without any intention to use it: the
//!   count does not tell an abort handle from a waker.

use std::collections::BTreeSet;
use std::panic::Location;

use wsrt_trace::place::ShortLocation;

use crate::task::TaskSnapshot;
use crate::util::sync::Mutex;

/// The spawn sites of orphans that were reported.
#[derive(Debug, Default)]
pub(crate) struct Orphans(Mutex<BTreeSet<&'static Location<'static>>>);

impl Orphans {
    /// Returns reports of the spawn sites of `orphans` that were not reported before.
    pub(crate) fn new_reports(&self, orphans: &[TaskSnapshot]) -> Vec<String> {
        let mut reported = self.0.lock();
        let new = orphans.iter().filter(|orphan| reported.insert(orphan.spawned_at));
        let of_site = |site| orphans.iter().filter(|orphan| orphan.spawned_at == site).count();
        new.map(|orphan| text(orphan, of_site(orphan.spawned_at))).collect()
    }
}

fn text(first: &TaskSnapshot, count: usize) -> String {
    let others = match count {
        1 => String::new(),
        _ => format!(", like {} more of this spawn site", count - 1),
    };
    format!(
        "{} is an orphan{others}: it waits, and nothing is left that could wake or end it, neither a waker nor a `JoinHandle` \
         or `AbortHandle`. A future that is pending has to keep its task's waker; abort tasks that are no longer needed \
         (reported once for this spawn site; `Builder::report_orphans(false)` turns reports off)",
        described(first)
    )
}

/// Returns the task's id, name and spawn site.
pub(crate) fn described(task: &TaskSnapshot) -> String {
    let name = task.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
    format!("task {}{name}, spawned at {},", task.id, ShortLocation(task.spawned_at))
}
