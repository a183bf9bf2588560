//! The poll owner: the one machine that blocks in the netpoller, and the deadline up to which it
//! will.

use crate::util::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::util::sync::atomic::{AtomicU64, fence};

const NOBODY: u64 = 0;

/// Says whether a machine blocks in the netpoller, and until when.
///
/// Timers that are armed from outside, or left behind by a processor that goes idle, may be due
/// before the poll owner meant to wake up. The two sides meet here as they do in the sleeping
/// protocol: the poll owner publishes its deadline, full barrier, looks at all timers once more;
/// the other side arms its timer, full barrier, looks at the poll owner's deadline.
#[derive(Debug)]
pub(crate) struct PollOwner(AtomicU64);

/// The answer to a timer's owner that looks at the poll owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Watch {
    /// The poll owner wakes up in time.
    InTime,
    /// The poll owner sleeps past the deadline and has to be interrupted.
    TooLate,
    /// No machine blocks in the netpoller.
    Unattended,
}

impl PollOwner {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(NOBODY))
    }

    /// Makes the caller the poll owner until `deadline`, unless there is one. The caller looks at
    /// all timers next, blocks neither past the deadline found there nor past `deadline`, on which
    /// others rely from now on, and leaves when it is done.
    #[must_use]
    pub(crate) fn take_over(&self, deadline: u64) -> bool {
        let taken = self.0.compare_exchange(NOBODY, deadline.max(1), Relaxed, Relaxed).is_ok();
        // Pairs with the fence in `watch`.
        fence(SeqCst);
        taken
    }

    pub(crate) fn leave(&self) {
        self.0.store(NOBODY, Relaxed);
    }

    pub(crate) fn is_present(&self) -> bool {
        self.0.load(Relaxed) != NOBODY
    }

    /// To be called after a timer for `deadline` was armed or left behind.
    pub(crate) fn watch(&self, deadline: u64) -> Watch {
        // Pairs with the fence in `take_over`.
        fence(SeqCst);
        match self.0.load(Relaxed) {
            NOBODY => Watch::Unattended,
            until if until > deadline => Watch::TooLate,
            _ => Watch::InTime,
        }
    }
}
