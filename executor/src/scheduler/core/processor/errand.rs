//! The errand that a processor may be on: see `worker/errand.rs`.

use super::Processor;

/// When the errand ends, in nanoseconds of the scheduler's clock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Errand(u64);

impl Errand {
    pub(super) const NONE: Self = Self(u64::MAX);
}

impl Processor {
    /// An errand begins that is to end at `end`.
    pub(in crate::scheduler) fn begin_errand(&mut self, end: u64) {
        self.errand = Errand(end);
    }

    /// Whether it was on one, which is over now.
    #[must_use]
    pub(in crate::scheduler) fn end_errand(&mut self) -> bool {
        std::mem::replace(&mut self.errand, Errand::NONE) != Errand::NONE
    }

    #[inline]
    pub(crate) fn is_on_errand(&self) -> bool {
        self.errand != Errand::NONE
    }

    /// Whether this is on an errand that has lasted long enough.
    #[inline]
    pub(crate) fn is_errand_over(&self, now: u64) -> bool {
        now > self.errand.0
    }
}
