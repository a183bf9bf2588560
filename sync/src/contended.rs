//! The locks of the process that a task has waited for, so that a dump can tell which task waits
//! for which.
//!
//! A lock comes onto the list when the first waiter ever comes, and leaves it as it is dropped. The
//! walk runs no foreign code: waiters are known by the ids of their tasks.

use crate::current_task::Owner;
use crate::holder;
use crate::line::{Line, Need};
use crate::sync::StaticMutex;
use crate::wait::WaitKind;
use slab::Slab;
use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

// Not the seam's lock: no model walks through this list.
static CONTENDED: StaticMutex<Slab<Arc<Line>>> = StaticMutex::new(Slab::new());

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

/// A task, or future, in line for a lock.
#[derive(Clone, Copy, Debug)]
pub struct Waiter {
    /// The task or future.
    pub owner: Owner,
    /// The kind of its operation.
    pub kind: WaitKind,
    /// The address of its waker's data. The waker may be a library's, which wraps the task's.
    pub waker: usize,
    /// The address of its waker's functions.
    pub vtable: usize,
}

impl Waiter {
    /// `None` for a wait outside tasks and outside futures in `block_on`.
    fn of(need: &Need, waker: &Waker) -> Option<Self> {
        let (owner, kind) = (Owner::from_number(need.task), need.kind);
        let (waker, vtable) = (waker.data().addr(), ptr::from_ref(waker.vtable()).addr());
        (need.task != 0).then_some(Self { owner, kind, waker, vtable })
    }
}

/// A lock with tasks in line, as it was at one moment.
#[derive(Debug)]
pub struct ContendedLock {
    line: Arc<Line>,
    changes: u64,
    holder: Owner,
    has_owned_guard: bool,
    address: usize,
    held_since: Option<Instant>,
    waiters: Vec<Waiter>,
}

impl ContendedLock {
    /// Returns the place where it was made.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.line.place
    }

    /// Returns the task, or future, that holds it, or a part of it, by having taken it itself. It
    /// is unknown if neither has taken the lock.
    #[must_use]
    pub fn holder(&self) -> Owner {
        self.holder
    }

    /// Returns true if the holder has a guard that borrows nothing, and may be anywhere.
    #[must_use]
    pub fn has_owned_guard(&self) -> bool {
        self.has_owned_guard
    }

    /// Returns the address of the lock, to tell where it lies.
    #[must_use]
    pub fn address(&self) -> usize {
        self.address
    }

    /// Returns a moment since which the holder has held it. It is noted for a few waits only.
    #[must_use]
    pub fn held_since(&self) -> Option<Instant> {
        self.held_since
    }

    /// Returns the tasks and futures in line, the first first. Other waits are left out.
    #[must_use]
    pub fn waiters(&self) -> &[Waiter] {
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
        let waiters: Vec<_> = queue.list.entries().filter_map(|(need, waker)| Waiter::of(need, waker)).collect();
        let (holder, has_owned_guard) = holder::split(queue.holder);
        let (changes, address, held_since) = (queue.changes, queue.address, queue.since);
        drop(queue);
        let (line, holder) = (Arc::clone(line), Owner::from_number(holder));
        (!waiters.is_empty()).then(|| Self { line, changes, holder, has_owned_guard, address, held_since, waiters })
    }
}

/// Returns them like [`locks`], if no more than `most` are on the list, whether tasks are in line
/// or not.
#[must_use]
pub fn locks_if_few(most: usize) -> Option<Vec<ContendedLock>> {
    let listed = CONTENDED.lock().len();
    (listed <= most).then(locks)
}

/// Returns all locks and semaphores of the process that tasks are in line for.
///
/// It is no snapshot: they are read one after the other.
#[must_use]
pub fn locks() -> Vec<ContendedLock> {
    let lines: Vec<_> = CONTENDED.lock().iter().map(|(_, line)| Arc::clone(line)).collect();
    lines.iter().filter_map(ContendedLock::look).collect()
}
