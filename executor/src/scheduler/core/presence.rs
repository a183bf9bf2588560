//! Presence: how many threads a runtime's end waits for, and which of them is the last one out.

use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};

/// Says whether the end has begun, and how many have yet to leave.
#[derive(Debug)]
pub(crate) struct Presence {
    begun: AtomicBool,
    /// The runtime itself, its machines, its watcher and its drivers. Zero is final.
    present: AtomicUsize,
}

impl Presence {
    /// The runtime itself is present.
    pub(crate) fn new() -> Self {
        Self { begun: AtomicBool::new(false), present: AtomicUsize::new(1) }
    }

    /// Relaxed: a machine that misses it meets the lock of its list before it sleeps: see `begin`.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Relaxed)
    }

    /// Begins the end; `true` for the first call. Machines that sleep are to be woken then.
    #[must_use]
    pub(crate) fn begin(&self) -> bool {
        // Relaxed: the lock of the list of machines publishes it. A machine that comes on the list
        // after the caller has read it finds `begun`, and one that came before is woken.
        !self.begun.swap(true, Relaxed)
    }

    /// Counts a thread in. `false` once the last one has left: it would find nothing to leave to.
    ///
    /// Relaxed: an RMW, so it carries the release sequence of earlier departures on.
    #[must_use]
    pub(crate) fn arrive(&self) -> bool {
        self.present.fetch_update(Relaxed, Relaxed, |present| (present > 0).then_some(present + 1)).is_ok()
    }

    /// Counts a thread out, and returns how many are left. The last one cleans up.
    ///
    /// AcqRel: each thread's writes are visible to the last.
    #[must_use]
    pub(crate) fn depart(&self) -> usize {
        self.present.fetch_sub(1, AcqRel) - 1
    }

    /// Returns whether the calling thread, which is present, is the last one.
    ///
    /// Relaxed: `depart` orders what the others have written.
    #[must_use]
    pub(crate) fn is_last(&self) -> bool {
        self.present.load(Relaxed) == 1
    }
}
