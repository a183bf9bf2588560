//! The open_regions: the regions that are open, where machines with nothing else to do find them.

use crate::fork_join::TreeSlot;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicU64, AtomicUsize};
use crate::util::sync::{Arc, Mutex};

/// What stands on the open regions.
pub(crate) trait Region: std::fmt::Debug + Send + Sync {
    /// Whether a helper would find something to do. `false` is a promise to call for help when that
    /// changes.
    fn wants_help(&self) -> bool;

    /// The core that its owner was on when it opened the region.
    fn owners_core(&self) -> Option<u32>;

    /// Sits down and works until there is nothing to do or the participant calls.
    fn help(&self, participant: &dyn Participant);
}

/// Whoever sends helpers.
pub(crate) trait Participant {
    /// Whether a helper is wanted elsewhere. Asked at each claim, so it has to be quick.
    fn must_leave(&self) -> bool;

    /// The same with the time at hand: called once in some ten microseconds, where what is done is
    /// cut up as finely as that.
    fn tick(&self, now: std::time::Instant);

    /// Has idle machines look at the open regions.
    fn summon(&self);

    /// Calls `work` with `slot` as the one that the current thread's jobs go to.
    fn with_slot(&self, slot: &TreeSlot<'_>, work: &mut dyn FnMut());
}

/// The participant of whoever neither is called away nor can call: the owner of a loop, and of a
/// region that nobody knows of.
pub(crate) struct Unattended;

impl Participant for Unattended {
    fn must_leave(&self) -> bool {
        false
    }

    fn tick(&self, _: std::time::Instant) {}

    fn summon(&self) {}

    fn with_slot(&self, _: &TreeSlot<'_>, work: &mut dyn FnMut()) {
        work();
    }
}

/// The open regions of one runtime.
#[derive(Debug)]
pub(crate) struct OpenRegions {
    open: Mutex<Vec<Arc<dyn Region>>>,
    /// How many there are, to be asked without the lock. Relaxed: who needs a sure answer looks at
    /// the list.
    count: AtomicUsize,
    /// Rises when there is something new to look at.
    epoch: Epoch,
    /// Where the next helper begins to look, so that all regions come to be helped.
    turn: AtomicUsize,
}

impl OpenRegions {
    pub(crate) fn new() -> Self {
        Self {
            open: Mutex::new(Vec::new()),
            count: AtomicUsize::new(0),
            epoch: Epoch(AtomicU64::new(0)),
            turn: AtomicUsize::new(0),
        }
    }

    /// Puts `region` up.
    pub(crate) fn post(&self, region: Arc<dyn Region>) {
        let mut open = self.open.lock();
        open.push(region);
        self.count.store(open.len(), Relaxed);
    }

    /// Takes `region` down. Helpers that have found it may still be at it.
    pub(crate) fn withdraw(&self, region: *const ()) {
        let mut open = self.open.lock();
        let at = open.iter().position(|other| std::ptr::eq(Arc::as_ptr(other).cast(), region));
        let withdrawn = open.swap_remove(at.expect("a region is withdrawn once, by who posted it"));
        self.count.store(open.len(), Relaxed);
        drop(open);
        drop(withdrawn);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }

    /// A region that has something to do. Each call begins with another one.
    pub(crate) fn find(&self) -> Option<Arc<dyn Region>> {
        if self.is_empty() {
            return None;
        }
        let open = self.open.lock();
        let turn = self.turn.load(Relaxed);
        self.turn.store(turn.wrapping_add(1), Relaxed);
        let regions = (0..open.len()).map(|step| &open[turn.wrapping_add(step) % open.len()]);
        regions.into_iter().find(|region| region.wants_help()).cloned()
    }

    pub(crate) fn epoch(&self) -> &Epoch {
        &self.epoch
    }
}

/// A count of things that a lingering helper should look at.
#[derive(Debug)]
pub(crate) struct Epoch(AtomicU64);

impl Epoch {
    /// Release pairs with the Acquire in `read`: who sees the new count finds what it is about.
    pub(crate) fn give(&self) {
        self.0.fetch_add(1, Release);
    }

    pub(crate) fn read(&self) -> u64 {
        // Acquire pairs with the Release in `give`.
        self.0.load(Acquire)
    }
}
