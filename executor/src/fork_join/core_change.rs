//! A helper on the core of a region's owner is of no use, and gets off it.
//!
//! A kernel may leave both threads there for long, though other cores are free: they are busy, and
//! look like one load. It chooses a core anew for a thread that wakes, so a nap will do.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::util::sync;
use crate::util::thread_state::current_core;

/// For so long a helper sleeps to be woken on another core.
const NAP: Duration = Duration::from_micros(20);

/// A helper takes such a nap once in this time at most, since there may be only that core.
const PERIOD: Duration = Duration::from_millis(2);

/// When a helper last tried to get off the core of a region's owner.
#[derive(Debug)]
pub(super) struct CoreChange(Cell<Option<Instant>>);

impl CoreChange {
    pub(super) fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Gets off `owners_core`, if the calling thread is on it.
    pub(super) fn leave(&self, owners_core: Option<u32>) {
        if owners_core.is_none() || owners_core != current_core() {
            return;
        }
        let now = sync::now();
        if self.0.get().is_none_or(|before| now.duration_since(before) > PERIOD) {
            self.0.set(Some(now));
            sync::sleep(NAP);
        }
    }
}
