//! The waits of tasks for locks and channels, and the cycles among these waits.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::Location;
use std::time::{Duration, Instant};

use wsrt_sync::wait::{TaskWait, WaitKind, is_exclusive};
use wsrt_sync::waited_locks::ContendedLock;
use wsrt_trace::place::ShortLocation;

use super::deadlocks::cycle_from;
use super::dump::{SeenTask, WaitsOn};
use crate::scheduler::ending;
use crate::task::{Id, TaskPhase};

/// A lock or channel that a task waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyncWait {
    wait: TaskWait,
    holder: Option<Id>,
    is_held_by_root: bool,
    is_promised: bool,
    held_for: Option<Duration>,
}

impl SyncWait {
    /// Creates a wait of which only the kind and the place are known.
    pub(super) fn new(wait: TaskWait) -> Self {
        Self { wait, holder: None, is_held_by_root: false, is_promised: false, held_for: None }
    }

    /// Creates a wait for `lock` by an operation of kind `kind`.
    pub(super) fn for_lock(lock: &ContendedLock, kind: WaitKind, now: Instant) -> Self {
        let holder = lock.blocker();
        Self {
            wait: TaskWait { kind, place: lock.place() },
            holder: holder.task().map(Id::from_number),
            is_held_by_root: holder.is_root(),
            is_promised: lock.promised_to().is_some(),
            held_for: lock.held_since().map(|since| now.saturating_duration_since(since)),
        }
    }

    /// Returns the kind of operation that waits, such as locking a mutex.
    #[must_use]
    pub fn kind(&self) -> WaitKind {
        self.wait.kind
    }

    /// Returns the source location where the lock or channel was created.
    ///
    /// If a `#[track_caller]` function creates the lock or channel, the location is the
    /// call's. For a field of a type with `#[derive(Default)]`, the location is the field's.
    #[must_use]
    pub fn made_at(&self) -> &'static Location<'static> {
        self.wait.place
    }

    /// Returns the task that holds the lock, or that holds permits of the semaphore.
    ///
    /// The holder is the task that acquired the lock, even if that task has since given the guard
    /// to another task. If there are several readers or permit holders, the most recent one is
    /// returned. Returns `None` if that holder has released the lock, if the lock was acquired
    /// outside of a task, and for channels.
    #[must_use]
    pub fn holder(&self) -> Option<Id> {
        self.holder
    }

    /// Returns whether the [`holder`](Self::holder) was handed the lock, or some permits of the
    /// semaphore, while it waited for them, and has not polled the waiting future since then.
    ///
    /// For a moment, this is so after each hand-over: until the holder, which was woken, is polled.
    #[must_use]
    pub fn is_promised(&self) -> bool {
        self.is_promised
    }

    /// Returns a lower bound for how long the [`holder`](Self::holder) has held the lock, counted
    /// from when a task began to wait for it, or `None` without a holder or a known time. The clock
    /// is read for a lock's first wait and for every sixteenth wait after it.
    #[must_use]
    pub fn held_for(&self) -> Option<Duration> {
        self.holder.and(self.held_for)
    }

    /// Returns whether only the holder can end the wait, by releasing the lock.
    fn is_exclusive(&self) -> bool {
        self.kind() == WaitKind::RwLockRead || is_exclusive(self.kind())
    }
}

impl fmt::Display for SyncWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if ending::is_made_at(self.made_at()) {
            return f.write_str("the runtime's shutdown token");
        }
        write!(f, "{} made at {}", self.kind().awaited(), ShortLocation(self.made_at()))?;
        match self.holder {
            Some(holder) if self.is_promised => {
                return write!(f, ", promised to a future of task {holder}, which has not polled it since");
            }
            None if self.is_held_by_root && self.is_promised => {
                return f.write_str(", promised to a future in `block_on`, which has not been polled since");
            }
            Some(holder) => write!(f, ", held by task {holder}")?,
            None if self.is_held_by_root => return f.write_str(", held by a future in `block_on`"),
            None => return Ok(()),
        }
        self.held_for.map_or(Ok(()), |time| write!(f, " for at least {time:.1?}"))
    }
}

impl SeenTask {
    /// Records a lock wait with the lock's holder, and replaces the task's own record.
    pub(super) fn wait_for_lock(&mut self, wait: SyncWait) {
        if self.snapshot.phase != TaskPhase::Idle {
            return;
        }
        let plain = WaitsOn::Sync(SyncWait::new(wait.wait));
        match self.waits_on.iter_mut().find(|on| **on == plain) {
            Some(on) => *on = WaitsOn::Sync(wait),
            None => self.waits_on.push(WaitsOn::Sync(wait)),
        }
    }

    /// Returns the lock that the task waits for, if the task waits for nothing else.
    fn only_lock(&self) -> Option<&SyncWait> {
        match &*self.waits_on {
            [WaitsOn::Sync(wait)] if wait.is_exclusive() => Some(wait),
            _ => None,
        }
    }
}

/// One task's wait in the search for cycles: both are indices.
#[derive(Clone, Copy)]
struct Edge {
    holder: usize,
    lock: usize,
}

/// Returns the cycles among the waits of `tasks`, which are sorted by their ids: each is a list of
/// indices of tasks, each of which waits for the next, and the last for the first.
///
/// A task that is about to take a lock that it was handed is in no cycle: the wait of a task that
/// has another waker does not count if the lock is promised.
///
/// The locks were read one after the other. A cycle counts if afterwards none of its locks has
/// changed since: then there was a moment at which all its waits were there together.
pub(super) fn cycles(tasks: &[SeenTask], locks: &[ContendedLock]) -> Vec<Vec<usize>> {
    let edges = edges(tasks, locks);
    let mut visited = BTreeSet::new();
    let found = edges.keys().filter_map(|&start| cycle_from(start, |at| Some(edges.get(&at)?.holder), &mut visited));
    found.filter(|cycle| cycle.iter().all(|at| locks[edges[at].lock].is_unchanged())).collect()
}

fn edges(tasks: &[SeenTask], locks: &[ContendedLock]) -> BTreeMap<usize, Edge> {
    let find = |id: u64| tasks.binary_search_by_key(&id, |task| task.snapshot.id.as_u64()).ok();
    let mut edges = BTreeMap::new();
    for (lock, seen) in locks.iter().enumerate() {
        let is_promised = seen.promised_to().is_some();
        let Some(holder) = seen.blocker().task().and_then(|holder| find(holder.get())) else { continue };
        for waiter in seen.waiters().iter().filter(|waiter| waiter.has_no_other_waker || !is_promised) {
            let waiter = waiter.owner.task().and_then(|task| find(task.get()));
            let Some(waiter) = waiter.filter(|&at| tasks[at].only_lock().is_some()) else { continue };
            // Two locks that were made at one place look like one wait. Either would end it.
            edges.entry(waiter).and_modify(|edge| *edge = None).or_insert(Some(Edge { holder, lock }));
        }
    }
    edges.into_iter().filter_map(|(waiter, edge)| Some((waiter, edge?))).collect()
}
