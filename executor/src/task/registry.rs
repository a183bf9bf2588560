//! The registry of live tasks, which a runtime has to drop when it ends.
//!
//! It is cut into shards, each a doubly linked list under its own lock. A processor lists the
//! tasks that it spawns in its own shard, so that the lock is met by others only when a task ends
//! on another processor than it was born on.
//!
//! *Listed* and *live* are not the same. A task is live from [`bind`](OwnedTasks::bind) until it
//! completes. It is listed until it completes or [`close_and_take`](OwnedTasks::close_and_take)
//! hands its life reference out, whichever is first: a task that was taken while its runnable was
//! on the way to a queue is live until that runnable has been found and used. So a runtime that has
//! emptied its registry waits until nothing is live.
//!
//! Before its end a runtime may be drained, which is [`draining`]'s affair; a walk over all of
//! them goes by [`walk`].

use std::fmt;
use std::ops::DerefMut;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Instant;

use crossbeam_utils::CachePadded;
use wsrt_sync::wait::TaskWait;

use crate::task::cell::Header;
use crate::task::reference::CountedRef;
use crate::task::state::TaskPhase;
use crate::task::stats::StatsRead;
use crate::task::{Id, TaskAddress, TaskRef};
use crate::util::sync;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicU32, AtomicUsize};
use crate::util::sync::{Mutex, WALK_STRIDE, hand_on};
use crate::util::unwind::wake_quietly;

/// A listed task's neighbours; none for a task that is not listed.
#[derive(Default)]
pub(super) struct ListLinks {
    previous: Option<NonNull<Header>>,
    next: Option<NonNull<Header>>,
}

/// Which shard counts a task as live. It is written by the thread that lists the task, before its
/// first runnable is submitted, and by the one that completes it: one after the other, so that
/// nothing has to be ordered by it.
pub(super) struct ListedIn(AtomicU32);

impl ListedIn {
    const NOWHERE: u32 = u32::MAX;

    pub(super) fn nowhere() -> Self {
        Self(AtomicU32::new(Self::NOWHERE))
    }

    fn enter(&self, shard: usize) {
        self.0.store(shard as u32, Relaxed);
    }

    fn leave(&self) {
        self.0.store(Self::NOWHERE, Relaxed);
    }

    fn shard(&self) -> Option<usize> {
        let shard = self.0.load(Relaxed);
        (shard != Self::NOWHERE).then_some(shard as usize)
    }
}

/// The live tasks of a runtime.
pub(crate) struct OwnedTasks {
    shards: Box<[CachePadded<Shard>]>,
    /// Held during a walk over all tasks.
    walk: Mutex<()>,
}

struct Shard {
    list: Mutex<List>,
    /// A copy of the list's count, to be read without the lock.
    live: AtomicUsize,
}

struct List {
    head: Option<NonNull<Header>>,
    /// The next task that a walk comes to: a listed one, or none.
    cursor: Option<NonNull<Header>>,
    intake: Intake,
    live: usize,
    /// The tasks that were ever listed.
    listed: u64,
    /// To be woken when no more tasks are left than there are of these, since each drain may be
    /// awaited by a task: each waker with the number of the drain that has left it.
    watchers: Vec<(Id, Waker)>,
}

/// Which tasks are let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intake {
    Open,
    /// Only tasks that live tasks spawn.
    FollowUps,
    Closed,
}

// SAFETY: the list owns the life references of the tasks in it, which are Send, as the wakers are.
unsafe impl Send for List {}

impl OwnedTasks {
    /// A registry of `shards` parts.
    ///
    /// # Panics
    ///
    /// With no shards, or with more than can be numbered in 32 bits.
    pub(crate) fn new(shards: usize) -> Self {
        assert!(shards > 0, "a registry of tasks needs a shard");
        assert!(u32::try_from(shards).is_ok(), "{shards} shards of a registry of tasks are too many");
        let shards = (0..shards).map(|_| CachePadded::new(Shard::new())).collect();
        Self { shards, walk: Mutex::new(()) }
    }

    /// The shard for the tasks of the processor with this number, or any number.
    #[inline]
    pub(crate) fn shard_for(&self, number: usize) -> usize {
        if number < self.shards.len() { number } else { self.shard_of_a_large(number) }
    }

    /// For spare processors, and threads without one.
    #[cold]
    fn shard_of_a_large(&self, number: usize) -> usize {
        number % self.shards.len()
    }

    /// Lists a task in `shard`. Gives it back if the shard is closed, or open for follow-ups only.
    /// To be called before the first runnable is submitted: a task that completes before it is
    /// listed is live forever.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    #[inline]
    pub(crate) fn bind(&self, shard: usize, task: TaskRef) -> Result<(), TaskRef> {
        self.bind_if(shard, task, |intake| intake == Intake::Open)
    }

    /// Lists a task that a live one has spawned, or that takes the place of one.
    pub(crate) fn bind_follow_up(&self, shard: usize, task: TaskRef) -> Result<(), TaskRef> {
        self.bind_if(shard, task, |intake| intake != Intake::Closed)
    }

    #[inline]
    fn bind_if(&self, shard: usize, task: TaskRef, is_let_in: impl FnOnce(Intake) -> bool) -> Result<(), TaskRef> {
        let number = shard;
        let shard = &*self.shards[number];
        let mut list = shard.list.lock();
        if !is_let_in(list.intake) {
            return Err(task);
        }
        let task = task.into_raw();
        // SAFETY: the life reference keeps the cell alive.
        unsafe { task.as_ref() }.listed_in.enter(number);
        // SAFETY: a task with a life reference outside the registry is in no list, and the lock is
        // held.
        unsafe { list.push(task) };
        list.live += 1;
        list.listed += 1;
        shard.publish(list.live);
        Ok(())
    }

    /// Takes a completed task off its shard. Its life reference comes back, unless it was handed
    /// out before. Does nothing to a task that is not live.
    ///
    /// # Safety
    ///
    /// The task was bound to this registry, or to none. No other thread removes it at the same
    /// time.
    pub(crate) unsafe fn remove(&self, task: &TaskRef) -> Option<TaskRef> {
        let task = task.as_raw();
        // SAFETY: the caller's reference keeps the cell alive.
        let listed_in = &unsafe { task.as_ref() }.listed_in;
        let shard = &*self.shards[listed_in.shard()?];
        listed_in.leave();
        let mut list = shard.list.lock();
        list.live -= 1;
        shard.publish(list.live);
        // SAFETY: the task is this shard's, as the caller promises, and the lock is held.
        let life = unsafe { list.unlink(task) };
        if !list.watchers.is_empty() && list.live <= list.watchers.len() {
            wake_watchers(list);
        }
        life
    }

    /// Closes `shard` and takes a task off its list. The task stays live until it completes. Call
    /// it until it returns `None`: from then on nothing is listed there.
    ///
    /// # Panics
    ///
    /// If there is no such shard.
    pub(crate) fn close_and_take(&self, shard: usize) -> Option<TaskRef> {
        let mut list = self.shards[shard].list.lock();
        list.intake = Intake::Closed;
        let head = list.head?;
        // SAFETY: the head is in this list, and the lock is held.
        unsafe { list.unlink(head) }
    }

    /// Closes all shards, then hands every listed task to `f`, with no lock held: dropping a future
    /// may run anything, a spawn included, which finds all shards closed.
    pub(crate) fn close(&self, mut f: impl FnMut(TaskRef)) {
        for shard in &self.shards {
            shard.list.lock().intake = Intake::Closed;
        }
        for shard in 0..self.shards.len() {
            while let Some(task) = self.close_and_take(shard) {
                f(task);
            }
        }
    }

    /// Calls `f` while all shards are locked.
    #[cfg(test)]
    pub(crate) fn with_all_locked<R>(&self, f: impl FnOnce() -> R) -> R {
        let locked: Vec<_> = self.shards.iter().map(|shard| shard.list.lock()).collect();
        let result = f();
        drop(locked);
        result
    }

    /// How many tasks are live. A sum of counts read one after the other: exact only while nothing
    /// is spawned or ends.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.live()).sum()
    }

    /// How many tasks were ever listed, in the same sense.
    pub(crate) fn listed(&self) -> u64 {
        self.shards.iter().map(|shard| shard.list.lock().listed).sum()
    }

    /// Returns whether no task is live. Once all shards are closed, an answer of yes is final, and
    /// each future is gone.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Shard {
    fn new() -> Self {
        let list = List { head: None, cursor: None, intake: Intake::Open, live: 0, listed: 0, watchers: Vec::new() };
        Self { list: Mutex::new(list), live: AtomicUsize::new(0) }
    }

    /// Acquire pairs with the Release of `publish`: a thread that sees that a task has ended sees
    /// the effects of its drop.
    fn live(&self) -> usize {
        self.live.load(Acquire)
    }

    /// Release pairs with the Acquire of `live`. Called with the lock held, so that no older count
    /// comes later.
    fn publish(&self, live: usize) {
        self.live.store(live, Release);
    }
}

impl List {
    /// # Safety
    ///
    /// The caller has the life reference of `task`, gives it to the list, and holds the list's
    /// lock.
    unsafe fn push(&mut self, task: NonNull<Header>) {
        let next = self.head.replace(task);
        // SAFETY: the lock is held.
        unsafe { with_links(task, |links| *links = ListLinks { previous: None, next }) };
        if let Some(next) = next {
            // SAFETY: it is in this list.
            unsafe { with_links(next, |links| links.previous = Some(task)) };
        }
    }

    /// Returns the listed tasks, the newest first. While the lock is held, no task leaves the list.
    fn tasks(&self) -> impl Iterator<Item = NonNull<Header>> {
        let mut next = self.head;
        std::iter::from_fn(move || {
            let task = next?;
            // SAFETY: the lock is held.
            next = unsafe { with_links(task, |links| links.next) };
            Some(task)
        })
    }

    /// Returns the headers of the listed tasks, the newest first.
    fn headers(&self) -> impl Iterator<Item = &Header> {
        // SAFETY: a listed task is kept alive by the life reference that the list has.
        self.tasks().map(|task| unsafe { task.as_ref() })
    }

    /// Takes `task` out, if it is listed.
    ///
    /// # Safety
    ///
    /// The task is in this list or in none, and the caller holds the list's lock.
    unsafe fn unlink(&mut self, task: NonNull<Header>) -> Option<TaskRef> {
        // SAFETY: the lock is held.
        let ListLinks { previous, next } = unsafe { with_links(task, std::mem::take) };
        match previous {
            // SAFETY: it is in this list.
            Some(previous) => unsafe { with_links(previous, |links| links.next = next) },
            None if self.head == Some(task) => self.head = next,
            // With no neighbour before it, and not the first: in no list.
            None => return None,
        }
        if let Some(next) = next {
            // SAFETY: it is in this list.
            unsafe { with_links(next, |links| links.previous = previous) };
        }
        if self.cursor == Some(task) {
            self.cursor = next;
        }
        // SAFETY: `push` was given the life reference, and the list has it no more.
        Some(unsafe { TaskRef::from_raw(task) })
    }
}

/// Wakes the watchers of the last tasks. `list` is locked, and is free again before a waker is
/// woken.
#[cold]
fn wake_watchers(mut list: impl DerefMut<Target = List>) {
    let watchers = std::mem::take(&mut list.watchers);
    drop(list);
    // From here on the registry may be gone.
    watchers.into_iter().for_each(|(_, waker)| wake_quietly(waker));
}

/// # Safety
///
/// The task is alive, and the caller holds the lock of its shard.
unsafe fn with_links<R>(task: NonNull<Header>, f: impl FnOnce(&mut ListLinks) -> R) -> R {
    // SAFETY: by the caller's promise.
    let header = unsafe { task.as_ref() };
    // SAFETY: the links are under the shard's lock.
    header.links.with_mut(|links| f(unsafe { &mut *links }))
}

impl Drop for OwnedTasks {
    /// Tasks that were not shut down stay alive unlisted, which is safe, if hardly intended.
    fn drop(&mut self) {
        self.close(drop);
    }
}

impl fmt::Debug for OwnedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedTasks").field("shards", &self.shards.len()).field("live", &self.len()).finish()
    }
}

// Draining a registry: no task comes in from outside, and a caller waits until those in it have
// ended.
//
// A task may spawn another into any shard and end, so that looking at one shard after the other
// could miss it. The waiting side takes all locks, in the order of the shards and registries,
// counts, and leaves a waker where something is left. A task that ends takes one lock: it comes
// before that and is not counted, or after it and finds the waker.
//
// A drain has one waker in each list, the one of its last poll, and takes it along when it is
// dropped: it may be polled with a new one each time.

impl OwnedTasks {
    /// From now on only tasks that live tasks spawn are let in.
    pub(crate) fn refuse_outsiders(&self) {
        for shard in &self.shards {
            let mut list = shard.list.lock();
            if list.intake == Intake::Open {
                list.intake = Intake::FollowUps;
            }
        }
    }

    /// Returns whether every task is let in, wherever it was spawned.
    #[cfg(feature = "futures-task")]
    pub(crate) fn is_open(&self) -> bool {
        self.shards[0].list.lock().intake == Intake::Open
    }

    /// Completes once no task is live in any of the registries, except the tasks of `except`, which
    /// all wait for a drain; until then `waker` is woken when few are left. It is left in the name
    /// of `drain`, whose last one it replaces; [`forget_drain`](Self::forget_drain) takes it back.
    ///
    /// All callers have to name the registries in the same order.
    pub(crate) fn poll_drained(registries: &[&Self], except: &[Id], drain: Id, waker: &Waker) -> Poll<()> {
        let shards = || registries.iter().flat_map(|registry| &registry.shards);
        // Cloned before and dropped after the locks are held: that is foreign code.
        let mut wakers = vec![waker.clone(); shards().count()];
        let mut replaced = Vec::with_capacity(wakers.len());
        let mut lists: Vec<_> = shards().map(|shard| shard.list.lock()).collect();
        let live: usize = lists.iter().map(|list| list.live).sum();
        let is_excepted = |header: &&Header| except.contains(&header.id);
        let excepted = || lists.iter().flat_map(|list| list.headers()).filter(is_excepted).count();
        if live == 0 || (live <= except.len() && live == excepted()) {
            return Poll::Ready(());
        }
        for list in lists.iter_mut().filter(|list| list.live > 0) {
            match list.watchers.iter().position(|(watcher, _)| *watcher == drain) {
                Some(at) => {
                    replaced.extend(wakers.pop().map(|waker| std::mem::replace(&mut list.watchers[at].1, waker)))
                }
                None => list.watchers.extend(wakers.pop().map(|waker| (drain, waker))),
            }
        }
        drop(lists);
        Poll::Pending
    }

    /// Takes the watcher of `drain` back.
    pub(crate) fn forget_drain(registries: &[&Self], drain: Id) {
        for shard in registries.iter().flat_map(|registry| &registry.shards) {
            let mut list = shard.list.lock();
            let left = list.watchers.iter().position(|(watcher, _)| *watcher == drain);
            let waker = left.map(|at| list.watchers.swap_remove(at));
            drop(list);
            drop(waker);
        }
    }

    /// Makes every drain look again.
    pub(crate) fn wake_drains(registries: &[&Self]) {
        for shard in registries.iter().flat_map(|registry| &registry.shards) {
            wake_watchers(shard.list.lock());
        }
    }
}

#[allow(dead_code, reason = "only simulations abort the tasks of a host")]
impl OwnedTasks {
    /// Aborts the listed tasks that `is_meant` names. Calls `is_meant` with a lock held.
    pub(crate) fn abort_each(&self, is_meant: impl Fn(Id) -> bool) {
        for shard in &self.shards {
            let list = shard.list.lock();
            // SAFETY: a listed task is kept alive by the life reference that the list has.
            let counted = list.tasks().map(|task| unsafe { CountedRef::new(task) });
            let meant: Vec<_> = counted.filter(|task| is_meant(task.header().id)).collect();
            drop(list);
            meant.iter().for_each(CountedRef::abort);
        }
    }

    /// Calls `f` with the id of each listed task, with a lock held.
    pub(crate) fn each_id(&self, f: &mut impl FnMut(Id)) {
        for shard in &self.shards {
            shard.list.lock().headers().for_each(|header| f(header.id));
        }
    }
}

// Walking over a registry while its tasks live on: for dumps, which show each of them.
//
// A walk takes a shard's lock for a few tasks at a time and leaves a cursor in the list, which an
// unlinking moves on. So it shows each task once that is listed throughout, and holds no thread up
// for longer than a few microseconds; tasks that come or go during the walk may be shown or not.
// There is one cursor in each list, and so one walk at a time.

/// A live task, as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct TaskSnapshot {
    pub(crate) id: Id,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) phase: TaskPhase,
    /// Where it is, for as long as it lives.
    pub(crate) address: TaskAddress,
    /// The task that awaits it, if one does with its own waker.
    pub(crate) joiner: Option<TaskAddress>,
    /// The address in the waker of the one that awaits it, a task or not.
    pub(crate) joiner_address: Option<usize>,
    /// Its wakers and abort handles.
    pub(crate) wakers: usize,
    /// The lock or channel that its last poll began to wait for last.
    pub(crate) wait: Option<TaskWait>,
    pub(crate) counts: Option<StatsRead>,
}

impl OwnedTasks {
    /// Shows every live task to `f`, with no lock held but the walk's.
    pub(crate) fn walk(&self, mut f: impl FnMut(TaskSnapshot)) {
        let _one_at_a_time = self.walk.lock();
        let mut seen = Vec::with_capacity(WALK_STRIDE);
        for shard in &self.shards {
            shard.list.lock().begin_walk();
            loop {
                let mut list = shard.list.lock();
                list.walk_on(&mut seen);
                hand_on(list);
                if seen.is_empty() {
                    break;
                }
                seen.drain(..).flatten().for_each(&mut f);
            }
        }
    }
}

impl List {
    fn begin_walk(&mut self) {
        self.cursor = self.head;
    }

    /// Looks at the next few tasks: `None` for one that is complete already. Nothing is left when
    /// `seen` stays empty.
    fn walk_on(&mut self, seen: &mut Vec<Option<TaskSnapshot>>) {
        // One reading for all of them: they are read within some microseconds.
        let now = sync::now();
        while seen.len() < WALK_STRIDE {
            let Some(task) = self.cursor else { return };
            // SAFETY: the lock is held.
            self.cursor = unsafe { with_links(task, |links| links.next) };
            // SAFETY: a listed task is kept alive by the life reference that the list has.
            seen.push(TaskSnapshot::of(unsafe { task.as_ref() }, now));
        }
    }
}

impl TaskSnapshot {
    fn of(header: &Header, now: Instant) -> Option<Self> {
        let seen = header.state.look();
        (seen.phase != TaskPhase::Complete).then(|| Self {
            id: header.id,
            name: header.name(),
            spawned_at: header.spawned_at(),
            phase: seen.phase,
            address: TaskAddress::of(header),
            joiner: seen.is_watched.then(|| header.join_slot.peek()).flatten(),
            joiner_address: seen.is_watched.then(|| header.join_slot.peek_address()),
            wakers: seen.wakers,
            wait: header.queue_link.wait(),
            counts: header.counts().map(|counts| counts.read(now)),
        })
    }
}
