//! The stride of one participant: how many indices it claims at a time, so that a claim is about a
//! microsecond of work (OpenMP: the chunk size, but found by measuring).
//!
//! A claim costs some nanoseconds, and claimed indices cannot be stolen. The pace is measured: the
//! clock is read once in some claims, and the stride follows the time that they took. After
//! expensive indices it falls at once; it grows by a factor of four at most, so that a few cheap
//! indices do not bet much on the next.

use std::time::Instant;

use crate::util::sync;

/// How long a stride should take, in nanoseconds.
const AIM: u64 = 1_000;

/// Most claims between two readings of the clock, which costs as much as several claims.
const BEAT: u32 = 8;

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

    /// Notes that the `indices` of one claim are done. Returns the time now and then: about once in
    /// ten microseconds, or after each claim where those take longer.
    #[inline]
    pub(super) fn note(&mut self, indices: u32) -> Option<Instant> {
        self.done = self.done.saturating_add(indices);
        self.ahead -= 1;
        if self.ahead > 0 { None } else { Some(self.read_clock()) }
    }

    fn read_clock(&mut self) -> Instant {
        let now = sync::now();
        self.adapt(now.duration_since(self.read).as_nanos() as u64);
        self.read = now;
        now
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

#[cfg(all(test, not(loom)))]
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
