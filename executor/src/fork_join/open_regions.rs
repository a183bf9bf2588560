//! The open regions of a runtime, where machines with nothing else to do find them.

use std::any::Any;

use crate::fork_join::{JobRef, TreeSlot};
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use crate::util::sync::{Arc, Mutex};
use crate::util::thread_state::current_core;

/// A region as a helper sees it.
pub(super) trait Region: Send + Sync {
    /// Returns whether a helper would find something to do. A region that returns `false` promises
    /// to summon a helper when that changes.
    fn wants_help(&self) -> bool;

    /// Returns the core that the owner was on when it opened the region, if that is known.
    fn owners_core(&self) -> Option<u32>;

    /// Returns the lineage of the work that needs no slot of a tree, as a pointer.
    fn lineage(&self) -> *const () {
        std::ptr::null()
    }

    /// Takes a slot, if one is free, and works until nothing is left to do or the participant must
    /// leave.
    fn help(&self, participant: &dyn Participant);

    /// Takes a slot, if one is free, and runs one job, if there is one. Returns whether it has.
    fn help_once(&self, _participant: &dyn Participant) -> bool {
        false
    }
}

/// A thread at work in a region, as the region sees it. By itself it is an owner, which stays until
/// all is done.
pub(super) trait Participant {
    /// Returns whether the thread has to leave the region. Asked at each claim, so it has to be
    /// quick.
    fn must_leave(&self) -> bool {
        false
    }

    /// Called about once in ten microseconds, or after each claim where those take longer.
    fn tick(&self) {}

    /// Makes an idle machine look at the open regions.
    fn summon(&self) {}

    /// Returns the runtime that the region belongs to, an `Arc<Scheduler>`, which models do not
    /// have.
    fn runtime(&self) -> Option<&dyn Any> {
        None
    }

    /// Returns the thread as its pool knows it.
    fn thread(&self) -> &dyn Indexed {
        &Unattended
    }
}

/// A thread that may have an index in its pool, and jobs for it alone.
pub(super) trait Indexed {
    /// Runs a job that no other thread may run, if there is one. Returns whether it has. Asked in
    /// waits.
    fn run_own(&self) -> bool {
        false
    }

    /// Runs a job of a region.
    ///
    /// # Safety
    ///
    /// The caller has taken the job out of its queue.
    unsafe fn run(&self, job: JobRef) {
        // SAFETY: as the caller promises.
        unsafe { job.run() }
    }

    /// Returns whether the thread has an index that it may lend.
    fn has_index(&self) -> bool {
        false
    }

    /// Lends the index, if there is one, to other threads in the tree, for a wait in `slot`.
    fn lend_index(&self, _slot: &TreeSlot<'_>) -> Option<TakeBack> {
        None
    }

    /// Gives the index up, if there is one: no code on the thread relies on it any more.
    fn drop_index(&self) {}
}

/// Takes back the index that a thread has lent for a wait. Returns `false` if another thread still
/// holds it after a short while.
pub(super) type TakeBack = Box<dyn FnMut() -> bool>;

/// A participant that never leaves early and cannot summon helpers: the owner of a loop, or of a
/// region that is not among the open ones.
pub(super) struct Unattended;

impl Participant for Unattended {}

impl Indexed for Unattended {}

/// The open regions of one runtime.
pub(super) struct OpenRegions {
    open: Mutex<Vec<Arc<dyn Region>>>,
    /// The length of the list, to be read without the lock. Relaxed: where a sure answer is
    /// needed, the list is looked at.
    count: AtomicUsize,
    epoch: Epoch,
    /// Where the next helper begins to look, so that each region gets helpers.
    turn: AtomicUsize,
}

impl OpenRegions {
    pub(super) fn new() -> Self {
        Self {
            open: Mutex::new(Vec::new()),
            count: AtomicUsize::new(0),
            epoch: Epoch(AtomicU64::new(0)),
            turn: AtomicUsize::new(0),
        }
    }

    /// Adds `region`, until the guard is dropped. A helper that has found it may be in it longer.
    pub(super) fn post(&self, region: Arc<dyn Region>) -> Posted<'_> {
        let posted = Posted { open_regions: self, region: Arc::as_ptr(&region).cast() };
        let mut open = self.open.lock();
        open.push(region);
        self.count.store(open.len(), Relaxed);
        posted
    }

    fn withdraw(&self, region: *const ()) {
        let mut open = self.open.lock();
        let at = open.iter().position(|other| std::ptr::eq(Arc::as_ptr(other).cast(), region));
        let withdrawn = open.swap_remove(at.expect("a region is withdrawn once"));
        self.count.store(open.len(), Relaxed);
        drop(open);
        drop(withdrawn);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// Returns a region that has something to do. Each call begins with another one.
    pub(super) fn find(&self) -> Option<Arc<dyn Region>> {
        if self.is_empty() {
            return None;
        }
        let open = self.open.lock();
        let turn = self.turn.load(Relaxed);
        self.turn.store(turn.wrapping_add(1), Relaxed);
        let regions = (0..open.len()).map(|step| &open[turn.wrapping_add(step) % open.len()]);
        regions.into_iter().find(|region| region.wants_help()).cloned()
    }

    pub(super) fn epoch(&self) -> &Epoch {
        &self.epoch
    }
}

/// Withdraws a region from the open ones when it is dropped.
pub(super) struct Posted<'a> {
    open_regions: &'a OpenRegions,
    region: *const (),
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        self.open_regions.withdraw(self.region);
    }
}

/// A count of the summonses so far. A helper that spins watches it instead of the list.
pub(super) struct Epoch(AtomicU64);

impl Epoch {
    /// Release pairs with the Acquire in `read`: a helper that sees the new count finds the region
    /// that it is about.
    pub(super) fn advance(&self) {
        self.0.fetch_add(1, Release);
    }

    pub(super) fn read(&self) -> u64 {
        // Acquire pairs with the Release in `advance`.
        self.0.load(Acquire)
    }
}

/// The core on which a region's owner runs, so that a helper knows whether it has a core of its
/// own. Relaxed: a hint, which may be out of date as soon as it is written.
pub(super) struct OwnersCore(AtomicU32);

const UNKNOWN: u32 = u32::MAX;

impl OwnersCore {
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(UNKNOWN))
    }

    /// Notes that the owner is on the calling thread.
    pub(super) fn note(&self) {
        self.0.store(current_core().unwrap_or(UNKNOWN), Relaxed);
    }

    pub(super) fn get(&self) -> Option<u32> {
        Some(self.0.load(Relaxed)).filter(|&core| core != UNKNOWN)
    }
}
