//! Draining a registry: no task comes in from outside, and a caller waits until those in it have
//! ended.
//!
//! A task may spawn another into any shard and end, so that looking at one shard after the other
//! could miss it. The waiting side takes all locks, in the order of the shards and registries,
//! counts, and leaves a waker where something is left. A task that ends takes one lock: it comes
//! before that and is not counted, or after it and finds the waker.
//!
//! A drain has one waker in each list, the one of its last poll, and takes it along when it is
//! dropped: it may be polled with a new one each time.

use std::task::{Poll, Waker};

use super::{Header, Intake, OwnedTasks, wake_watchers};
use crate::task::Id;

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
