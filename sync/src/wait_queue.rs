//! The queue of the waiters for permits, in its own allocation: created when the first waiter
//! comes, and kept until the lock is dropped.
//!
//! A lock may be moved, but its wait queue may not, because dumps find the queue through the list
//! of [waited-for locks](crate::waited_locks). A lock that no task has waited for is also smaller
//! this way.

use crate::sync::atomic::AtomicPtr;
use crate::sync::atomic::Ordering::{AcqRel, Acquire};
use crate::sync::{WaitGuard, WaitLock, const_fn};
use crate::wait::{Place, WaitKind, is_exclusive};
use crate::wait_list::WaitList;
use crate::waited_locks;
use std::fmt;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A lock reads the clock when the first waiter comes, and then for every sixteenth one, because
/// reading it more often would be a good part of the cost of a wait.
const ENTRIES_PER_READING: u32 = 16;

/// The waiters for the permits of a lock, and the lock's state as dumps see it.
#[derive(Debug)]
pub(crate) struct WaitQueue {
    queue: WaitLock<WaitQueueState>,
    pub(crate) place: Place,
    /// The key in the list of waited-for locks, if the queue is listed.
    listed: OnceLock<usize>,
}

/// The state of a wait queue, which its lock protects.
#[derive(Debug)]
pub(crate) struct WaitQueueState {
    pub(crate) list: WaitList<PermitRequest>,
    /// The holder at the time when the last waiter came or permits were last handed over. The
    /// holder does not change in between, because permits are only handed over while a task waits.
    pub(crate) holder: u64,
    /// The address of the lock when the last waiter came. A lock does not move while a task waits
    /// for it.
    pub(crate) address: usize,
    /// A time at which the holder already held the lock.
    pub(crate) since: Option<Instant>,
    /// The number of steps so far after which the holder or a waiter may have changed.
    pub(crate) changes: u64,
    entries: u32,
}

/// The request of a waiter.
#[derive(Debug)]
pub(crate) struct PermitRequest {
    /// The number of permits that the waiter still waits for.
    pub(crate) lacks: usize,
    /// The number of permits that the waiter has received so far.
    pub(crate) has: usize,
    /// The id of the task that waits, or 0 if no task does.
    pub(crate) task: u64,
    pub(crate) kind: WaitKind,
    /// The number of polls in a row that found the lock handed to another future of the same task.
    pub(crate) polls_behind_own: u32,
}

impl WaitQueue {
    fn new(place: Place) -> Self {
        let queue =
            WaitQueueState { list: WaitList::new(), holder: 0, address: 0, since: None, changes: 0, entries: 0 };
        Self { queue: WaitLock::new(queue), place, listed: OnceLock::new() }
    }

    pub(crate) fn lock(&self) -> WaitGuard<'_, WaitQueueState> {
        self.queue.lock()
    }
}

impl WaitQueueState {
    /// Records that a waiter has come, and which holder it found.
    pub(crate) fn note_entry(&mut self, holder: u64, address: usize) {
        self.address = address;
        if self.entries % ENTRIES_PER_READING == 0 && self.since.is_none() {
            self.since = Some(Instant::now());
        }
        self.entries = self.entries.wrapping_add(1);
        self.holder = holder;
    }

    /// Returns the task or future of a waiter that was handed its permits and has not been polled
    /// since, or 0. Of several, any one is returned.
    pub(crate) fn promised_to(&self) -> u64 {
        self.list.unlinked().find(|need| need.lacks == 0).map_or(0, |need| need.task)
    }

    /// Records the task that polls for a waiter, because a future may move from task to task.
    pub(crate) fn note_task(&mut self, key: usize, task: u64) {
        let kind = self.list.value_mut(key).kind;
        let is_behind_own = self.is_promised_to(task, kind);
        let need = self.list.value_mut(key);
        need.polls_behind_own = if is_behind_own { need.polls_behind_own.saturating_add(1) } else { 0 };
        let before = std::mem::replace(&mut need.task, task);
        self.changes += u64::from(before != task);
    }

    /// Returns whether a wait of `task` can only end once another of its futures, which was handed
    /// the lock, is polled.
    pub(crate) fn is_promised_to(&self, task: u64, kind: WaitKind) -> bool {
        is_exclusive(kind) && task != 0 && self.holder == task && self.promised_to() == task
    }

    /// Records that permits were given back, and which task holds them now.
    pub(crate) fn note_hand_over(&mut self, holder: u64) {
        self.holder = holder;
        self.since = None;
        self.changes += 1;
    }
}

/// The slot for a wait queue that is created when it is first needed.
pub(crate) struct LazyWaitQueue(AtomicPtr<WaitQueue>);

impl LazyWaitQueue {
    const_fn! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
    }

    pub(crate) fn get(&self) -> Option<&WaitQueue> {
        // Acquire pairs with the Release of `make`.
        let wait_queue = self.0.load(Acquire);
        // SAFETY: it is null, or the pointer of an `Arc` that this keeps until it is dropped.
        unsafe { wait_queue.as_ref() }
    }

    /// Returns the queue, and creates and lists it first if necessary.
    pub(crate) fn get_or_make(&self, place: Place) -> &WaitQueue {
        self.get().unwrap_or_else(|| self.make(place))
    }

    #[cold]
    fn make(&self, place: Place) -> &WaitQueue {
        let fresh = Arc::new(WaitQueue::new(place));
        let raw = Arc::into_raw(Arc::clone(&fresh)).cast_mut();
        match self.0.compare_exchange(ptr::null_mut(), raw, AcqRel, Acquire) {
            Ok(_) => {
                let _ = fresh.listed.set(waited_locks::enlist(&fresh));
            }
            // SAFETY: another thread was faster: the reference that was to go there comes back.
            Err(_) => drop(unsafe { Arc::from_raw(raw) }),
        }
        self.get().expect("it was just made, by this thread or another one")
    }
}

impl Drop for LazyWaitQueue {
    fn drop(&mut self) {
        let raw = self.0.load(Acquire);
        if raw.is_null() {
            return;
        }
        // SAFETY: `make` put the pointer of an `Arc` there, and nothing else does.
        let wait_queue = unsafe { Arc::from_raw(raw) };
        if let Some(&key) = wait_queue.listed.get() {
            waited_locks::strike(key);
        }
    }
}

impl fmt::Debug for LazyWaitQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
