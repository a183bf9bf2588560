//! The list of all locks in the process that tasks have waited for. Task dumps use the list to show
//! which task waits for which lock.
//!
//! A lock is added when a task first waits for it, and removed when the lock is dropped. Reading
//! the list runs no user code: waiters are identified by the ids of their tasks.

use crate::current_task::LockOwner;
use crate::holder;
use crate::sync::StaticMutex;
use crate::wait::{WaitKind, is_exclusive};
use crate::wait_queue::{PermitRequest, WaitQueue, WaitQueueState};
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
    /// True if nothing but this lock can wake the task, by the runtime's answer to [`locks_with`].
    pub has_no_other_waker: bool,
    /// True if the lock was handed to another future of the same task, which the task does not poll
    /// while it polls this one.
    pub is_behind_unpolled: bool,
}

impl LockWaiter {
    /// `None` for a wait outside tasks and outside futures in `block_on`.
    fn of(queue: &WaitQueueState, need: &PermitRequest, waker: &Waker, is_last: IsLastWaker) -> Option<Self> {
        let (owner, kind) = (LockOwner::from_number(need.task), need.kind);
        let is_behind_unpolled = queue.is_behind_unpolled(need);
        let has_no_other_waker = is_last(waker, owner);
        let (waker, vtable) = (waker.data().addr(), ptr::from_ref(waker.vtable()).addr());
        (need.task != 0).then_some(Self { owner, kind, waker, vtable, has_no_other_waker, is_behind_unpolled })
    }
}

/// A function that returns whether a waker is the only one of a task that waits, so that nothing
/// else can wake the task. The second argument is the task.
///
/// The function is called with a lock held, and must run no code of users.
pub type IsLastWaker = fn(&Waker, LockOwner) -> bool;

/// A snapshot of a lock that tasks wait for.
#[derive(Debug)]
pub struct ContendedLock {
    wait_queue: Arc<WaitQueue>,
    changes: u64,
    holder: LockOwner,
    promised_to: Option<LockOwner>,
    is_all_promised: bool,
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
    /// The holder is unknown if the lock was acquired outside tasks and of futures in
    /// `block_on`.
    #[must_use]
    pub fn holder(&self) -> LockOwner {
        self.holder
    }

    /// Returns the task or future that was handed the lock, or some of its permits, while it waited
    /// for them, and that has not taken them since: it has not polled the future that waits.
    ///
    /// For a moment, this is so after each hand-over. The task is the one that has polled the
    /// future last.
    #[must_use]
    pub fn promised_to(&self) -> Option<LockOwner> {
        self.promised_to
    }

    /// Returns the task or future that keeps others from the lock: the waiter that the lock was
    /// handed to and that has not taken it yet, or else the holder.
    #[must_use]
    pub fn blocker(&self) -> LockOwner {
        self.promised_to.unwrap_or(self.holder)
    }

    /// Returns `true` if only the [`blocker`](Self::blocker) can end a wait of this kind, by giving
    /// back what it has: if the wait is for the whole lock, or if all permits were handed to
    /// waiting futures of the blocker.
    ///
    /// The permits of a semaphore to which some were added are not counted: whoever has added some
    /// may add more.
    #[must_use]
    pub fn is_up_to_blocker(&self, kind: WaitKind) -> bool {
        self.is_all_promised || is_exclusive(kind)
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
    /// served. Waits outside tasks and futures in `block_on` are left out.
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
    fn look(wait_queue: &Arc<WaitQueue>, is_last: IsLastWaker) -> Option<Self> {
        let queue = wait_queue.lock();
        let waiter = |(need, waker)| LockWaiter::of(&queue, need, waker, is_last);
        let waiters: Vec<_> = queue.list.entries().filter_map(waiter).collect();
        let (holder, has_owned_guard) = holder::split(queue.holder);
        let (changes, address, held_since) = (queue.changes, queue.address, queue.since);
        let promised_to = (!waiters.is_empty()).then(|| queue.promised_to()).filter(|&task| task != 0);
        let is_all_promised = promised_to.is_some_and(|task| queue.has_all(task));
        drop(queue);
        let (wait_queue, holder) = (Arc::clone(wait_queue), LockOwner::from_number(holder));
        (!waiters.is_empty()).then(|| Self {
            wait_queue,
            changes,
            holder,
            promised_to: promised_to.map(LockOwner::from_number),
            is_all_promised,
            has_owned_guard,
            address,
            held_since,
            waiters,
        })
    }
}

/// Returns a snapshot of every lock and semaphore in the process that tasks currently wait for, or
/// `None` if more than `most` have ever had a waiter and still exist, whether or not tasks wait for
/// them now. `is_last` says of each waiter's waker whether it is the last one of its task.
///
/// The locks are read one after the other, so the snapshots are not all taken at the same instant.
/// Set a limit where reading a long list would take too long.
#[must_use]
pub fn locks_with(most: usize, is_last: IsLastWaker) -> Option<Vec<ContendedLock>> {
    let listed = WAITED_FOR.lock();
    if listed.len() > most {
        return None;
    }
    let wait_queues: Vec<_> = listed.iter().map(|(_, wait_queue)| Arc::clone(wait_queue)).collect();
    drop(listed);
    Some(wait_queues.iter().filter_map(|wait_queue| ContendedLock::look(wait_queue, is_last)).collect())
}
