//! The list of all locks in the process that tasks have waited for. Task dumps use the list to show
//! which task waits for which lock.
//!
//! A lock is added when a task first waits for it, and removed when the lock is dropped. Reading
//! the list runs no user code: waiters are identified by the ids of their tasks.

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

/// Adds a line to the list, and returns the key that removes it again.
pub(crate) fn enlist(line: &Arc<Line>) -> usize {
    CONTENDED.lock().insert(Arc::clone(line))
}

/// Removes a line from the list.
pub(crate) fn strike(key: usize) {
    let line = CONTENDED.lock().remove(key);
    // With the lock released: wakers may lie in it, of futures that were leaked.
    drop(line);
}

/// A task, or a future in `block_on`, that waits for a lock.
#[derive(Clone, Copy, Debug)]
pub struct Waiter {
    /// The task or future that waits.
    pub owner: Owner,
    /// The kind of the pending operation.
    pub kind: WaitKind,
    /// The address of the data of the waiter's waker. The waker may belong to a library that wraps
    /// the task's own waker.
    pub waker: usize,
    /// The address of the vtable of the waiter's waker.
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

/// A snapshot of a lock that tasks wait for.
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
    /// Returns the place in the source where the lock was created.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.line.place
    }

    /// Returns the task or future that acquired the lock, or some of its permits, and still holds
    /// them.
    ///
    /// The holder is unknown if the lock was acquired outside of tasks and of futures in
    /// `block_on`.
    #[must_use]
    pub fn holder(&self) -> Owner {
        self.holder
    }

    /// Returns `true` if the holder has an owned guard, which borrows nothing and may have been
    /// moved out of the holder's task.
    #[must_use]
    pub fn has_owned_guard(&self) -> bool {
        self.has_owned_guard
    }

    /// Returns the address of the lock, which tells what data structure the lock is part of.
    #[must_use]
    pub fn address(&self) -> usize {
        self.address
    }

    /// Returns a time at which the holder already held the lock, or `None` if no such time was
    /// recorded.
    ///
    /// To keep waiting cheap, the time is recorded only for some waits, so the holder may have held
    /// the lock for longer.
    #[must_use]
    pub fn held_since(&self) -> Option<Instant> {
        self.held_since
    }

    /// Returns the tasks and futures that wait for the lock, in the order in which they will be
    /// served. Waits outside of tasks and futures in `block_on` are left out.
    #[must_use]
    pub fn waiters(&self) -> &[Waiter] {
        &self.waiters
    }

    /// Returns `true` if the holder and the waiters of this snapshot have stayed the same since the
    /// snapshot was taken.
    ///
    /// Waiters that have been added in the meantime do not count as a change.
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

/// Returns the same list as [`locks`], or `None` if more than `most` locks have ever had a waiter
/// and still exist, whether or not tasks wait for them now.
///
/// Use this function where reading a long list would take too long.
#[must_use]
pub fn locks_if_few(most: usize) -> Option<Vec<ContendedLock>> {
    let listed = CONTENDED.lock().len();
    (listed <= most).then(locks)
}

/// Returns a snapshot of every lock and semaphore in the process that tasks currently wait for.
///
/// The locks are read one after the other, so the snapshots are not all taken at the same instant.
#[must_use]
pub fn locks() -> Vec<ContendedLock> {
    let lines: Vec<_> = CONTENDED.lock().iter().map(|(_, line)| Arc::clone(line)).collect();
    lines.iter().filter_map(ContendedLock::look).collect()
}
