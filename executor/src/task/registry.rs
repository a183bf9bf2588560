//! The registry of live tasks, which a runtime drops when it ends.
//!
//! The registry consists of shards, each a doubly linked list under its own lock. A processor lists
//! the tasks that it spawns in its own shard, so other threads take the lock only for tasks that
//! end on another processor.
//!
//! *Listed* and *live* are not the same. A task is live from [`bind`](OwnedTasks::bind) until it
//! completes. A task is listed until it completes, or until
//! [`close_and_take`](OwnedTasks::close_and_take) returns its life reference. If the runnable was
//! on its way to a queue by then, the task stays live until the runnable is found and used. So a
//! runtime empties its registry, and then waits until no task is live.
//!
//! # Draining
//!
//! A drain closes the registry to tasks from outside, and waits until the tasks in it have ended. A
//! task may spawn a task into any shard and end, so a look at one shard after the other could miss
//! a task. The drain takes all locks, in the order of the shards and registries, counts the live
//! tasks, and leaves a waker in each shard that has some. A task that ends takes one lock: either
//! before the drain, which then does not count the task, or after it, and then it finds the waker.
//!
//! # Walks
//!
//! Dumps walk over the live tasks. A walk takes the lock of a shard for a few tasks at a time, and
//! leaves a cursor in the list, which moves on if its task is unlinked. So a walk shows each task
//! once that stays listed, and holds the lock for no more than a few microseconds. Tasks that come
//! or go during the walk may be missing. Each list has one cursor, so one walk at a time is in it.

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
use crate::task::state::{Look, TaskPhase};
use crate::task::stats::StatsRead;
use crate::task::{Id, TaskAddress, TaskRef, WaitingTask};
use crate::util::sync;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicU32, AtomicUsize};
use crate::util::sync::{Mutex, MutexGuard, WALK_STRIDE, hand_on};
use crate::util::unwind::wake_quietly;

/// The neighbours of a listed task. Empty if the task is not listed.
#[derive(Default)]
pub(super) struct ListLinks {
    previous: Option<NonNull<Header>>,
    next: Option<NonNull<Header>>,
}

/// The shard that counts a task as live.
///
/// Relaxed: the thread that lists the task writes it before the first runnable is submitted, and
/// the thread that completes the task after that.
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
    /// Locked during a walk.
    walk: Mutex<()>,
}

struct Shard {
    list: Mutex<List>,
    /// A copy of the list's `live`, for reads without the lock.
    live: AtomicUsize,
}

struct List {
    head: Option<NonNull<Header>>,
    /// The next task of a walk, which is listed.
    cursor: Option<NonNull<Header>>,
    intake: Intake,
    live: usize,
    /// The number of tasks listed so far.
    listed: u64,
    /// The wakers of drains, with the id of each drain. They are woken when no more tasks are live
    /// than there are watchers, since a task may wait for each drain.
    watchers: Vec<(Id, Waker)>,
}

/// The tasks that a shard admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intake {
    Open,
    /// Only tasks that are spawned by live tasks.
    FollowUps,
    Closed,
}

// SAFETY: the list owns life references and wakers, which are Send.
unsafe impl Send for List {}

impl OwnedTasks {
    /// Creates a registry with `shards` shards.
    ///
    /// # Panics
    ///
    /// Panics if `shards` is zero, or does not fit into 32 bits.
    pub(crate) fn new(shards: usize) -> Self {
        assert!(shards > 0, "a registry of tasks needs a shard");
        assert!(u32::try_from(shards).is_ok(), "{shards} shards of a registry of tasks are too many");
        let shards = (0..shards).map(|_| CachePadded::new(Shard::new())).collect();
        Self { shards, walk: Mutex::new(()) }
    }

    /// Returns the shard for the tasks of the processor with this number. Accepts any number.
    #[inline]
    pub(crate) fn shard_for(&self, number: usize) -> usize {
        if number < self.shards.len() { number } else { self.shard_of_a_large(number) }
    }

    /// For spare processors, and for threads without a processor.
    #[cold]
    fn shard_of_a_large(&self, number: usize) -> usize {
        number % self.shards.len()
    }

    /// Lists a task in `shard`. Must be called before the first runnable is submitted: a task that
    /// completes before it is listed stays live forever.
    ///
    /// # Panics
    ///
    /// Panics if the shard does not exist.
    ///
    /// # Errors
    ///
    /// Returns the task if the shard is closed, or only admits tasks that live tasks spawn.
    #[inline]
    pub(crate) fn bind(&self, shard: usize, task: TaskRef) -> Result<(), TaskRef> {
        self.bind_if(shard, task, |intake| intake == Intake::Open)
    }

    /// Lists a task that a live task has spawned, or that replaces a live task.
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
        // SAFETY: the life reference was outside the registry, so the task is in no list. The lock
        // is held.
        unsafe { list.push(task) };
        list.live += 1;
        list.listed += 1;
        shard.publish(list.live);
        Ok(())
    }

    /// Removes a completed task from its shard, and returns the life reference if the task was
    /// still listed. Has no effect on a task that is not live.
    ///
    /// # Safety
    ///
    /// The task was bound to this registry, or to none. No other thread removes the task at the
    /// same time.
    pub(crate) unsafe fn remove(&self, task: &TaskRef) -> Option<TaskRef> {
        let task = task.as_raw();
        // SAFETY: the caller's reference keeps the cell alive.
        let listed_in = &unsafe { task.as_ref() }.listed_in;
        let shard = &*self.shards[listed_in.shard()?];
        listed_in.leave();
        let mut list = shard.list.lock();
        list.live -= 1;
        shard.publish(list.live);
        // SAFETY: the task is in this shard or in none, as the caller promises. The lock is held.
        let life = unsafe { list.unlink(task) };
        if !list.watchers.is_empty() && list.live <= list.watchers.len() {
            wake_watchers(list);
        }
        life
    }

    /// Closes `shard`, and takes a task off its list. The task stays live until it completes. Once
    /// this method has returned `None`, the shard lists no task.
    ///
    /// # Panics
    ///
    /// Panics if the shard does not exist.
    pub(crate) fn close_and_take(&self, shard: usize) -> Option<TaskRef> {
        let mut list = self.shards[shard].list.lock();
        list.intake = Intake::Closed;
        let head = list.head?;
        // SAFETY: the head is in this list. The lock is held.
        unsafe { list.unlink(head) }
    }

    /// Closes all shards, and then passes every listed task to `f`, without a lock: the drop of a
    /// future may spawn, and then finds all shards closed.
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

    /// Returns the number of live tasks. The shards are counted one after the other, so the sum is
    /// exact only while no task is spawned or ends.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.live()).sum()
    }

    /// Returns the number of tasks listed so far, as exact as [`len`](Self::len).
    pub(crate) fn listed(&self) -> u64 {
        self.shards.iter().map(|shard| shard.list.lock().listed).sum()
    }

    /// Returns whether no task is live. If all shards are closed, `true` is final, and all futures
    /// were dropped.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Shard {
    fn new() -> Self {
        let list = List { head: None, cursor: None, intake: Intake::Open, live: 0, listed: 0, watchers: Vec::new() };
        Self { list: Mutex::new(list), live: AtomicUsize::new(0) }
    }

    /// Returns the number of live tasks.
    ///
    /// Acquire pairs with the Release of `publish`: a thread that sees that a task has ended sees
    /// the effects of its drop.
    fn live(&self) -> usize {
        self.live.load(Acquire)
    }

    /// Copies the number of live tasks. The lock is held, so that the copies come in order.
    ///
    /// Release pairs with the Acquire of `live`.
    fn publish(&self, live: usize) {
        self.live.store(live, Release);
    }
}

impl List {
    /// Adds `task` at the head.
    ///
    /// # Safety
    ///
    /// The caller passes the life reference of `task` to the list, and holds the list's lock.
    unsafe fn push(&mut self, task: NonNull<Header>) {
        let next = self.head.replace(task);
        // SAFETY: the lock is held.
        unsafe { with_links(task, |links| *links = ListLinks { previous: None, next }) };
        if let Some(next) = next {
            // SAFETY: `next` is in this list.
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

    /// Takes `task` out of the list, if it is listed.
    ///
    /// # Safety
    ///
    /// The task is in this list or in none. The caller holds the list's lock.
    unsafe fn unlink(&mut self, task: NonNull<Header>) -> Option<TaskRef> {
        // SAFETY: the lock is held.
        let ListLinks { previous, next } = unsafe { with_links(task, std::mem::take) };
        match previous {
            // SAFETY: `previous` is in this list.
            Some(previous) => unsafe { with_links(previous, |links| links.next = next) },
            None if self.head == Some(task) => self.head = next,
            // A task without a previous neighbour that is not the head is in no list.
            None => return None,
        }
        if let Some(next) = next {
            // SAFETY: `next` is in this list.
            unsafe { with_links(next, |links| links.previous = previous) };
        }
        if self.cursor == Some(task) {
            self.cursor = next;
        }
        // SAFETY: `push` got the life reference, and the task has left the list.
        Some(unsafe { TaskRef::from_raw(task) })
    }
}

/// Wakes the drains that wait for the tasks of `list`, after `list` is unlocked.
#[cold]
fn wake_watchers(mut list: impl DerefMut<Target = List>) {
    let watchers = std::mem::take(&mut list.watchers);
    drop(list);
    // From here on, the registry may be gone.
    watchers.into_iter().for_each(|(_, waker)| wake_quietly(waker));
}

/// Calls `f` with the links of `task`.
///
/// # Safety
///
/// The task is alive, and the caller holds the lock of the task's shard.
unsafe fn with_links<R>(task: NonNull<Header>, f: impl FnOnce(&mut ListLinks) -> R) -> R {
    // SAFETY: by the caller's promise.
    let header = unsafe { task.as_ref() };
    // SAFETY: the shard's lock protects the links.
    header.links.with_mut(|links| f(unsafe { &mut *links }))
}

impl Drop for OwnedTasks {
    /// Tasks that were not shut down stay alive, unlisted. This is safe.
    fn drop(&mut self) {
        self.close(drop);
    }
}

impl fmt::Debug for OwnedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedTasks").field("shards", &self.shards.len()).field("live", &self.len()).finish()
    }
}

impl OwnedTasks {
    /// Closes the registry to tasks that are not spawned by live tasks.
    pub(crate) fn refuse_outsiders(&self) {
        for shard in &self.shards {
            let mut list = shard.list.lock();
            if list.intake == Intake::Open {
                list.intake = Intake::FollowUps;
            }
        }
    }

    /// Returns whether the registry admits all tasks.
    #[cfg(feature = "futures-task")]
    pub(crate) fn is_open(&self) -> bool {
        self.shards[0].list.lock().intake == Intake::Open
    }

    /// Returns ready once no task is live in the registries, except the tasks of `except`, which
    /// all wait for a drain. Otherwise leaves `waker`, which is woken when few tasks are live.
    ///
    /// A drain has one waker in each list: this method replaces the last waker of `drain`, and
    /// [`forget_drain`](Self::forget_drain) removes it. All callers must pass the registries in the
    /// same order.
    pub(crate) fn poll_drained(registries: &[&Self], except: &[Id], drain: Id, waker: &Waker) -> Poll<()> {
        let shards = || registries.iter().flat_map(|registry| &registry.shards);
        // Cloned before the locks are taken, and dropped after, since wakers run foreign code.
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

    /// Removes the wakers of `drain`.
    pub(crate) fn forget_drain(registries: &[&Self], drain: Id) {
        for shard in registries.iter().flat_map(|registry| &registry.shards) {
            let mut list = shard.list.lock();
            let left = list.watchers.iter().position(|(watcher, _)| *watcher == drain);
            let waker = left.map(|at| list.watchers.swap_remove(at));
            drop(list);
            drop(waker);
        }
    }

    /// Wakes every drain, so that it looks again.
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

/// A view of a live task, for dumps.
#[derive(Debug, Clone)]
pub(crate) struct TaskSnapshot {
    pub(crate) id: Id,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) phase: TaskPhase,
    /// The address of the task's cell.
    pub(crate) address: TaskAddress,
    /// The joining task, if it waits with its own waker.
    pub(crate) joiner: Option<TaskAddress>,
    /// The data address of the joiner's waker, which need not be a task's.
    pub(crate) joiner_address: Option<usize>,
    /// The number of wakers and abort handles.
    pub(crate) wakers: usize,
    pub(crate) is_orphan: bool,
    pub(crate) is_background: bool,
    /// The last wait that the last poll has begun, for a lock or a channel.
    pub(crate) wait: Option<TaskWait>,
    pub(crate) counts: Option<StatsRead>,
}

impl OwnedTasks {
    /// Passes every live task to `f`, under no lock but the walk's.
    pub(crate) fn walk(&self, f: impl FnMut(TaskSnapshot)) {
        self.walk_all(|_| true, f);
    }

    /// Passes the orphans to `f`, under no lock but the walk's. Of the other tasks, only the state
    /// word is read.
    pub(crate) fn walk_orphans(&self, f: impl FnMut(TaskSnapshot)) {
        self.walk_all(Look::is_orphan, f);
    }

    /// Returns the tasks that wait, for a dump that polls them.
    pub(crate) fn waiting(&self) -> Vec<WaitingTask> {
        let _one_at_a_time = self.walk.lock();
        let mut waiting = Vec::new();
        for shard in &self.shards {
            // SAFETY: a listed task is kept alive by the life reference that the list has.
            let look = |task: ListedTask, _| unsafe { WaitingTask::of(task.0) };
            shard.walk(usize::MAX, |list| Some(list.lock()), look, |task| waiting.push(task));
        }
        waiting
    }

    fn walk_all(&self, is_meant: fn(&Look) -> bool, mut f: impl FnMut(TaskSnapshot)) {
        let _one_at_a_time = self.walk.lock();
        for shard in &self.shards {
            let look = |task: ListedTask, now| TaskSnapshot::of(task.header(), is_meant, now);
            shard.walk(usize::MAX, |list| Some(list.lock()), look, &mut f);
        }
    }

    /// Passes the orphans among the newest tasks of a shard to `f`, for the watcher, which must not
    /// wait for a lock: the walk ends at the first lock that is taken. Returns `false` if there is
    /// no such shard.
    pub(crate) fn walk_newest_orphans(&self, shard: usize, most: usize, f: impl FnMut(TaskSnapshot)) -> bool {
        if let (Some(shard), Some(_one_at_a_time)) = (self.shards.get(shard), self.walk.try_lock()) {
            let look = |task: ListedTask, now| TaskSnapshot::of(task.header(), Look::is_orphan, now);
            shard.walk(most, Mutex::try_lock, look, f);
        }
        shard < self.shards.len()
    }
}

/// A task that a walk has come to: listed, and with the list locked.
struct ListedTask(NonNull<Header>);

impl ListedTask {
    fn header(&self) -> &Header {
        // SAFETY: a listed task is kept alive by the life reference that the list has.
        unsafe { self.0.as_ref() }
    }
}

impl Shard {
    /// Passes what `look` returns of up to about `most` tasks to `f`, with the list unlocked.
    fn walk<T>(
        &self,
        mut most: usize,
        lock: impl Fn(&Mutex<List>) -> Option<MutexGuard<'_, List>>,
        look: impl Fn(ListedTask, Instant) -> Option<T>,
        mut f: impl FnMut(T),
    ) {
        let mut seen = Vec::new();
        let mut is_first = true;
        while most > 0 {
            let Some(mut list) = lock(&self.list) else { return };
            if std::mem::take(&mut is_first) {
                list.cursor = list.head;
            }
            let is_over = !list.walk_on(&look, &mut seen);
            hand_on(list);
            seen.drain(..).for_each(&mut f);
            most = if is_over { 0 } else { most.saturating_sub(WALK_STRIDE) };
        }
    }
}

impl List {
    /// Looks at the next few tasks, and adds what `look` returns. Returns `false` at the end of the
    /// list.
    fn walk_on<T>(&mut self, look: &impl Fn(ListedTask, Instant) -> Option<T>, seen: &mut Vec<T>) -> bool {
        // The clock is read once, since the tasks are read within some microseconds.
        let now = sync::now();
        for _ in 0..WALK_STRIDE {
            let Some(task) = self.cursor else { return false };
            // SAFETY: the lock is held.
            self.cursor = unsafe { with_links(task, |links| links.next) };
            seen.extend(look(ListedTask(task), now));
        }
        true
    }
}

impl TaskSnapshot {
    fn of(header: &Header, is_meant: fn(&Look) -> bool, now: Instant) -> Option<Self> {
        let seen = header.state.look();
        (seen.phase != TaskPhase::Complete && is_meant(&seen)).then(|| Self {
            id: header.id,
            name: header.name(),
            spawned_at: header.spawned_at(),
            phase: seen.phase,
            address: TaskAddress::of(header),
            joiner: seen.is_watched.then(|| header.join_slot.peek()).flatten(),
            joiner_address: seen.is_watched.then(|| header.join_slot.peek_address()),
            wakers: seen.wakers,
            is_orphan: seen.is_orphan(),
            is_background: header.vtable.is_background,
            wait: header.queue_link.wait(),
            counts: header.counts().map(|counts| counts.read(now)),
        })
    }
}
