//! The list of all locks in the process that tasks have waited for. Task dumps use the list to show
//! which task waits for which lock.
//!
//! A lock is added when a task first waits for it, and removed when the lock is dropped. Reading
//! the list runs no user code: waiters are identified by the ids of their tasks.

use crate::current_task::LockOwner;
use crate::holder;
use crate::sync::StaticMutex;
use crate::wait::WaitKind;
use crate::wait_queue::{PermitRequest, WaitQueue};
use slab::Slab;
use std::panic::Location;
use std::ptr;
use std::sync::Arc;
use std::task::Waker;
use std::time::Instant;

// Not the seam's lock: no model walks through this list.
static WAITED_FOR: StaticMutex<Slab<Arc<WaitQueue>>> = StaticMutex::new(Slab::new());

/// Adds a lock's wait queue to the list, and returns the key that removes it again.
pub(crate) fn enlist(wait_queue: &Arc<WaitQueue>) -> usize {
    WAITED_FOR.lock().insert(Arc::clone(wait_queue))
}

/// Removes a wait queue from the list.
pub(crate) fn strike(key: usize) {
    let wait_queue = WAITED_FOR.lock().remove(key);
    // With the lock released: wakers may lie in it, of futures that were leaked.
    drop(wait_queue);
}

/// A task, or a future in `block_on`, that waits for a lock.
#[derive(Clone, Copy, Debug)]
pub struct LockWaiter {
    /// The task or future that waits.
    pub owner: LockOwner,
    /// The kind of the pending operation.
    pub kind: WaitKind,
    /// The address of the data of the waiter's waker. The waker may belong to a library that wraps
    /// the task's own waker.
    pub waker: usize,
    /// The address of the vtable of the waiter's waker.
    pub vtable: usize,
}

impl LockWaiter {
    /// `None` for a wait outside tasks and outside futures in `block_on`.
    fn of(need: &PermitRequest, waker: &Waker) -> Option<Self> {
        let (owner, kind) = (LockOwner::from_number(need.task), need.kind);
        let (waker, vtable) = (waker.data().addr(), ptr::from_ref(waker.vtable()).addr());
        (need.task != 0).then_some(Self { owner, kind, waker, vtable })
    }
}

/// A snapshot of a lock that tasks wait for.
#[derive(Debug)]
pub struct ContendedLock {
    wait_queue: Arc<WaitQueue>,
    changes: u64,
    holder: LockOwner,
    has_owned_guard: bool,
    address: usize,
    held_since: Option<Instant>,
    waiters: Vec<LockWaiter>,
}

impl ContendedLock {
    /// Returns the place in the source where the lock was created.
    #[must_use]
    pub fn place(&self) -> &'static Location<'static> {
        self.wait_queue.place
    }

    /// Returns the task or future that acquired the lock, or some of its permits, and still holds
    /// them.
    ///
    /// The holder is unknown if the lock was acquired outside of tasks and of futures in
    /// `block_on`.
    #[must_use]
    pub fn holder(&self) -> LockOwner {
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
    pub fn waiters(&self) -> &[LockWaiter] {
        &self.waiters
    }

    /// Returns `true` if the holder and the waiters of this snapshot have stayed the same since the
    /// snapshot was taken.
    ///
    /// Waiters that have been added in the meantime do not count as a change.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.wait_queue.lock().changes == self.changes
    }

    /// Returns `None` if no task waits.
    fn look(wait_queue: &Arc<WaitQueue>) -> Option<Self> {
        let queue = wait_queue.lock();
        let waiters: Vec<_> = queue.list.entries().filter_map(|(need, waker)| LockWaiter::of(need, waker)).collect();
        let (holder, has_owned_guard) = holder::split(queue.holder);
        let (changes, address, held_since) = (queue.changes, queue.address, queue.since);
        drop(queue);
        let (wait_queue, holder) = (Arc::clone(wait_queue), LockOwner::from_number(holder));
        (!waiters.is_empty()).then(|| Self {
            wait_queue,
            changes,
            holder,
            has_owned_guard,
            address,
            held_since,
            waiters,
        })
    }
}

/// Returns the same list as [`locks`], or `None` if more than `most` locks have ever had a waiter
/// and still exist, whether or not tasks wait for them now.
///
/// Use this function where reading a long list would take too long.
#[must_use]
pub fn locks_if_few(most: usize) -> Option<Vec<ContendedLock>> {
    let listed = WAITED_FOR.lock().len();
    (listed <= most).then(locks)
}

/// Returns a snapshot of every lock and semaphore in the process that tasks currently wait for.
///
/// The locks are read one after the other, so the snapshots are not all taken at the same instant.
#[must_use]
pub fn locks() -> Vec<ContendedLock> {
    let wait_queues: Vec<_> = WAITED_FOR.lock().iter().map(|(_, wait_queue)| Arc::clone(wait_queue)).collect();
    wait_queues.iter().filter_map(ContendedLock::look).collect()
}
