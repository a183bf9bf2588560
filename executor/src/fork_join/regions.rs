//! The regions of one runtime or team: those that are open, and those that are kept for the next
//! calls.

use std::sync::Arc;

use crate::fork_join::guests::Guests;
use crate::fork_join::slots::MOST_SLOTS;
use crate::fork_join::{LoopRegion, OpenRegions, TreeRegion};
use crate::scheduler::Scheduler;
use crate::scheduler::idle_work::IdleWork;
use crate::util::sync::Mutex;

/// Free regions that are kept, at most, of each kind; or as many as a region has slots.
const MOST_FREE: usize = 16;

/// The state that the threads of one runtime or team share for parallel calls. The scheduler owns
/// it as its [`IdleWork`] and knows nothing else of it.
pub(super) struct Regions {
    pub(super) open: OpenRegions,
    pub(super) free_loops: FreeRegions<LoopRegion>,
    pub(super) free_trees: FreeRegions<TreeRegion>,
    /// Of a runtime.
    pub(super) guests: Arc<Guests>,
}

/// Makes the idle work of a new scheduler.
pub(crate) fn idle_work() -> Box<dyn IdleWork> {
    Box::new(Regions::new())
}

impl Regions {
    pub(super) fn new() -> Self {
        let (free_loops, free_trees) = (FreeRegions::new(), FreeRegions::new());
        Self { open: OpenRegions::new(), free_loops, free_trees, guests: Guests::new() }
    }

    /// Returns the regions of the runtime whose scheduler this is.
    pub(super) fn of(scheduler: &Scheduler) -> &Self {
        scheduler.idle_work.as_any().downcast_ref().expect("`idle_work` has made it")
    }
}

/// Returns how many slots a region needs: one for each processor, and one for its owner.
pub(super) fn slots(scheduler: &Scheduler) -> usize {
    (scheduler.processors.regular() + 1).min(MOST_SLOTS)
}

/// A region with a number of slots, that of the processors at its making.
pub(super) trait Slotted {
    fn slots(&self) -> usize;
}

impl Slotted for LoopRegion {
    fn slots(&self) -> usize {
        self.count_slots()
    }
}

impl Slotted for TreeRegion {
    fn slots(&self) -> usize {
        self.count_slots()
    }
}

/// Regions of earlier calls. A helper that came too late may still have a reference to one, so a
/// region is used again only when no other thread has it.
pub(super) struct FreeRegions<R>(Mutex<Vec<Arc<R>>>);

impl<R: Slotted> FreeRegions<R> {
    fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Returns a region of `slots` or more to which no other thread has a reference: a free one, or
    /// a new one. Forgets those that are too small, from before the runtime grew.
    pub(super) fn take(&self, slots: usize, make: impl FnOnce(usize) -> R) -> Arc<R> {
        loop {
            let mut free = self.0.lock();
            let unshared = free.iter_mut().position(|region| Arc::get_mut(region).is_some());
            let found = unshared.map(|at| free.swap_remove(at));
            drop(free);
            match found {
                Some(region) if region.slots() < slots => {}
                Some(region) => return region,
                None => return Arc::new(make(slots)),
            }
        }
    }

    pub(super) fn put(&self, region: Arc<R>) {
        let mut free = self.0.lock();
        if free.len() < MOST_FREE.max(region.slots()) {
            free.push(region);
        }
    }
}
