//! Which regions wait for the root that runs on a thread.
//!
//! A thread in a region may hand a root over to another team, and wait. The root may hand one back
//! to the first team, whose members may all wait: so a member that waits in a region also runs the
//! roots that the region waits for itself. The lineage of a root is a list of such regions, each
//! in the frame that waits in it.

use std::cell::Cell;
use std::ptr;

use crate::fork_join::{TreeRegion, TreeSlot};
use crate::util::sync::thread_local;

thread_local! {
    /// The lineage of the root that this thread runs. Null, or valid: the frame waits for the root.
    static CURRENT: Cell<*const Lineage> = const { Cell::new(ptr::null()) };
}

/// A region whose participant waits for a root, and the regions that wait for the region.
#[derive(Debug)]
pub(crate) struct Lineage {
    region: *const TreeRegion,
    parent: *const Lineage,
}

impl Lineage {
    /// Makes the lineage of a root for which the calling thread waits in `slot`. It has to outlive
    /// the root.
    pub(crate) fn of_wait_in(slot: &TreeSlot<'_>) -> Self {
        Self { region: slot.region(), parent: slot.region().lineage().cast() }
    }

    /// Returns the lineage of the root that the calling thread runs.
    pub(crate) fn current() -> *const Self {
        CURRENT.get()
    }

    /// Calls `f` with the nearest region of the team `id` that waits.
    pub(super) fn find<R>(&self, id: usize, f: impl FnOnce(Option<&TreeRegion>) -> R) -> R {
        let mut next = Some(self);
        while let Some(lineage) = next {
            // SAFETY: the region's participant waits for the root that calls this.
            let region = unsafe { &*lineage.region };
            if region.team() == id {
                return f(Some(region));
            }
            // SAFETY: null, or in a frame that waits, too.
            next = unsafe { lineage.parent.as_ref() };
        }
        f(None)
    }
}

/// Makes a lineage the thread's own until this guard is dropped.
pub(super) struct Inherited {
    before: *const Lineage,
}

impl Inherited {
    /// `lineage` is null, or in a frame that outlives the guard.
    pub(super) fn enter(lineage: *const Lineage) -> Self {
        Self { before: CURRENT.replace(lineage) }
    }
}

impl Drop for Inherited {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}
