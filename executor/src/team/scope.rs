//! Scopes: any number of jobs that borrow from one stack frame, which waits for all of them.

use std::fmt;
use std::marker::PhantomData;
use std::panic::resume_unwind;
use std::sync::Arc;

use super::broadcast::BroadcastAddress;
use super::{BroadcastContext, Global, Handle, wait_outside};
use crate::fork_join::team::{Inheritance, Team};
use crate::fork_join::{
    AfterPanic, FifoJobs, JobRef, RegionHome, ScopeBase, Site, TreeSlot, Wait, guests, in_attended_tree, in_tree,
    in_tree_of, with_slot,
};
use crate::util::unwind::{caught, drop_quietly};

/// The part of a scope that does not depend on the order of its jobs.
struct Inner {
    base: ScopeBase,
    home: RegionHome,
    /// The lineage of those jobs that are roots.
    inheritance: Inheritance,
    /// Returns whether all jobs are roots.
    is_lent: bool,
}

impl Inner {
    /// # Safety
    ///
    /// The region outlives the scope.
    unsafe fn new(site: Site<'_>, home: RegionHome) -> Self {
        let Site { region, inheritance, is_lent } = site;
        // SAFETY: as the caller promises.
        let base = unsafe { ScopeBase::new(region, AfterPanic::Run) };
        Self { base, home, inheritance, is_lent }
    }

    /// Makes a job, which the caller puts in a queue.
    ///
    /// # Safety
    ///
    /// The promises of [`ScopeBase::make_job`].
    unsafe fn make_job(&self, work: impl FnOnce() + Send) -> JobRef {
        if self.is_lent {
            // SAFETY: as the caller promises.
            return unsafe { self.make_root(work) };
        }
        // SAFETY: as above.
        unsafe { self.base.make_job(work) }
    }

    /// Makes a job that is a root on its thread, as [`make_job`](Self::make_job) does.
    ///
    /// # Safety
    ///
    /// The promises of [`ScopeBase::make_job`].
    unsafe fn make_root(&self, work: impl FnOnce() + Send) -> JobRef {
        let inheritance = self.inheritance;
        let run = move || {
            let _root = inheritance.enter();
            work();
        };
        // SAFETY: as the caller promises.
        unsafe { self.base.make_job(run) }
    }

    /// Calls `f`, waits for all jobs, and continues the first panic.
    fn complete<R>(&self, f: impl FnOnce() -> R, wait: Wait<'_>) -> R {
        let result = caught(f).map_err(|payload| self.base.fail(payload));
        if let Err(payload) = self.base.finish_by(wait) {
            drop_quietly(result);
            resume_unwind(payload);
        }
        result.unwrap_or_else(|()| unreachable!("a scope that has failed has kept why"))
    }

    fn put(&self, job: JobRef) {
        if with_slot(|slot| self.base.put(slot, job)) {
            self.home.summon();
        }
    }

    /// Spawns one job for each thread that computes in the scope's home.
    ///
    /// # Safety
    ///
    /// The promises of [`ScopeBase::spawn`].
    unsafe fn spawn_broadcast<F: Fn(BroadcastContext<'_>) + Send + Sync>(&self, body: F) {
        let body = Arc::new(body);
        for address in BroadcastAddress::all(&self.home) {
            let (body, index) = (Arc::clone(&body), address.index());
            // SAFETY: as the caller promises.
            let job = unsafe { self.make_root(move || body(address.arrived())) };
            match &self.home {
                RegionHome::Team(team) => team.send(index, job),
                RegionHome::Runtime(scheduler) => guests::send(scheduler, index, job),
                RegionHome::Alone => self.put(job),
            }
        }
    }
}

/// A pointer to the scope of a job, which waits for the job.
struct Pointer<S>(*const S);

// SAFETY: it points to a scope, which is Sync.
unsafe impl<S: Sync> Send for Pointer<S> {}
// SAFETY: as above.
unsafe impl<S: Sync> Sync for Pointer<S> {}

impl<S> Pointer<S> {
    fn get(&self) -> &S {
        // SAFETY: the scope waits for the job that has this.
        unsafe { &*self.0 }
    }
}

/// A scope whose jobs may borrow values that outlive `'scope`. Each thread runs its jobs in
/// last-in, first-out order. Passed to the closures of [`scope`] and [`in_place_scope`].
pub struct Scope<'scope> {
    inner: Inner,
    /// Neither longer nor shorter, as in [`parallel::Scope`](crate::parallel::Scope).
    marker: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

/// A scope whose jobs may borrow values that outlive `'scope`. Each thread runs its jobs in
/// first-in, first-out order. Passed to the closures of [`scope_fifo`] and [`in_place_scope_fifo`].
pub struct ScopeFifo<'scope> {
    inner: Inner,
    /// For each slot of the region, the jobs that the participant in this slot has spawned.
    fifos: Box<[FifoJobs]>,
    marker: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> Scope<'scope> {
    /// # Safety
    ///
    /// The region outlives the scope.
    unsafe fn new(site: Site<'_>, home: RegionHome) -> Self {
        // SAFETY: as the caller promises.
        let inner = unsafe { Inner::new(site, home) };
        Self { inner, marker: PhantomData }
    }

    /// Spawns a job in the scope. The job receives the scope, so that it can spawn further jobs.
    pub fn spawn<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let scope = Pointer(self);
        // SAFETY: the values that `body` borrows live for `'scope`, which is longer than the call
        // that made the scope, and this call finishes it.
        let job = unsafe { self.inner.make_job(move || body(scope.get())) };
        self.inner.put(job);
    }

    /// Spawns a job in the scope that runs once on each thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&Scope<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = Pointer(self);
        // SAFETY: as in `spawn`.
        unsafe { self.inner.spawn_broadcast(move |context| body(scope.get(), context)) }
    }
}

impl<'scope> ScopeFifo<'scope> {
    /// # Safety
    ///
    /// The region outlives the scope.
    unsafe fn new(site: Site<'_>, home: RegionHome) -> Self {
        let fifos = (0..site.region.count_slots()).map(|_| FifoJobs::new()).collect();
        // SAFETY: as the caller promises.
        let inner = unsafe { Inner::new(site, home) };
        Self { inner, fifos, marker: PhantomData }
    }

    /// Spawns a job in the scope. The job receives the scope, so that it can spawn further jobs.
    pub fn spawn_fifo<BODY>(&self, body: BODY)
    where
        BODY: FnOnce(&ScopeFifo<'scope>) + Send + 'scope,
    {
        let scope = Pointer(self);
        // SAFETY: the values that `body` borrows live for `'scope`, which is longer than the call
        // that made the scope, and this call finishes it.
        let job = unsafe { self.inner.make_job(move || body(scope.get())) };
        let fifo = with_slot(|slot| self.inner.base.own(slot).map(|slot| &self.fifos[slot.number()]));
        // SAFETY: the scope waits for the job, and no queue loses a marker.
        let job = fifo.map_or(job, |fifo| unsafe { fifo.put(job) });
        self.inner.put(job);
    }

    /// Spawns a job in the scope that runs once on each thread of the pool.
    pub fn spawn_broadcast<BODY>(&self, body: BODY)
    where
        BODY: Fn(&ScopeFifo<'scope>, BroadcastContext<'_>) + Send + Sync + 'scope,
    {
        let scope = Pointer(self);
        // SAFETY: as in `spawn_fifo`.
        unsafe { self.inner.spawn_broadcast(move |context| body(scope.get(), context)) }
    }
}

/// Calls `op` with a new scope in the current thread's team, and returns its result when `op` and
/// all jobs of the scope have completed. Jobs run in last-in, first-out order.
pub fn scope<'scope, OP, R>(global: &'static Global, op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R + Send,
    R: Send,
{
    match global.outside() {
        Some(team) => team.run(|_| scope_here(op)),
        None => scope_here(op),
    }
}

/// Calls `op` with a new scope in the current thread's team, and returns its result when `op` and
/// all jobs of the scope have completed. Jobs run in first-in, first-out order.
pub fn scope_fifo<'scope, OP, R>(global: &'static Global, op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R + Send,
    R: Send,
{
    match global.outside() {
        Some(team) => team.run(|_| scope_fifo_here(op)),
        None => scope_fifo_here(op),
    }
}

/// Calls `op` with a new scope on the calling thread, and returns its result when `op` and all jobs
/// of the scope have completed. Jobs run in last-in, first-out order.
pub fn in_place_scope<'scope, OP, R>(global: &'static Global, op: OP) -> R
where
    OP: FnOnce(&Scope<'scope>) -> R,
{
    match global.outside() {
        Some(team) => team.in_place_scope(op),
        None => in_attended_tree(|slot| scope_in(slot, op)),
    }
}

/// Calls `op` with a new scope on the calling thread, and returns its result when `op` and all jobs
/// of the scope have completed. Jobs run in first-in, first-out order.
pub fn in_place_scope_fifo<'scope, OP, R>(global: &'static Global, op: OP) -> R
where
    OP: FnOnce(&ScopeFifo<'scope>) -> R,
{
    match global.outside() {
        Some(team) => team.in_place_scope_fifo(op),
        None => in_attended_tree(|slot| scope_fifo_in(slot, op)),
    }
}

pub(super) fn scope_here<'scope, R>(op: impl FnOnce(&Scope<'scope>) -> R) -> R {
    in_tree(|slot| scope_in(slot, op))
}

fn scope_fifo_here<'scope, R>(op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
    in_tree(|slot| scope_fifo_in(slot, op))
}

fn scope_in<'scope, R>(slot: &TreeSlot<'_>, op: impl FnOnce(&Scope<'scope>) -> R) -> R {
    // SAFETY: the slot is of the region, and outlives the scope.
    let scope = unsafe { Scope::new(Site::of_call(slot.region()), RegionHome::of(slot)) };
    scope.inner.complete(|| op(&scope), &|latch| slot.wait_for(latch))
}

fn scope_fifo_in<'scope, R>(slot: &TreeSlot<'_>, op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
    // SAFETY: the slot is of the region, and outlives the scope.
    let scope = unsafe { ScopeFifo::new(Site::of_call(slot.region()), RegionHome::of(slot)) };
    scope.inner.complete(|| op(&scope), &|latch| slot.wait_for(latch))
}

/// Calls `op` on this thread with a scope whose jobs run in `team`.
pub(super) fn in_place_scope_of<'scope, R>(team: &Arc<Team>, op: impl FnOnce(&Scope<'scope>) -> R) -> R {
    if team.is_here() {
        return scope_here(op);
    }
    in_tree_of(team, &wait_outside, |site, wait| {
        // SAFETY: the region is there until this returns.
        let scope = unsafe { Scope::new(site, RegionHome::Team(Arc::clone(team))) };
        scope.inner.complete(|| op(&scope), wait)
    })
}

impl Handle {
    /// Calls `op` on this thread with a new scope in this team, and returns its result when `op`
    /// and all jobs have completed. Jobs run in last-in, first-out order.
    pub fn in_place_scope<'scope, R>(&self, op: impl FnOnce(&Scope<'scope>) -> R) -> R {
        in_place_scope_of(self.team(), op)
    }

    /// Calls `op` on this thread with a new scope in this team, and returns its result when `op`
    /// and all jobs have completed. Jobs run in first-in, first-out order.
    pub fn in_place_scope_fifo<'scope, R>(&self, op: impl FnOnce(&ScopeFifo<'scope>) -> R) -> R {
        let team = self.team();
        if team.is_here() {
            return scope_fifo_here(op);
        }
        in_tree_of(team, &wait_outside, |site, wait| {
            // SAFETY: the region is there until this returns.
            let scope = unsafe { ScopeFifo::new(site, RegionHome::Team(Arc::clone(team))) };
            scope.inner.complete(|| op(&scope), wait)
        })
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.base.fmt(f)
    }
}

impl fmt::Debug for ScopeFifo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.base.fmt(f)
    }
}
