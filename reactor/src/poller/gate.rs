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

use super::interrupt::InterruptFlag;
use super::poll_lock::{PollLock, Stay};
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

    /// Ends the blocking turn under way, or the next one; `write` makes the poll return.
    pub(crate) fn interrupt(&self, write: impl FnOnce()) {
        if self.flag.raise() {
            write();
        }
    }
}
