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

use super::{Intake, List, OwnedTasks};
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

    /// Whether every task is let in, wherever it was spawned.
    #[cfg(feature = "futures-task")]
    pub(crate) fn is_open(&self) -> bool {
        self.shards[0].list.lock().intake == Intake::Open
    }

    /// Ready once no task is live in any of the registries but `except`; until then `waker` is
    /// woken when few are left. It is left in the name of `drain`, whose last one it replaces;
    /// [`forget_drain`](Self::forget_drain) takes it back.
    ///
    /// All callers have to name the registries in the same order.
    pub(crate) fn poll_drained(registries: &[&Self], except: Option<Id>, drain: Id, waker: &Waker) -> Poll<()> {
        let shards = || registries.iter().flat_map(|registry| &registry.shards);
        // Cloned before and dropped after the locks are held: that is foreign code.
        let mut wakers = vec![waker.clone(); shards().count()];
        let mut replaced = Vec::with_capacity(wakers.len());
        let mut lists: Vec<_> = shards().map(|shard| shard.list.lock()).collect();
        let live: usize = lists.iter().map(|list| list.live).sum();
        if live == 0 || (live == 1 && lists.iter().any(|list| list.is_led_by(except))) {
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
}

impl List {
    fn is_led_by(&self, task: Option<Id>) -> bool {
        task.is_some() && self.headers().next().map(|header| header.id) == task
    }
}
