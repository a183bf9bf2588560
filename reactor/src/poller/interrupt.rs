//! The interrupt flag: whether a blocking turn has been asked to end.
//!
//! Any thread raises it, and only the end of a blocking turn takes it. While it is up, further
//! raises need no write to the wake-up descriptor: the thread that put it up is about to write, or
//! has written.

use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{AcqRel, Acquire};

#[derive(Debug)]
pub(crate) struct InterruptFlag(AtomicBool);

impl InterruptFlag {
    pub(crate) fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Returns true if the caller put the flag up and has to write.
    #[must_use]
    pub(crate) fn raise(&self) -> bool {
        // AcqRel: Release pairs with the Acquire in `take`: the thread that ends the turn sees this
        // caller's earlier writes. A swap, not a load first: the second of two callers publishes
        // its work too.
        !self.0.swap(true, AcqRel)
    }

    /// Whether a blocking turn must not block.
    #[must_use]
    pub(crate) fn is_raised(&self) -> bool {
        // Acquire: pairs with `raise`, as in `take`.
        self.0.load(Acquire)
    }

    /// Puts the flag down; true when it was up.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        // AcqRel: Acquire pairs with the Release in `raise`. Release orders the turn before the
        // next raise that sees the flag down.
        self.0.swap(false, AcqRel)
    }
}
