//! `Flag`: a condition that becomes true once.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// A condition that becomes true once. Relaxed: it orders nothing by itself, see each use.
#[derive(Debug, Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    pub(super) fn set(&self) {
        self.0.store(true, Relaxed);
    }

    #[must_use]
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}
