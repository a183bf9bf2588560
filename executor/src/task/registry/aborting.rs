//! Aborting some of the tasks, for a host of a simulation that crashes, and naming all.

use super::{OwnedTasks, with_links};
use crate::task::Id;
use crate::task::reference::CountedRef;

impl OwnedTasks {
    /// Aborts each listed task of those that `is_meant` names. It is called with a lock held.
    pub(crate) fn abort_each(&self, is_meant: impl Fn(Id) -> bool) {
        for shard in &self.shards {
            let mut meant = Vec::new();
            let list = shard.list.lock();
            let mut next = list.head;
            while let Some(task) = next {
                // SAFETY: a listed task is kept alive by the life reference that the list has.
                if is_meant(unsafe { task.as_ref() }.id) {
                    // SAFETY: as above.
                    meant.push(unsafe { CountedRef::new(task) });
                }
                // SAFETY: the lock is held.
                next = unsafe { with_links(task, |links| links.next) };
            }
            drop(list);
            meant.iter().for_each(CountedRef::abort);
        }
    }
    /// Calls `f` with the id of each listed task, with a lock held.
    pub(crate) fn each_id(&self, f: &mut impl FnMut(Id)) {
        for shard in &self.shards {
            let list = shard.list.lock();
            let mut next = list.head;
            while let Some(task) = next {
                // SAFETY: a listed task is kept alive by the life reference that the list has.
                f(unsafe { task.as_ref() }.id);
                // SAFETY: the lock is held.
                next = unsafe { with_links(task, |links| links.next) };
            }
        }
    }
}
