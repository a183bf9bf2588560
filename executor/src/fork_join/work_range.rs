//! A range: the indices that lie before one participant of a loop, in one word.
//!
//! Its owner takes a stride from the front, a thief the front half, each with one compare-and-swap.
//! So every index is claimed once. Which half a thief takes is the same for costs in no order; the
//! front one keeps all participants near the front, so that where the great items come first they
//! are begun first, and the small ones even out the end. Values do not come back with another
//! meaning: a range says which indices of the loop are unclaimed and lie here, and a claim that
//! succeeds on an equal value is right however it came about.

use std::ops::Range;

use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A stride is at most this part of what is left, so that the end of a loop can be shared.
const PART: u32 = 8;

/// The word. Relaxed throughout: it says who may touch which index and publishes nothing; what was
/// done with the indices is published by leaving the slot.
pub(super) struct WorkRange(AtomicU64);

fn pack(range: Range<u32>) -> u64 {
    u64::from(range.end) << 32 | u64::from(range.start)
}

fn unpack(word: u64) -> Range<u32> {
    word as u32..(word >> 32) as u32
}

impl WorkRange {
    pub(super) fn empty() -> Self {
        Self(AtomicU64::new(0))
    }

    pub(super) fn load(&self) -> Range<u32> {
        unpack(self.0.load(Relaxed))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.load().is_empty()
    }

    /// Takes up to `stride` indices from the front. For the owner.
    #[must_use]
    #[inline]
    pub(super) fn claim(&self, stride: u32) -> Option<Range<u32>> {
        self.shrink(|now| {
            let part = (now.end - now.start) / PART;
            let cut = now.start + stride.min(part).max(1);
            (now.start..cut, cut..now.end)
        })
    }

    /// Takes the front half of what is left: the greater half, so that a last index can be taken
    /// too. For thieves.
    #[must_use]
    pub(super) fn steal(&self) -> Option<Range<u32>> {
        self.shrink(|now| {
            let cut = now.end - (now.end - now.start) / 2;
            (now.start..cut, cut..now.end)
        })
    }

    /// Puts `range` here. For the owner of the slot, which has found the range empty: nobody else
    /// fills it.
    pub(super) fn fill(&self, range: Range<u32>) {
        debug_assert!(self.is_empty(), "what lies here would be lost");
        self.0.store(pack(range), Relaxed);
    }

    /// `split` says what is taken and what is left.
    #[inline]
    fn shrink(&self, split: impl Fn(&Range<u32>) -> (Range<u32>, Range<u32>)) -> Option<Range<u32>> {
        let mut word = self.0.load(Relaxed);
        loop {
            let now = unpack(word);
            if now.is_empty() {
                return None;
            }
            let (taken, left) = split(&now);
            match self.0.compare_exchange_weak(word, pack(left), Relaxed, Relaxed) {
                Ok(_) => return Some(taken),
                Err(actual) => word = actual,
            }
        }
    }
}

impl std::fmt::Debug for WorkRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.load().fmt(f)
    }
}
