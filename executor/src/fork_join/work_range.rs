//! A work range: the indices in one slot of a loop that are not claimed yet, in one word.
//!
//! The slot's participant claims a stride from the front, a thief the front half, each with one
//! compare-and-swap. So every index is claimed once. If costs come in no order, it does not matter
//! which half a thief takes. The front half keeps all participants near the front: where the large
//! items come first, they are begun first, and the small ones even out the end.
//!
//! There is no ABA problem: a range says which indices of the loop are unclaimed and in this slot,
//! and a claim that succeeds on an equal value is right however that value came about.

use std::ops::Range;

use crate::util::sync::atomic::AtomicU64;
use crate::util::sync::atomic::Ordering::Relaxed;

/// A stride is at most one part in so many of the range, so that the end of a loop can be shared.
const PART: u32 = 8;

/// The word. Relaxed throughout: it decides which participant may touch which index and publishes
/// nothing; a participant's work on its indices is published as it leaves its slot.
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

    /// Claims up to `stride` indices from the front. For the slot's participant.
    #[must_use]
    #[inline]
    pub(super) fn claim(&self, stride: u32) -> Option<Range<u32>> {
        self.shrink(|now| {
            let part = (now.end - now.start) / PART;
            let cut = now.start + stride.min(part).max(1);
            (now.start..cut, cut..now.end)
        })
    }

    /// Takes the front half of the range, the larger half, so that a last index can be taken too.
    /// For thieves.
    #[must_use]
    pub(super) fn steal(&self) -> Option<Range<u32>> {
        self.shrink(|now| {
            let cut = now.end - (now.end - now.start) / 2;
            (now.start..cut, cut..now.end)
        })
    }

    /// Puts `range` here. For the slot's participant, which has found the range empty: no other
    /// thread fills it.
    pub(super) fn fill(&self, range: Range<u32>) {
        debug_assert!(self.is_empty(), "the indices that are here would be lost");
        self.0.store(pack(range), Relaxed);
    }

    /// Takes the first of the two ranges that `split` returns, and leaves the second.
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
