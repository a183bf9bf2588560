//! The count of helpers: machines that compute in the time of idle processors.
//!
//! A helper holds no processor. There may be as many helpers as there are idle processors, so that
//! together with the busy ones they are as many threads as the runtime is to have cores. A helper
//! that finds more leaves.

use crate::scheduler::core::limits::ACCEPTED_DELAY;
use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, fence};

/// Relaxed throughout but for the fences: it counts, and hands out no data.
#[derive(Debug)]
pub(crate) struct Helpers {
    /// Machines that help, and threads that own a region and hold no processor.
    present: AtomicUsize,
    /// Helpers that have run out of work and spin for a while before they leave.
    spinning: AtomicUsize,
    /// Machines that help or spin, and so look at the netpoller now and then. Owners of regions,
    /// which are counted in `present`, do not.
    watching: AtomicUsize,
    /// Looks that helpers took at the netpoller, for sysmon.
    netpolls: AtomicU64,
    /// When the last of these looks was, in nanoseconds of the scheduler's clock.
    polled_network: AtomicU64,
    /// True if a thread is being started that is to help and has not come yet: one at a time.
    starting: AtomicBool,
}

impl Helpers {
    pub(crate) fn new() -> Self {
        Self {
            present: AtomicUsize::new(0),
            spinning: AtomicUsize::new(0),
            watching: AtomicUsize::new(0),
            netpolls: AtomicU64::new(0),
            polled_network: AtomicU64::new(0),
            starting: AtomicBool::new(false),
        }
    }

    /// Counts the caller if there are fewer helpers than `places`, and returns whether it has.
    #[must_use]
    pub(crate) fn join(&self, places: usize) -> bool {
        self.present.fetch_update(Relaxed, Relaxed, |present| (present < places).then_some(present + 1)).is_ok()
    }

    /// Counts an owner without a processor, whether there is a place or not: it has to do its own
    /// work.
    pub(crate) fn join_anyway(&self) {
        self.present.fetch_add(1, Relaxed);
    }

    /// After this the caller looks at the open regions once more.
    pub(crate) fn leave(&self) {
        let before = self.present.fetch_sub(1, Relaxed);
        debug_assert!(before > 0, "a thread leaves once, after it has joined");
        // Pairs with the fence in `will_look`: a thread that has work to offer, and then finds no
        // place for a helper, has published the work before that look.
        fence(SeqCst);
    }

    pub(crate) fn count(&self) -> usize {
        self.present.load(Relaxed)
    }

    /// Returns whether a helper spins, and so will look at the open regions before it sleeps. To be
    /// asked after the epoch of the open regions was advanced.
    #[must_use]
    pub(crate) fn will_look(&self) -> bool {
        // Pairs with the fences in `end_spin` and `leave`: one of the two sees the other.
        fence(SeqCst);
        self.spinning.load(Relaxed) > 0
    }

    pub(crate) fn begin_spin(&self) {
        self.spinning.fetch_add(1, Relaxed);
    }

    /// After this the caller reads the epoch of the open regions once more.
    pub(crate) fn end_spin(&self) {
        self.spinning.fetch_sub(1, Relaxed);
        // Pairs with the fence in `will_look`.
        fence(SeqCst);
    }

    /// Returns whether it is the caller's turn to look at the netpoller: `period` has passed since
    /// a helper did.
    #[must_use]
    pub(crate) fn take_turn_at_network(&self, now: u64, period: u64) -> bool {
        let last = self.polled_network.load(Relaxed);
        let turn = now.saturating_sub(last) >= period
            && self.polled_network.compare_exchange(last, now, Relaxed, Relaxed).is_ok();
        if turn {
            self.netpolls.fetch_add(1, Relaxed);
        }
        turn
    }

    /// The caller looks at the netpoller from now on.
    pub(crate) fn begin_watch(&self) {
        self.watching.fetch_add(1, Relaxed);
    }

    /// The caller does so no more. It becomes the poll owner next, if no other helper watches.
    pub(crate) fn end_watch(&self) {
        self.watching.fetch_sub(1, Relaxed);
    }

    /// Returns whether there are helpers that look at the netpoller, if they are not in a long
    /// piece of work.
    #[must_use]
    pub(crate) fn any_watch(&self) -> bool {
        self.watching.load(Relaxed) > 0
    }

    /// Returns whether a helper has looked at the netpoller a short while before `now`, and may
    /// again.
    #[must_use]
    pub(crate) fn watch_network(&self, now: u64) -> bool {
        self.any_watch() && now.saturating_sub(self.polled_network.load(Relaxed)) < ACCEPTED_DELAY
    }

    pub(crate) fn netpolls(&self) -> u64 {
        self.netpolls.load(Relaxed)
    }

    /// Returns `true` to the caller that is to start a thread.
    #[must_use]
    pub(crate) fn begin_start(&self) -> bool {
        !self.starting.swap(true, Relaxed)
    }

    /// The thread has come, or could not be started.
    pub(crate) fn end_start(&self) {
        self.starting.store(false, Relaxed);
    }
}
