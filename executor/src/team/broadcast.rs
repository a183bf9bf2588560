//! Broadcasts: closures that run once on each thread of a team.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::scope::{in_place_scope_of, scope_here};
use super::{Crowd, Global, Handle};
use crate::fork_join::team::Team;
use crate::fork_join::{BoxedJob, RegionHome, guests};
use crate::scheduler::Scheduler;
use crate::util::sync::Mutex;

/// Tells the closure of a broadcast on which thread it runs.
pub struct BroadcastContext<'a> {
    address: BroadcastAddress,
    /// Neither `Send` nor `Sync`: it is about the current thread.
    marker: PhantomData<&'a mut dyn Fn()>,
}

/// The contents of a [`BroadcastContext`], on their way to the thread.
#[derive(Clone, Copy)]
pub(super) struct BroadcastAddress {
    index: usize,
    count: usize,
    team: usize,
}

impl BroadcastAddress {
    /// Returns how many threads a broadcast to `home` reaches.
    fn count(home: &RegionHome) -> usize {
        match home {
            RegionHome::Team(team) => team.count(),
            RegionHome::Runtime(scheduler) => guests::count_numbers(scheduler),
            RegionHome::Alone => 1,
        }
    }

    /// Returns the addresses of a broadcast to `home`. Counts once: a runtime may grow meanwhile.
    pub(super) fn all(home: &RegionHome) -> impl Iterator<Item = Self> + use<> {
        let team = if let RegionHome::Team(team) = home { team.id() } else { 0 };
        let count = Self::count(home);
        (0..count).map(move |index| Self { index, count, team })
    }

    pub(super) fn index(self) -> usize {
        self.index
    }

    pub(super) fn arrived<'a>(self) -> BroadcastContext<'a> {
        BroadcastContext { address: self, marker: PhantomData }
    }
}

impl BroadcastContext<'_> {
    /// Returns the index of the current thread in its pool.
    #[inline]
    pub fn index(&self) -> usize {
        self.address.index
    }

    /// Returns the number of threads that run the broadcast.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.address.count
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .field("pool_id", &self.address.team)
            .finish()
    }
}

/// Runs `op` once on each thread of the current team, and returns the results by thread index.
pub fn broadcast<OP, R>(global: &'static Global, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    match Crowd::here(global) {
        Crowd::Team(team) => broadcast_in(&team, op),
        Crowd::Guests(_) => {
            let results = Results::new();
            scope_here(|scope| scope.spawn_broadcast(|_, context| results.add(&op, context)));
            results.collect()
        }
        Crowd::Global(team) => team.broadcast(op),
    }
}

/// Spawns `op` to run once on each thread of the current thread's team, without waiting.
pub fn spawn_broadcast<OP>(global: &'static Global, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    match Crowd::here(global) {
        Crowd::Team(team) => spawn_on_each(&team, op),
        Crowd::Guests(scheduler) => spawn_on_guests(global, scheduler, op),
        Crowd::Global(team) => team.spawn_broadcast(op),
    }
}

fn spawn_on_guests<OP>(global: &'static Global, scheduler: Arc<Scheduler>, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    let (op, home) = (Arc::new(op), RegionHome::Runtime(Arc::clone(&scheduler)));
    for address in BroadcastAddress::all(&home) {
        let op = Arc::clone(&op);
        // The job's share of `op` is dropped in there, too: it may panic.
        let run = move || global.run_detached(move || op(address.arrived()));
        // SAFETY: it borrows nothing, and a thread is started that runs it.
        let root = unsafe { BoxedJob::into_job_ref(run) };
        if guests::is_simulated(&scheduler) {
            let home = Arc::clone(&scheduler);
            drop(crate::task::spawn_blocking(move || guests::send(&home, address.index(), root)));
            continue;
        }
        guests::send(&scheduler, address.index(), root);
    }
}

impl Handle {
    /// Runs `op` once on each thread of this team, and returns the results by thread index.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_in(self.team(), op)
    }

    /// Spawns a job that runs `op` once on each thread of this team, and does not wait for it.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_on_each(self.team(), op);
    }
}

fn spawn_on_each(team: &Arc<Team>, op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
    let (count, id) = (team.count(), team.id());
    team.spawn_broadcast(move |index| op(BroadcastAddress { index, count, team: id }.arrived()));
}

fn broadcast_in<OP, R>(team: &Arc<Team>, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let results = Results::new();
    in_place_scope_of(team, |scope| scope.spawn_broadcast(|_, context| results.add(&op, context)));
    results.collect()
}

/// The results of a broadcast, by index.
struct Results<R>(Mutex<Vec<Option<R>>>);

impl<R: Send> Results<R> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn add(&self, op: impl Fn(BroadcastContext<'_>) -> R, context: BroadcastContext<'_>) {
        let BroadcastAddress { index, count, .. } = context.address;
        let result = op(context);
        let mut results = self.0.lock();
        results.resize_with(count, || None);
        results[index] = Some(result);
    }

    fn collect(self) -> Vec<R> {
        let results = std::mem::take(&mut *self.0.lock());
        results.into_iter().map(|result| result.expect("the broadcast has reached each thread")).collect()
    }
}
