//! Broadcasts: a closure that runs on each thread of a team.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::scope::in_place_scope_of;
use super::{Global, Handle};
use crate::fork_join::team::{Team, with_member};
use crate::util::sync::Mutex;

/// Tells a closure of a broadcast which of the threads it is on.
pub struct BroadcastContext<'a> {
    index: usize,
    count: usize,
    team: usize,
    /// Neither `Send` nor `Sync`: it is about the current thread.
    marker: PhantomData<&'a mut dyn Fn()>,
}

/// The contents of a [`BroadcastContext`], on their way to the thread.
#[derive(Clone, Copy)]
pub(super) struct Address {
    index: usize,
    count: usize,
    team: usize,
}

impl Address {
    pub(super) fn of(team: &Team, index: usize) -> Self {
        Self { index, count: team.count(), team: team.id() }
    }

    /// Of a broadcast to the current thread alone.
    pub(super) fn alone() -> Self {
        Self { index: 0, count: 1, team: 0 }
    }

    pub(super) fn arrived<'a>(self) -> BroadcastContext<'a> {
        let Self { index, count, team } = self;
        BroadcastContext { index, count, team, marker: PhantomData }
    }
}

impl BroadcastContext<'_> {
    /// Returns the index of the current thread in its pool.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of threads that receive the broadcast.
    #[inline]
    pub fn num_threads(&self) -> usize {
        self.count
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index)
            .field("num_threads", &self.count)
            .field("pool_id", &self.team)
            .finish()
    }
}

/// Runs `op` on each thread of the current thread's team, and returns the results by index.
pub fn broadcast<OP, R>(global: &'static Global, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    match team_of_thread() {
        Some(team) => broadcast_in(&team, op),
        None => (global.team)().broadcast(op),
    }
}

/// Spawns `op` on each thread of the current thread's team.
pub fn spawn_broadcast<OP>(global: &'static Global, op: OP)
where
    OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
{
    match team_of_thread() {
        Some(team) => spawn_on_each(&team, op),
        None => (global.team)().spawn_broadcast(op),
    }
}

impl Handle {
    /// Runs `op` on each thread of the team, and returns the results by index.
    pub fn broadcast<OP, R>(&self, op: OP) -> Vec<R>
    where
        OP: Fn(BroadcastContext<'_>) -> R + Sync,
        R: Send,
    {
        broadcast_in(self.team(), op)
    }

    /// Spawns `op` on each thread of the team.
    pub fn spawn_broadcast<OP>(&self, op: OP)
    where
        OP: Fn(BroadcastContext<'_>) + Send + Sync + 'static,
    {
        spawn_on_each(self.team(), op);
    }
}

fn team_of_thread() -> Option<Arc<Team>> {
    with_member(|member| member.map(|member| Arc::clone(member.team())))
}

fn spawn_on_each(team: &Arc<Team>, op: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
    let addressed = Arc::clone(team);
    team.spawn_broadcast(move |index| op(Address::of(&addressed, index).arrived()));
}

fn broadcast_in<OP, R>(team: &Arc<Team>, op: OP) -> Vec<R>
where
    OP: Fn(BroadcastContext<'_>) -> R + Sync,
    R: Send,
{
    let results: Vec<Mutex<Option<R>>> = (0..team.count()).map(|_| Mutex::new(None)).collect();
    in_place_scope_of(team, |scope| {
        scope.spawn_broadcast(|_, context| {
            let index = context.index();
            let result = op(context);
            *results[index].lock() = Some(result);
        });
    });
    let result = |result: Mutex<Option<R>>| result.lock().take().expect("the broadcast has reached each thread");
    results.into_iter().map(result).collect()
}
