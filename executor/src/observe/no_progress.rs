//! Whether a current-thread runtime can make no progress any more: asked by the thread that drives
//! it when it is about to sleep without a deadline.
//!
//! The look counts wakers. A task continues only if one of its wakers is woken, and knows how many
//! there are; so does the future in `block_on`. A waker is *accounted for* if it lies in a place
//! that only a task which cannot continue could wake it from: with a task that is awaited, or in
//! the line for a lock that such a task holds. Tasks that have other wakers may continue, and so
//! may those that wait for them. If none is left over, no event, thread or signal can wake any, for
//! each of these would need a waker.
//!
//! It is a *proof* only where the future in `block_on` has no waker left at all. Where the future
//! waits for a task, another thread may have the join handle and abort the task; where it waits for
//! a lock, the guard of the lock may be with another thread. That is a *suspicion*: it is reported,
//! and the thread sleeps. To raise few false suspicions, a lock does not count if its guard borrows
//! nothing, or the lock is static. An abort handle counts as a waker.

use std::collections::HashMap;
use std::sync::Arc;

use wsrt_sync::contended::{self, ContendedLock};
use wsrt_sync::current_task::Owner;
use wsrt_sync::wait::WaitKind;

use super::dump::{self, Seen, WaitsOn};
use super::statics;
use super::sync_waits::SyncWait;
use crate::scheduler::Scheduler;
use crate::scheduler::scheduler::RootSeen;
use crate::task::{Id, Phase, TaskAddress, TaskSnapshot};
use crate::util::sync;
use crate::util::sync::atomic::{Ordering::Acquire, fence};

/// The references to the scheduler of a runtime that its user shares with no other: the runtime's
/// own, and the driving thread's.
const OWN_REFERENCES: usize = 2;

/// The references of an idle thread for blocking jobs: its own, and its context's.
const POOL_REFERENCES: usize = 2;

/// With more locks on the list, or more tasks, nothing is said: the thread may be about to sleep
/// for a moment only, and to look at one takes it some tens of nanoseconds.
const MOST_LOCKS: usize = 256;
const MOST_TASKS: usize = 1024;

/// A runtime that can make no progress, or seems to.
pub(crate) struct Stuck {
    pub(crate) is_proven: bool,
    /// The waits of the future in `block_on`.
    pub(crate) root: Vec<WaitsOn>,
    pub(crate) seen: Seen,
}

/// Returns the state of the runtime if neither the future in `block_on` nor any task seems able to
/// continue, ever.
///
/// Programs may park a thread in `block_on` for good. So only a test need not wait for a ring of
/// waits, directly or through others, to be suspected.
pub(crate) fn look(scheduler: &Arc<Scheduler>, root: &RootSeen<'_>) -> Option<Stuck> {
    let is_test = scheduler.config.is_test;
    let is_told = scheduler.suspicion.is_completed();
    let locks = if is_told { Vec::new() } else { contended::locks_if_few(MOST_LOCKS).unwrap_or_default() };
    if (locks.is_empty() && !is_test) || is_shared(scheduler) || scheduler.tasks.len() > MOST_TASKS {
        return None;
    }
    let mut waits = Waits::of(scheduler, root);
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

/// Returns whether other threads can give the runtime work: by handles, blocking jobs, or local
/// sets, whose tasks are not looked at here.
fn is_shared(scheduler: &Arc<Scheduler>) -> bool {
    let pool = scheduler.blocking.census();
    scheduler.blocking.is_at_work()
        || pool.idle != pool.threads
        || Arc::strong_count(scheduler) != OWN_REFERENCES + pool.threads * POOL_REFERENCES
        || scheduler.observer.local_sets.alive().iter().any(|set| !set.live().is_empty())
}

/// A task, or the future in `block_on`, that waits.
struct Waiting {
    is_idle: bool,
    /// Its wakers that were not found so far.
    wakers: usize,
    waits_for: Vec<Owner>,
}

impl Waiting {
    fn found_with(&mut self, other: Owner) {
        // More places than wakers: one was left behind there, and another is somewhere.
        self.is_idle &= self.wakers > 0;
        self.wakers = self.wakers.saturating_sub(1);
        self.waits_for.push(other);
    }
}

/// The tasks by their addresses, and the root by that in its wakers.
struct Addresses {
    tasks: HashMap<TaskAddress, Owner>,
    root: (usize, Owner),
}

impl Addresses {
    /// The task, or the root, that a waker wakes whose parts are at these addresses.
    fn woken_by(&self, waker: usize, vtable: usize) -> Option<Owner> {
        match TaskAddress::of_addresses(waker, vtable) {
            Some(task) => self.tasks.get(&task).copied(),
            None => (self.root.0 == waker).then_some(self.root.1),
        }
    }
}

/// All waits of a runtime, with the locks that count.
struct Waits<'a> {
    all: HashMap<Owner, Waiting>,
    addresses: Addresses,
    locks: Vec<&'a ContendedLock>,
}

impl<'a> Waits<'a> {
    /// The waits for the ends of tasks.
    fn of(scheduler: &Scheduler, root: &RootSeen<'_>) -> Self {
        let mut tasks = Vec::new();
        scheduler.tasks.walk(|task| tasks.push(task));
        let owner = |task: &TaskSnapshot| Owner::of_task(task.id.number());
        let waiting = |is_idle, wakers| Waiting { is_idle, wakers, waits_for: Vec::new() };
        let mut all: HashMap<_, _> =
            tasks.iter().map(|task| (owner(task), waiting(task.phase == Phase::Idle, task.wakers))).collect();
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

    /// Adds the waits for locks whose holders give them up themselves, or not at all.
    fn note_locks(&mut self, locks: &'a [ContendedLock]) {
        for lock in locks {
            let is_certain = !lock.has_owned_guard() && !statics::may_hold(lock.address());
            if !is_certain || !self.all.contains_key(&lock.holder()) {
                continue;
            }
            for waiter in lock.waiters().iter().filter(|waiter| is_exclusive(waiter.kind)) {
                // A library's own waker may be one of several around the task's only one.
                let woken = self.addresses.woken_by(waiter.waker, waiter.vtable);
                if let Some(waiting) = self.all.get_mut(&waiter.owner).filter(|_| woken == Some(waiter.owner)) {
                    waiting.found_with(lock.holder());
                }
            }
            self.locks.push(lock);
        }
    }

    /// Returns whether each of them waits for others of them only. If one did not, those that wait
    /// for it might continue, and so forth: there is no part of them to be left out, then.
    fn is_none_left(&self) -> bool {
        self.all.values().all(|waiting| waiting.is_idle && waiting.wakers == 0)
    }

    /// Returns whether the way from `start` leads to one of them that waits for itself, by way of
    /// others.
    fn lead_into_a_ring(&self, start: Owner) -> bool {
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
            let waits = |owner: &Owner| self.all[owner].waits_for.iter().any(|on| left.contains(on));
            left = left.iter().filter(|owner| waits(owner)).copied().collect();
            if left.len() == before {
                return !left.is_empty();
            }
        }
    }

    /// The waits of the root, for the report.
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

/// Returns whether the wait ends only when the holder gives the lock up. Readers may wait for other
/// readers, and semaphores get permits from anywhere.
fn is_exclusive(kind: WaitKind) -> bool {
    matches!(kind, WaitKind::Mutex | WaitKind::RwLockWrite | WaitKind::OnceCell)
}
