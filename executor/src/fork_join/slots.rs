//! Which slots of a region are taken, and whether it is closed: one word.
//!
//! A participant may claim the region's work while it has a slot. The owner closes the region in
//! one step from "I am the only participant", so that after that no other thread touches the data
//! that the owner has lent to the region.

use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Slots of a region at most, its owner's included: the bits of the word that are not flags.
pub(super) const MOST_SLOTS: usize = 62;

/// How often a participant looks for work in vain before it leaves, or naps between looks if it
/// has to stay: some 20 µs in all.
pub(super) const LOOKS: u32 = 64;

/// The owner sleeps, or is about to, until a participant leaves.
const AWAITED: u64 = 1 << 62;
/// No more slots are given out.
const CLOSED: u64 = 1 << 63;

/// The owner's slot, which is taken from the start.
pub(super) const OWNERS: usize = 0;

pub(super) struct Slots {
    word: AtomicU64,
    count: usize,
}

impl Slots {
    /// Makes `count` slots, all free, and the region closed until [`open`](Self::open).
    pub(super) fn new(count: usize) -> Self {
        assert!((1..=MOST_SLOTS).contains(&count), "a region has 1 to {MOST_SLOTS} slots");
        Self { word: AtomicU64::new(CLOSED), count }
    }

    /// Opens a closed region, with the owner in its slot.
    pub(super) fn open(&self) {
        // Release pairs with the Acquire in `enter`. The first time, the lock of the open regions
        // would do. When a region is opened again because work was left in a slot, the next
        // participant in that slot has to see it, and this store ends the release sequence of the
        // participants that left; their work is visible here, since `close` acquired it.
        self.word.store(1 << OWNERS, Release);
    }

    /// Takes a free slot. Returns `None` if there is none, or the region is closed.
    #[must_use]
    pub(super) fn enter(&self) -> Option<usize> {
        let mut word = self.word.load(Relaxed);
        loop {
            let slot = (!word).trailing_zeros() as usize;
            if word & CLOSED != 0 || slot >= self.count {
                return None;
            }
            // Acquire pairs with the Release in `leave` and in `open`: the work that the last
            // participant left in this slot is visible.
            match self.word.compare_exchange_weak(word, word | 1 << slot, Acquire, Relaxed) {
                Ok(_) => return Some(slot),
                Err(actual) => word = actual,
            }
        }
    }

    /// Gives a slot up. Returns `true` if the owner waits for that, and the caller has to wake it.
    #[must_use = "an owner that waits has to be woken"]
    pub(super) fn leave(&self, slot: usize) -> bool {
        // Release pairs with the Acquire in `enter` and in `close`: this participant's work is
        // visible to the next one in the slot, and to the owner when it returns.
        let before = self.word.fetch_and(!(1 << slot), Release);
        debug_assert!(before & 1 << slot != 0, "slot {slot} was taken");
        before & AWAITED != 0
    }

    /// Returns whether a slot is free. A hint.
    pub(super) fn has_room(&self) -> bool {
        self.word.load(Relaxed).trailing_ones() < self.count as u32
    }

    /// Returns whether a participant besides the owner has a slot.
    pub(super) fn has_others(&self) -> bool {
        self.word.load(Relaxed) & !(AWAITED | CLOSED | 1 << OWNERS) != 0
    }

    /// Closes the region if its owner is the only participant. Returns whether it has.
    #[must_use]
    pub(super) fn close(&self) -> bool {
        // Acquire pairs with the Release in `leave`: all calls of `leave` are one release sequence.
        self.word.compare_exchange(1 << OWNERS, CLOSED, Acquire, Relaxed).is_ok()
    }

    /// Announces that the owner is going to sleep until a participant leaves. Returns `false` if
    /// there is no other participant.
    #[must_use]
    pub(super) fn begin_wait(&self) -> bool {
        // Relaxed: the thread to wake is published by the lock under which the owner has put it. If
        // all have left by now, `close` acquires their work.
        let before = self.word.fetch_or(AWAITED, Relaxed);
        before & !(AWAITED | 1 << OWNERS) != 0
    }

    /// Returns whether the owner sleeps, or is about to. To be asked after a fence.
    pub(super) fn owner_waits(&self) -> bool {
        self.word.load(Relaxed) & AWAITED != 0
    }

    pub(super) fn end_wait(&self) {
        self.word.fetch_and(!AWAITED, Relaxed);
    }
}
