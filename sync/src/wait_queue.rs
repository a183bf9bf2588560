//! The queue of the waiters for permits, in its own allocation: created when the first waiter
//! comes, and kept until the lock is dropped.
//!
//! A lock may be moved, but its wait queue may not, because dumps find the queue through the list
//! of [waited-for locks](crate::waited_locks). A lock that no task has waited for is also smaller
//! this way.

use crate::budget::with_state;
use crate::sync::atomic::AtomicPtr;
use crate::sync::atomic::Ordering::{AcqRel, Acquire};
use crate::sync::{BATCH, WaitGuard, WaitLock, const_fn};
use crate::wait::{Place, WaitKind, is_exclusive};
use crate::wait_list::WaitList;
use crate::waited_locks;
use crate::wakers::Wakers;
use std::fmt;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::task::Waker;
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
    /// It is 0 while a freed mutex is offered to the first waiter: another task may take the mutex.
    pub(crate) holder: u64,
    /// The address of the lock when the last waiter came. A lock does not move while a task waits
    /// for it.
    pub(crate) address: usize,
    /// A time at which the holder already held the lock.
    pub(crate) since: Option<Instant>,
    /// The number of steps so far after which the holder or a waiter may have changed.
    pub(crate) changes: u64,
    promises: Promises,
    /// The number of all permits, free or not, at the time of `holder`. 0 if it is not known.
    total: usize,
    entries: u32,
}

/// The permits that were handed to waiters which have not been polled since.
#[derive(Debug, Default)]
struct Promises {
    permits: usize,
    /// The task of all these waiters. 0 if there were several tasks, or none is known.
    task: u64,
}

impl Promises {
    fn add(&mut self, task: u64, permits: usize) {
        self.task = if self.permits == 0 || self.task == task { task } else { 0 };
        self.permits += permits;
    }

    /// A waiter has fetched its permits.
    fn keep(&mut self, permits: usize) {
        self.permits -= permits;
    }
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
    /// The last poll that has polled the waiter.
    polled_in: u64,
    /// The first poll that has found the lock handed to another future of the same task, if the
    /// last poll has found it so.
    behind: Option<BehindOwn>,
    /// True while a freed mutex is offered to the waiter: it was woken, and has not looked since.
    pub(crate) is_woken: bool,
    /// The number of times that the waiter was woken in vain.
    pub(crate) overtaken: u32,
}

/// A hand-over of a lock to another future of the same task, as a waiter has found it.
#[derive(Clone, Copy, Debug)]
struct BehindOwn {
    /// The queue's `changes` after the hand-over.
    changes: u64,
    /// The first poll that has found it.
    found_in: u64,
}

impl WaitQueue {
    fn new(place: Place) -> Self {
        let queue = WaitQueueState {
            list: WaitList::new(),
            holder: 0,
            address: 0,
            since: None,
            changes: 0,
            promises: Promises::default(),
            total: 0,
            entries: 0,
        };
        Self { queue: WaitLock::new(queue), place, listed: OnceLock::new() }
    }

    pub(crate) fn lock(&self) -> WaitGuard<'_, WaitQueueState> {
        self.queue.lock()
    }
}

/// Tells which waiters have been served.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServeProgress {
    /// All waiters.
    All,
    /// A batch of waiters, and the next one waits.
    Batch,
    /// Some waiters, until too few permits were left for the next one.
    Some,
}

impl WaitQueueState {
    /// Adds a waiter of the current task, which has some permits and lacks others, and returns its
    /// key.
    pub(crate) fn enter(&mut self, lacks: usize, has: usize, kind: WaitKind, waker: Waker) -> usize {
        let (task, polled_in) = with_state(|state| (state.task.get(), state.id()));
        let behind = self.behind_own(task, kind, polled_in);
        let (is_woken, overtaken) = (false, 0);
        self.list.push(PermitRequest { lacks, has, task, kind, polled_in, behind, is_woken, overtaken }, waker)
    }

    /// Gives `left` permits to the first waiters, up to a batch of them, and calls `granted` with
    /// the task of each that has all of its permits.
    pub(crate) fn serve(
        &mut self,
        left: &mut usize,
        wakers: &mut Wakers,
        mut granted: impl FnMut(u64),
    ) -> ServeProgress {
        let mut served = 0;
        while let Some(need) = self.list.first_mut() {
            if served == BATCH {
                return ServeProgress::Batch;
            }
            let given = need.lacks.min(*left);
            need.lacks -= given;
            need.has += given;
            *left -= given;
            if need.lacks > 0 {
                return ServeProgress::Some;
            }
            let (task, has) = (need.task, need.has);
            granted(task);
            self.promises.add(task, has);
            if let Some((_, waker)) = self.list.unlink_first() {
                wakers.push(waker);
            }
            served += 1;
        }
        ServeProgress::All
    }

    /// Marks a waiter as one that has its permits.
    pub(crate) fn grant(&mut self, key: usize) {
        let need = self.list.value_mut(key);
        need.has += std::mem::take(&mut need.lacks);
        need.is_woken = false;
        let (task, has) = (need.task, need.has);
        self.promises.add(task, has);
        self.list.detach(key);
    }

    /// Removes a waiter. Returns its request, whether it was still waiting, and its waker, which
    /// must be dropped with no lock held.
    #[must_use = "the waker is to be dropped after the lock is released"]
    pub(crate) fn leave(&mut self, key: usize) -> (PermitRequest, bool, Option<Waker>) {
        let (need, was_linked, waker) = self.list.remove(key);
        if !was_linked && need.lacks == 0 {
            self.promises.keep(need.has);
        }
        (need, was_linked, waker)
    }

    /// Records that a waiter has come, which holder it found, and how many permits there are.
    pub(crate) fn note_entry(&mut self, holder: u64, address: usize, total: usize) {
        self.address = address;
        self.total = total;
        if self.entries % ENTRIES_PER_READING == 0 && self.since.is_none() {
            self.since = Some(Instant::now());
        }
        self.entries = self.entries.wrapping_add(1);
        self.holder = holder;
    }

    /// Returns the task or future of a waiter that was handed or offered its permits and has not
    /// been polled since, or 0. Of several, any one is returned.
    pub(crate) fn promised_to(&self) -> u64 {
        let handed = self.list.unlinked().find(|need| need.lacks == 0);
        handed.or_else(|| self.offered()).map_or(0, |need| need.task)
    }

    /// Returns the waiter that a freed mutex is offered to.
    fn offered(&self) -> Option<&PermitRequest> {
        self.list.first().filter(|need| need.is_woken)
    }

    /// Records the task that polls for a waiter, because a future may move from task to task.
    pub(crate) fn note_task(&mut self, key: usize) {
        let kind = self.list.value_mut(key).kind;
        let (task, polled_in) = with_state(|state| (state.task.get(), state.id()));
        let behind = self.behind_own(task, kind, polled_in);
        let need = self.list.value_mut(key);
        if need.behind.map(|before| before.changes) != behind.map(|now| now.changes) {
            need.behind = behind;
        }
        need.polled_in = polled_in;
        let before = std::mem::replace(&mut need.task, task);
        self.changes += u64::from(before != task);
    }

    fn behind_own(&self, task: u64, kind: WaitKind, found_in: u64) -> Option<BehindOwn> {
        self.is_promised_to(task, kind).then_some(BehindOwn { changes: self.changes, found_in })
    }

    /// Returns whether the waiter waits behind another future of its task that the task does not
    /// poll: a whole poll, which has found the lock handed to that future, has not polled it.
    pub(crate) fn is_behind_unpolled(&self, need: &PermitRequest) -> bool {
        let Some(behind) = need.behind.filter(|behind| behind.changes == self.changes) else { return false };
        let handed = self.list.unlinked().filter(|need| need.lacks == 0).chain(self.offered());
        behind.found_in != need.polled_in && handed.into_iter().all(|handed| handed.polled_in != behind.found_in)
    }

    /// Returns whether all permits lie with waiters of `task`: nobody else has one to give back.
    pub(crate) fn has_all(&self, task: u64) -> bool {
        let of_task = self.list.values().filter(|need| need.task == task);
        self.total > 0 && of_task.map(|need| need.has).sum::<usize>() == self.total
    }

    /// Returns whether a wait of `task` can only end once another of its futures, which was handed
    /// the lock or all permits, is polled. In time that does not grow with the waiters.
    pub(crate) fn is_promised_to(&self, task: u64, kind: WaitKind) -> bool {
        let Promises { permits, task: promised_to } = self.promises;
        let is_enough = permits == self.total || is_exclusive(kind);
        let is_handed = promised_to == task && permits > 0 && is_enough;
        task != 0 && (is_handed || self.offered().is_some_and(|need| need.task == task))
    }

    /// Records that permits were given back, which task holds them now, and how many there are.
    pub(crate) fn note_hand_over(&mut self, holder: u64, total: usize) {
        self.total = total;
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
