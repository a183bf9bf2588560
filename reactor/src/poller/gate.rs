//! How turns and interrupts meet, without the system's part: the poll lock, the flag, and the order
//! in which they are used.
//!
//! ```text
//!   interrupt                              blocking turn
//!   I1  put the flag up                    B1  take the poll lock
//!   I2  if it was down: write              B2  flag up?  then poll without blocking
//!                                          B3  poll: ends at an event, the written one included
//!                                          B4  put the flag down
//! ```
//!
//! The wake-up descriptor is edge-triggered: its event is reported once, perhaps to a non-blocking
//! turn that has no use for it. That turn leaves the flag up, so the next blocking turn sees it at
//! B2. An interrupt that misses B2 writes after it, and B3 ends. One that comes between B3 and B4
//! is taken with the others: its caller's work is looked for after the turn. A write that comes
//! late (I1, then a whole turn, then I2) ends the next blocking turn for nothing, which is allowed.

use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicU8};
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct TurnGate {
    poll_lock: PollLock,
    flag: InterruptFlag,
}

/// The outcome of a turn that took place.
#[derive(Debug)]
pub(crate) struct Turned<R> {
    pub(crate) outcome: R,
    pub(crate) interrupted: bool,
}

impl TurnGate {
    pub(crate) fn new() -> Self {
        Self { poll_lock: PollLock::new(), flag: InterruptFlag::new() }
    }

    /// Runs `poll` with the timeout it may use, if no other thread is in it; `Err` says how the
    /// other stays.
    pub(crate) fn turn<R>(
        &self,
        timeout: Option<Duration>,
        poll: impl FnOnce(Option<Duration>) -> R,
    ) -> Result<Turned<R>, Stay> {
        let stay = if timeout == Some(Duration::ZERO) { Stay::Look } else { Stay::Block };
        let held = self.poll_lock.take(stay)?;
        let turned = match stay {
            Stay::Look => Turned { outcome: poll(timeout), interrupted: false },
            Stay::Block => {
                let timeout = if self.flag.is_raised() { Some(Duration::ZERO) } else { timeout };
                let outcome = poll(timeout);
                Turned { outcome, interrupted: self.flag.take() }
            }
        };
        drop(held);
        Ok(turned)
    }

    /// Ends the blocking turn in progress, or the next one; `write` makes the poll return.
    pub(crate) fn interrupt(&self, write: impl FnOnce()) {
        if self.flag.raise() {
            write();
        }
    }
}

const FREE: u8 = 0;
const LOOKING: u8 = 1;
const BLOCKING: u8 = 2;

/// How long a thread intends to stay in the poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// A non-blocking turn.
    Look,
    /// Until an event, a deadline or an interrupt.
    Block,
}

/// The one poll lock in the netpoller: free, taken for a look, or taken to block.
///
/// Its own word, and not a lock with a flag beside it, so that a refused thread learns in
/// the same step whether the holder blocks.
#[derive(Debug)]
struct PollLock(AtomicU8);

impl PollLock {
    fn new() -> Self {
        Self(AtomicU8::new(FREE))
    }

    /// Takes the poll lock; `Err` says how its holder stays.
    #[must_use = "dropping the answer releases the lock at once"]
    fn take(&self, stay: Stay) -> Result<PollLockGuard<'_>, Stay> {
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
struct PollLockGuard<'a>(&'a PollLock);

impl Drop for PollLockGuard<'_> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire in `take`.
        self.0.0.store(FREE, Release);
    }
}

/// The interrupt flag: whether a blocking turn has been asked to end.
///
/// Any thread raises it, and only the end of a blocking turn takes it. While it is up, further
/// raises need no write to the wake-up descriptor: the thread that put it up is about to write, or
/// has written.
#[derive(Debug)]
struct InterruptFlag(AtomicBool);

impl InterruptFlag {
    fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Returns true if the caller put the flag up and has to write.
    #[must_use]
    fn raise(&self) -> bool {
        // AcqRel: Release pairs with the Acquire in `take`: the thread that ends the turn sees this
        // caller's earlier writes. A swap, not a load first: the second of two callers publishes
        // its work too.
        !self.0.swap(true, AcqRel)
    }

    /// Returns whether a blocking turn must not block.
    #[must_use]
    fn is_raised(&self) -> bool {
        // Acquire: pairs with `raise`, as in `take`.
        self.0.load(Acquire)
    }

    /// Puts the flag down; true when it was up.
    #[must_use]
    fn take(&self) -> bool {
        // AcqRel: Acquire pairs with the Release in `raise`. Release orders the turn before the
        // next raise that sees the flag down.
        self.0.swap(false, AcqRel)
    }
}
