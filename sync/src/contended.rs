//! The locks of the process that a task has waited for, so that a dump can tell which task waits
//! for which.
//!
//! A lock comes onto the list when the first waiter ever comes, and leaves it as it is dropped. The
//! walk runs no foreign code: waiters are known by the ids of their tasks.

use crate::line::Line;
use crate::wait::WaitKind;
use parking_lot::Mutex;
use slab::Slab;
use std::num::NonZeroU64;
use std::panic::Location;
use std::sync::Arc;
use std::time::Instant;

// Not the seam's lock: no model walks through this list.
static CONTENDED: Mutex<Slab<Arc<Line>>> = Mutex::new(Slab::new());

/// Puts a line onto the list, and returns the key that takes it off again.
pub(crate) fn enlist(line: &Arc<Line>) -> usize {
    CONTENDED.lock().insert(Arc::clone(line))
}

/// Takes a line off the list.
pub(crate) fn strike(key: usize) {
    let line = CONTENDED.lock().remove(key);
    // With the lock released: wakers may lie in it, of futures that were leaked.
    drop(line);
}

/// A lock with tasks in line, as it was at one moment.
#[derive(Debug)]
pub struct ContendedLock {
    line: Arc<Line>,
    changes: u64,
    holder: Option<NonZeroU64>,
    held_since: Option<Instant>,
    waiters: Vec<(NonZeroU64, WaitKind)>,
}

impl ContendedLock {
    /// Returns the place where it was made.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.line.place
    }

    /// Returns the task that holds it, or a part of it, by having taken it itself. `None` if that
    /// is unknown: also where it was taken outside of tasks.
    #[must_use]
    pub fn holder(&self) -> Option<NonZeroU64> {
        self.holder
    }

    /// Returns a moment since which the holder has held it. It is noted for a few waits only.
    #[must_use]
    pub fn held_since(&self) -> Option<Instant> {
        self.held_since
    }

    /// Returns the tasks in line, the first first. Waits outside of tasks are left out.
    #[must_use]
    pub fn waiters(&self) -> &[(NonZeroU64, WaitKind)] {
        &self.waiters
    }

    /// Returns true if holder and waiters have been as they are here without a break since this was
    /// read, but for waiters that came.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.line.lock().changes == self.changes
    }

    /// None if no task is in line.
    fn look(line: &Arc<Line>) -> Option<Self> {
        let queue = line.lock();
        let waiters: Vec<_> =
            queue.list.values().filter_map(|need| Some((NonZeroU64::new(need.task)?, need.kind))).collect();
        let (changes, holder, held_since) = (queue.changes, NonZeroU64::new(queue.holder), queue.since);
        drop(queue);
        (!waiters.is_empty()).then(|| Self { line: Arc::clone(line), changes, holder, held_since, waiters })
    }
}

/// Returns all locks and semaphores of the process that tasks are in line for.
///
/// It is no snapshot: they are read one after the other.
#[must_use]
pub fn locks() -> Vec<ContendedLock> {
    let lines: Vec<_> = CONTENDED.lock().iter().map(|(_, line)| Arc::clone(line)).collect();
    lines.iter().filter_map(ContendedLock::look).collect()
}
