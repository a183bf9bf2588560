//! The one poll lock in the netpoller: free, taken for a look, or taken to block.
//!
//! A word of its own, and not a lock with a flag beside it, so that a refused thread learns in
//! the same step whether the holder blocks.

use crate::sync::atomic::AtomicU8;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};

const FREE: u8 = 0;
const LOOKING: u8 = 1;
const BLOCKING: u8 = 2;

/// How long a thread means to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// A non-blocking turn.
    Look,
    /// Until an event, a deadline or an interrupt.
    Block,
}

#[derive(Debug)]
pub(crate) struct PollLock(AtomicU8);

impl PollLock {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(FREE))
    }

    /// Takes the poll lock; `Err` says how its holder stays.
    #[must_use = "dropping the answer releases the lock at once"]
    pub(crate) fn take(&self, stay: Stay) -> Result<PollLockGuard<'_>, Stay> {
        let mine = match stay {
            Stay::Look => LOOKING,
            Stay::Block => BLOCKING,
        };
        // Acquire: pairs with the Release in `PollLockGuard::drop`, so that one holder's use of the
        // poll comes before the next one's. Relaxed on failure: nothing was published for a refused
        // thread.
        match self.0.compare_exchange(FREE, mine, Acquire, Relaxed) {
            Ok(_) => Ok(PollLockGuard(self)),
            Err(BLOCKING) => Err(Stay::Block),
            Err(_) => Err(Stay::Look),
        }
    }
}

/// Holds the poll lock; dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct PollLockGuard<'a>(&'a PollLock);

impl Drop for PollLockGuard<'_> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire in `take`.
        self.0.0.store(FREE, Release);
    }
}
