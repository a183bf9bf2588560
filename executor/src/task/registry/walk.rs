//! Walking over a registry while its tasks live on: for dumps, which show each of them.
//!
//! A walk takes a shard's lock for a few tasks at a time and leaves a cursor in the list, which an
//! unlinking moves on. So it shows each task once that is listed throughout, and holds no thread up
//! for longer than a few microseconds; tasks that come or go during the walk may be shown or not.
//! There is one cursor in each list, and so one walk at a time.

use std::panic::Location;
use std::sync::Arc;
use std::time::Instant;

use wsrt_sync::wait::Wait;

use super::{List, OwnedTasks, with_links};
use crate::task::header::Header;
use crate::task::state::Phase;
use crate::task::stats::StatsRead;
use crate::task::{Id, TaskAddress};
use crate::util::sync;
use crate::util::sync::{WALK_STRIDE, hand_on};

/// A live task, as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct TaskSnapshot {
    pub(crate) id: Id,
    pub(crate) name: Option<Arc<str>>,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) phase: Phase,
    /// Where it is, for as long as it lives.
    pub(crate) address: TaskAddress,
    /// The task that awaits it, if one does with its own waker.
    pub(crate) joiner: Option<TaskAddress>,
    /// The address in the waker of the one that awaits it, a task or not.
    pub(crate) joiner_address: Option<usize>,
    /// Its wakers and abort handles.
    pub(crate) wakers: usize,
    /// The lock or channel that its last poll began to wait for last.
    pub(crate) wait: Option<Wait>,
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
        (seen.phase != Phase::Complete).then(|| Self {
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
