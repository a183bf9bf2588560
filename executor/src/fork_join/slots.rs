//! Which slots of a region are taken, and whether it is closed: one word.
//!
//! To enter is the right to claim what lies in the region. Its owner closes it in one step from
//! "nobody sits here but me", so that after that nobody touches what the owner has borrowed it.

use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Slots at most: bits of the word that are not flags.
pub(crate) const MOST: usize = 62;

/// The owner sleeps until somebody leaves.
const AWAITED: u64 = 1 << 62;
/// Nobody sits down any more.
const CLOSED: u64 = 1 << 63;

/// The owner's slot, which is taken from the start.
pub(super) const OWNERS: usize = 0;

pub(super) struct Slots {
    word: AtomicU64,
    count: usize,
}

/// What became of an owner's wish to close.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Closing {
    Closed,
    /// Others enter here still.
    OthersPresent,
}

impl Slots {
    /// `count` slots, all free, and the region closed until [`open`](Self::open).
    pub(super) fn new(count: usize) -> Self {
        assert!((1..=MOST).contains(&count), "a region has 1 to {MOST} slots");
        Self { word: AtomicU64::new(CLOSED), count }
    }

    /// Opens a closed region, with the owner in its slot.
    pub(super) fn open(&self) {
        // Release pairs with the Acquire in `enter`. The first time, the board's lock would do.
        // When a region is opened again because something was left in a slot, the next in that slot
        // has to see it, and this store ends the release sequence of those who left; what they did
        // is visible here, since `close` acquired it.
        self.word.store(1 << OWNERS, Release);
    }

    /// Takes a free slot. `None` if there is none, or the region is closed.
    #[must_use]
    pub(super) fn enter(&self) -> Option<usize> {
        let mut word = self.word.load(Relaxed);
        loop {
            let slot = (!word).trailing_zeros() as usize;
            if word & CLOSED != 0 || slot >= self.count {
                return None;
            }
            // Acquire pairs with the Release in `leave` and in `open`: what the last one in this
            // slot left there is visible.
            match self.word.compare_exchange_weak(word, word | 1 << slot, Acquire, Relaxed) {
                Ok(_) => return Some(slot),
                Err(actual) => word = actual,
            }
        }
    }

    /// Gives a slot up. `true` if the owner waits for that and has to be woken.
    #[must_use = "an owner that waits has to be woken"]
    pub(super) fn leave(&self, slot: usize) -> bool {
        // Release pairs with the Acquire in `enter` and in `close`: what was done here is visible
        // to the next, and to the owner when it returns.
        let before = self.word.fetch_and(!(1 << slot), Release);
        debug_assert!(before & 1 << slot != 0, "slot {slot} was taken");
        before & AWAITED != 0
    }

    /// Whether anybody but the owner sits here.
    pub(super) fn has_others(&self) -> bool {
        self.word.load(Relaxed) & !(AWAITED | CLOSED | 1 << OWNERS) != 0
    }

    /// Closes the region if its owner is the last in it.
    pub(super) fn close(&self) -> Closing {
        // Acquire pairs with the Release in `leave`: all leaves are one release sequence.
        match self.word.compare_exchange(1 << OWNERS, CLOSED, Acquire, Relaxed) {
            Ok(_) => Closing::Closed,
            Err(_) => Closing::OthersPresent,
        }
    }

    /// Announces that the owner is going to sleep until somebody leaves. `false` if nobody is there
    /// to do so.
    #[must_use]
    pub(super) fn begin_wait(&self) -> bool {
        // Relaxed: whom to wake is published by the lock under which the owner has named itself. If
        // all have left by now, `close` acquires what they did.
        let before = self.word.fetch_or(AWAITED, Relaxed);
        before & !(AWAITED | 1 << OWNERS) != 0
    }

    /// Whether the owner sleeps, or is about to. To be asked after a fence.
    pub(super) fn owner_waits(&self) -> bool {
        self.word.load(Relaxed) & AWAITED != 0
    }

    pub(super) fn end_wait(&self) {
        self.word.fetch_and(!AWAITED, Relaxed);
    }
}

impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x} of {}", self.word.load(Relaxed), self.count)
    }
}
