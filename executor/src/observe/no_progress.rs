//! Finds out whether a current-thread runtime can make no further progress. The driving thread asks
//! when it is about to sleep without a deadline.
//!
//! The search counts wakers. A task continues only if one of its wakers is woken, and a task knows
//! how many wakers exist; so does the future in `block_on`. A waker is *accounted for* if it is
//! stored where only a task that cannot continue could wake it: with an awaited task, or in the
//! queue of a lock that such a task holds. Tasks with other wakers may continue, and so may the
//! tasks that wait for them. If no such task is left, no event, thread or signal can wake any task,
//! because each would need a waker.
//!
//! The result is a *proof* only if the future in `block_on` has no waker left at all. If the future
//! waits for a task, another thread may own the join handle and abort the task; if it waits for a
//! lock, another thread may own the lock's guard. Such a result is a *suspicion*, which is reported
//! before the thread sleeps. To avoid false suspicions, a lock does not count if its guard borrows
//! nothing, or if the lock is static. An abort handle counts as a waker.

use std::collections::BTreeMap;
use std::sync::Arc;

use wsrt_sync::current_task::LockOwner;
use wsrt_sync::waited_locks::{self, ContendedLock};

use crate::observe::deadlocks::is_kept;
use crate::observe::dump::{self, Seen, WaitsOn};
use crate::observe::sync_waits::SyncWait;
use crate::scheduler::Scheduler;
use crate::scheduler::scheduler::RootSeen;
use crate::task::{Id, TaskAddress, TaskPhase, TaskSnapshot};
use crate::util::sync;
use crate::util::sync::atomic::Ordering::Acquire;
use crate::util::sync::atomic::fence;

/// The number of references to the scheduler of a runtime that its user does not share: one of the
/// runtime, and one of the driving thread.
const OWN_REFERENCES: usize = 2;

/// The number of references of an idle blocking thread: its own, and its context's.
const POOL_REFERENCES: usize = 2;

/// The maximum number of locks or tasks to examine. With more, no result is given: the thread may
/// be about to sleep only briefly, and examining one takes some tens of nanoseconds.
const MOST_LOCKS: usize = 256;
const MOST_TASKS: usize = 1024;

/// A runtime that can make no progress, or is suspected of it.
pub(crate) struct Stuck {
    pub(crate) is_proven: bool,
    /// The waits of the future in `block_on`.
    pub(crate) root: Vec<WaitsOn>,
    pub(crate) seen: Seen,
}

/// Returns the state of the runtime if neither the future in `block_on` nor any task seems able to
/// continue, ever.
///
/// Outside tests, a cycle of waits, direct or indirect, is required for a suspicion, because
/// programs may legitimately park a thread in `block_on` forever.
pub(crate) fn look(scheduler: &Arc<Scheduler>, root: &RootSeen<'_>) -> Option<Stuck> {
    let is_test = scheduler.config.is_test;
    let is_told = scheduler.suspicion.is_completed();
    let locks =
        if is_told { Vec::new() } else { waited_locks::locks_with(MOST_LOCKS, |_, _| false).unwrap_or_default() };
    if (locks.is_empty() && !is_test) || is_shared(scheduler) || scheduler.tasks.len() > MOST_TASKS {
        return None;
    }
    let mut waits = WaitGraph::of(scheduler, root);
    let is_proven = is_test && root.wakers == 0 && waits.is_none_left();
    if !is_proven {
        waits.note_locks(&locks);
        let is_suspected = waits.is_none_left() && (is_test || waits.lead_into_a_ring(root.owner));
        if is_told || !is_suspected {
            return None;
        }
    }
    // Pairs with the Release of the thread that dropped a waker of the root after it had woken it.
    fence(Acquire);
    if (root.is_woken)() || !waits.locks.iter().all(|lock| lock.is_unchanged()) {
        return None;
    }
    Some(Stuck { is_proven, root: waits.of_root(root), seen: dump::look(scheduler) })
}

/// Returns whether other threads can give work to the runtime: through handles, blocking jobs, or
/// local sets, whose tasks this search does not examine.
fn is_shared(scheduler: &Arc<Scheduler>) -> bool {
    let pool = scheduler.blocking.census();
    scheduler.blocking.is_at_work()
        || pool.idle != pool.threads
        || Arc::strong_count(scheduler) != OWN_REFERENCES + pool.threads * POOL_REFERENCES
        || scheduler.observer.local_sets.alive().iter().any(|set| !set.live().is_empty())
}

/// A waiting task, or the waiting future in `block_on`.
struct WaitingOwner {
    is_idle: bool,
    /// The number of wakers that were not accounted for so far.
    wakers: usize,
    waits_for: Vec<LockOwner>,
}

impl WaitingOwner {
    fn found_with(&mut self, other: LockOwner) {
        // More places than wakers: one was left behind there, and another is somewhere.
        self.is_idle &= self.wakers > 0;
        self.wakers = self.wakers.saturating_sub(1);
        self.waits_for.push(other);
    }
}

/// The tasks by their addresses, and the root by the address in its wakers.
struct Addresses {
    tasks: BTreeMap<TaskAddress, LockOwner>,
    root: (usize, LockOwner),
}

impl Addresses {
    /// Returns the task or root that a waker with these parts wakes.
    fn woken_by(&self, waker: usize, vtable: usize) -> Option<LockOwner> {
        match TaskAddress::of_addresses(waker, vtable) {
            Some(task) => self.tasks.get(&task).copied(),
            None => (self.root.0 == waker).then_some(self.root.1),
        }
    }
}

/// All waits of a runtime, and the locks that count.
struct WaitGraph<'a> {
    all: BTreeMap<LockOwner, WaitingOwner>,
    addresses: Addresses,
    locks: Vec<&'a ContendedLock>,
}

impl<'a> WaitGraph<'a> {
    /// Collects the waits for the completion of tasks.
    fn of(scheduler: &Scheduler, root: &RootSeen<'_>) -> Self {
        let mut tasks = Vec::new();
        scheduler.tasks.walk(|task| tasks.push(task));
        let owner = |task: &TaskSnapshot| LockOwner::of_task(task.id.number());
        let waiting = |is_idle, wakers| WaitingOwner { is_idle, wakers, waits_for: Vec::new() };
        let mut all: BTreeMap<_, _> =
            tasks.iter().map(|task| (owner(task), waiting(task.phase == TaskPhase::Idle, task.wakers))).collect();
        all.insert(root.owner, waiting(true, root.wakers));
        let by_address = tasks.iter().map(|task| (task.address, owner(task))).collect();
        let addresses = Addresses { tasks: by_address, root: (root.address, root.owner) };
        for task in &tasks {
            let by_root = (task.joiner_address == Some(root.address)).then_some(root.owner);
            let joiner = task.joiner.and_then(|joiner| addresses.tasks.get(&joiner).copied()).or(by_root);
            if let Some(joiner) = joiner.and_then(|joiner| all.get_mut(&joiner)) {
                joiner.found_with(owner(task));
            }
        }
        Self { all, addresses, locks: Vec::new() }
    }

    /// Adds the waits for locks that only their holders release, or that are never released.
    fn note_locks(&mut self, locks: &'a [ContendedLock]) {
        for lock in locks {
            let holder = lock.blocker();
            if !is_kept(lock) || !self.all.contains_key(&holder) {
                continue;
            }
            for waiter in lock.waiters().iter().filter(|waiter| lock.is_up_to_blocker(waiter.kind)) {
                // A library's own waker may be one of several around the task's only one.
                let woken = self.addresses.woken_by(waiter.waker, waiter.vtable);
                if let Some(waiting) = self.all.get_mut(&waiter.owner).filter(|_| woken == Some(waiter.owner)) {
                    waiting.found_with(holder);
                }
            }
            self.locks.push(lock);
        }
    }

    /// Returns whether all of them wait for one another only. If one task did not, the tasks that
    /// wait for it might continue, and so on, so no subset can be left out.
    fn is_none_left(&self) -> bool {
        self.all.values().all(|waiting| waiting.is_idle && waiting.wakers == 0)
    }

    /// Returns whether the chain of waits from `start` leads to a task that waits for itself,
    /// directly or through others.
    fn lead_into_a_ring(&self, start: LockOwner) -> bool {
        let mut reached = vec![start];
        let mut at = 0;
        while at < reached.len() {
            let next = &self.all[&reached[at]].waits_for;
            reached.extend(next.iter().filter(|next| !reached.contains(next)).copied().collect::<Vec<_>>());
            at += 1;
        }
        // A ring that is reached is left over when all are taken away that wait for nothing, and
        // then those that wait for these only.
        let mut left = reached;
        loop {
            let before = left.len();
            let waits = |owner: &LockOwner| self.all[owner].waits_for.iter().any(|on| left.contains(on));
            left = left.iter().filter(|owner| waits(owner)).copied().collect();
            if left.len() == before {
                return !left.is_empty();
            }
        }
    }

    /// Returns the waits of the root, for the report.
    fn of_root(&self, root: &RootSeen<'_>) -> Vec<WaitsOn> {
        let joins = self.all[&root.owner].waits_for.iter().filter_map(|on| on.task());
        let now = sync::now();
        let of_root = |lock: &&ContendedLock| {
            let waiter = lock.waiters().iter().find(|waiter| waiter.owner == root.owner)?;
            Some(WaitsOn::Sync(SyncWait::for_lock(lock, waiter.kind, now)))
        };
        let locks: Vec<_> = self.locks.iter().filter_map(of_root).collect();
        if locks.is_empty() { joins.map(|task| WaitsOn::Task(Id::from_number(task))).collect() } else { locks }
    }
}
