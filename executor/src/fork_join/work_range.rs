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
use std::time::Instant;

use crate::util::sync;
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

/// How long a stride should take, in nanoseconds.
const AIM: u64 = 1_000;

/// Most claims between two readings of the clock, which costs as much as several claims.
const BEAT: u32 = 8;

/// The stride of one participant: how many indices it claims at a time, so that a claim is about a
/// microsecond of work (OpenMP: the chunk size, but found by measuring).
///
/// A claim costs some nanoseconds, and claimed indices cannot be stolen. The pace is measured: the
/// clock is read once in some claims, and the stride follows the time that they took. After
/// expensive indices it falls at once; it grows by a factor of four at most, so that a few cheap
/// indices do not bet much on the next.
#[derive(Debug)]
pub(super) struct ClaimPace {
    stride: u32,
    /// Claims until the next reading.
    ahead: u32,
    /// Indices since the last reading.
    done: u32,
    read: Instant,
}

impl ClaimPace {
    pub(super) fn new() -> Self {
        Self { stride: 1, ahead: BEAT, done: 0, read: sync::now() }
    }

    pub(super) fn stride(&self) -> u32 {
        self.stride
    }

    /// Notes that the `indices` of one claim are done. Returns `true` about once in ten
    /// microseconds, or after each claim where those take longer.
    #[inline]
    pub(super) fn note(&mut self, indices: u32) -> bool {
        self.done = self.done.saturating_add(indices);
        self.ahead -= 1;
        let is_due = self.ahead == 0;
        if is_due {
            self.read_clock();
        }
        is_due
    }

    fn read_clock(&mut self) {
        let now = sync::now();
        self.adapt(now.duration_since(self.read).as_nanos() as u64);
        self.read = now;
    }

    fn adapt(&mut self, took: u64) {
        let fitting = u64::from(self.done) * AIM / took.max(1);
        let most = u64::from(self.stride) * 4;
        self.stride = u32::try_from(fitting.min(most)).unwrap_or(u32::MAX).max(1);
        // As many claims as make a beat at the aim. A stride of one may take any time at all.
        let claim = took / u64::from(self.done.div_ceil(self.stride)).max(1);
        self.ahead = (u64::from(BEAT) * AIM / claim.max(AIM)).max(1) as u32;
        self.done = 0;
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn strides_grow_slowly_for_cheap_indices_and_shrink_at_once() {
        let mut pace = ClaimPace::new();
        for expected in [4, 16, 64, 100, 100] {
            pace.done = pace.stride * BEAT;
            // 10 ns each: a stride of 100 takes a microsecond.
            pace.adapt(u64::from(pace.done) * 10);
            assert_eq!(pace.stride, expected);
        }
        pace.done = pace.stride * BEAT;
        pace.adapt(u64::from(pace.done) * 5_000);
        assert_eq!(pace.stride, 1);
    }

    #[test]
    fn a_stopped_clock_and_unbounded_counts_are_no_trouble() {
        let mut pace = ClaimPace::new();
        for _ in 0..40 {
            pace.done = u32::MAX;
            pace.adapt(0);
        }
        assert_eq!(pace.stride, u32::MAX);
    }
}
