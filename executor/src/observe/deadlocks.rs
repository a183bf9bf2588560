//! The deadlocks of tasks that wait for each other's locks: for dumps, and found while the program
//! runs.
//!
//! A cycle of waits is a deadlock if nothing else can wake its tasks. The tasks' counts of wakers
//! say so: each task of the cycle is idle, and its one waker is in the queue of a lock that the
//! next task holds. A wait with a timeout, or one of several waits in a `select!` or `join!`, has a
//! second waker, and makes no deadlock here. What a dump has seen of a task's waits would not do: a
//! timer may be set or fire between two parts of the dump, and other libraries' waits are unknown.
//!
//! The locks are read one after the other. If afterwards none of them has changed, all waits of the
//! cycle were there together: since a task of the cycle was seen, nothing could have woken it but a
//! change of its lock.
//!
//! # Futurelocks
//!
//! A task may wait for a lock that was handed to another future of the same task, which the task
//! keeps and does not poll. That lock's queue still has the request of the future, which was
//! granted and not fetched. A task may also wait for a permit of a semaphore all of whose permits
//! were handed to such futures, or for room in a channel all of whose room was. Since the task's
//! one waker is in a queue, the task will not be polled, and neither will the future: the loop,
//! `select!`, `FuturesUnordered` or buffered stream that the future is part of would need a waker
//! of the task.
//!
//! # Not found
//!
//! Other cycles through semaphores and channels, and cycles through join handles, which others can
//! end; cycles with a future in `block_on`; and cycles of which a task has an `AbortHandle`, or has
//! left a waker behind elsewhere.
//!
//! # Not certain
//!
//! A dump shows a cycle at the first look. Without being asked, a cycle is reported only if it is
//! certain: no task waits to read an `RwLock`, which may be for another reader; and each lock's
//! guard borrows the lock, which is no static, since another guard may have been given to another
//! task. A borrowed guard or a granted request can also reach another task, in a future that is
//! polled first and spawned later: so two looks in a row have to find the cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;

use wsrt_sync::current_task::LockOwner;
use wsrt_sync::wait::WaitKind;
use wsrt_sync::waited_locks::{ContendedLock, locks_with};

use crate::task::is_last_waker;
use crate::util::statics::may_be_static;
use crate::util::sync::Mutex;

/// The number of locks that a look reads at most, which takes some hundred microseconds. In a
/// process in which more locks were waited for, deadlocks are found by dumps alone.
pub(super) const MOST_LOCKS: usize = 4096;

/// A cycle of tasks that wait for each other and for nothing else.
#[derive(Debug)]
pub(super) struct Deadlock {
    /// The tasks, each of which waits for the next.
    pub(super) tasks: Vec<LockOwner>,
    /// The lock that each of the tasks waits for.
    locks: Vec<ContendedLock>,
    is_certain: bool,
}

impl Deadlock {
    fn is_unchanged(&self) -> bool {
        self.locks.iter().all(ContendedLock::is_unchanged)
    }

    /// The places where the locks were created.
    fn places(&self) -> BTreeSet<&'static Location<'static>> {
        self.locks.iter().map(ContendedLock::place).collect()
    }
}

/// The deadlocks that a runtime's watcher has found.
#[derive(Debug, Default)]
pub(crate) struct Deadlocks(Mutex<FoundDeadlocks>);

#[derive(Debug, Default)]
struct FoundDeadlocks {
    /// The deadlocks that the last look has found.
    last: Vec<Deadlock>,
    /// The places of the locks of each reported deadlock.
    reported: BTreeSet<BTreeSet<&'static Location<'static>>>,
}

impl Deadlocks {
    /// Returns the tasks of each deadlock that lasts since the last look, and whose locks were in
    /// no earlier one.
    pub(crate) fn look(&self) -> Vec<Vec<LockOwner>> {
        let mut found = self.0.lock();
        let last = std::mem::take(&mut found.last);
        let lasting =
            last.into_iter().filter(|deadlock| deadlock.is_unchanged() && found.reported.insert(deadlock.places()));
        let lasting = lasting.map(|deadlock| deadlock.tasks).collect();
        let now = locks_with(MOST_LOCKS, is_last_waker).map(deadlocks).unwrap_or_default();
        let is_new = |deadlock: &Deadlock| deadlock.is_certain && !found.reported.contains(&deadlock.places());
        found.last = now.into_iter().filter(is_new).collect();
        lasting
    }

    /// Returns whether another look is to follow.
    pub(crate) fn wants_another_look(&self) -> bool {
        !self.0.lock().last.is_empty()
    }
}

/// Returns the deadlocks among the waits for `locks`.
pub(super) fn deadlocks(locks: Vec<ContendedLock>) -> Vec<Deadlock> {
    let waits = waits(&locks);
    let mut visited = BTreeSet::new();
    let cycles: Vec<_> = waits.keys().filter_map(|&start| cycle_from(start, &waits, &mut visited)).collect();
    let mut locks: Vec<_> = locks.into_iter().map(Some).collect();
    let found = cycles.into_iter().filter_map(|tasks| {
        let locks: Option<Vec<_>> = tasks.iter().map(|task| locks[waits[task].lock].take()).collect();
        let locks = locks?;
        let is_certain = tasks.iter().all(|task| waits[task].is_exclusive) && locks.iter().all(is_kept);
        Some(Deadlock { tasks, locks, is_certain })
    });
    found.filter(Deadlock::is_unchanged).collect()
}

/// Returns whether the lock's [`blocker`](ContendedLock::blocker) is certain to have it still: it
/// cannot have given the guard to another task.
pub(super) fn is_kept(lock: &ContendedLock) -> bool {
    lock.promised_to().is_some() || (!lock.has_owned_guard() && !may_be_static(lock.address()))
}

/// One task's only wait: the index of the lock, and the task that has to end the wait.
struct OnlyWait {
    lock: usize,
    holder: LockOwner,
    /// False if another task might end the wait as well.
    is_exclusive: bool,
}

fn waits(locks: &[ContendedLock]) -> BTreeMap<LockOwner, OnlyWait> {
    let mut waits = BTreeMap::new();
    for (lock, seen) in locks.iter().enumerate() {
        let holder = seen.blocker();
        if holder.task().is_none() {
            continue;
        }
        for waiter in seen.waiters().iter().filter(|waiter| waiter.has_no_other_waker) {
            let is_exclusive = seen.is_up_to_blocker(waiter.kind);
            if is_exclusive || waiter.kind == WaitKind::RwLockRead {
                waits.insert(waiter.owner, OnlyWait { lock, holder, is_exclusive });
            }
        }
    }
    waits
}

/// Returns the cycle that the way from `start` leads into, unless an earlier way has led there.
fn cycle_from(
    start: LockOwner,
    waits: &BTreeMap<LockOwner, OnlyWait>,
    visited: &mut BTreeSet<LockOwner>,
) -> Option<Vec<LockOwner>> {
    let (mut way, mut at) = (Vec::new(), start);
    while visited.insert(at) {
        way.push(at);
        at = waits.get(&at)?.holder;
    }
    let begin = way.iter().position(|&passed| passed == at)?;
    Some(way.split_off(begin))
}
