//! The first panic of a region's closures, which stops the work and is resumed in the owner.

use crate::util::sync::Mutex;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::unwind::{Payload, drop_quietly};

pub(super) struct FirstPanic {
    /// Returns whether work that has not begun is to be left undone: after a panic, or because a
    /// loop was cancelled. Relaxed: it publishes nothing, and participants need not see it at once.
    stopped: AtomicBool,
    payload: Mutex<Option<Payload>>,
}

impl FirstPanic {
    pub(super) fn new() -> Self {
        Self { stopped: AtomicBool::new(false), payload: Mutex::new(None) }
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Allows work again, for the next call. The outcome of the last one has been taken.
    pub(super) fn restart(&self) {
        self.stopped.store(false, Relaxed);
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Stops the work and keeps `payload`, if it is the first. Drops it otherwise.
    pub(super) fn keep(&self, payload: Payload) {
        self.stop();
        let mut first = self.payload.lock();
        if first.is_none() {
            *first = Some(payload);
            return;
        }
        drop(first);
        drop_quietly(payload);
    }

    /// Takes the outcome, when no participant is at work any more.
    ///
    /// # Errors
    ///
    /// Returns the first panic.
    pub(super) fn outcome(&self) -> Result<(), Payload> {
        self.payload.lock().take().map_or(Ok(()), Err)
    }
}
