//! Where a machine found the task that it polls next.

use std::fmt;

use crate::cell::Runnable;

/// The place where a task was found: its kind in the low bits, and above them, for a theft, the victim's index.
///
/// One number rather than an enum with a field, so that a task and its source travel in two registers: each poll passes one on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Source(u32);

impl Source {
    /// The processor's own runnext.
    pub(crate) const RUNNEXT: Self = Self(0);
    /// The processor's own ring. The task may have come there from anywhere: with a batch that was stolen or taken from the
    /// injector, from the netpoller, or by a timer.
    pub(crate) const RING: Self = Self(1);
    pub(crate) const INJECTOR: Self = Self(2);
    /// It was readied by the turn of the netpoller, or the timers that were looked at with it, just before.
    pub(crate) const NETWORK: Self = Self(3);
    /// It was readied just before by a timer of another processor, which the machine has fired for it.
    pub(crate) const TIMER: Self = Self(4);
    const STOLEN: u32 = 5;
    /// The queue of a `LocalSet`, which is polled within a task or a root future.
    pub(crate) const LOCAL: Self = Self(6);

    const KIND_BITS: u32 = 3;
    /// How many kinds there can be.
    pub(crate) const KINDS: usize = 1 << Self::KIND_BITS;

    /// The tasks of the processor with index `victim`: this is the oldest of those that were stolen from it just before.
    pub(crate) fn stolen_from(victim: usize) -> Self {
        Self((victim as u32) << Self::KIND_BITS | Self::STOLEN)
    }

    /// As a number, to be written down.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Which kind of place it is, as a number below [`KINDS`](Self::KINDS).
    #[inline]
    pub(crate) fn kind(self) -> usize {
        self.0 as usize % Self::KINDS
    }

    /// The index of the processor that the task was stolen from.
    pub(crate) fn victim(self) -> Option<usize> {
        (self.kind() == Self::STOLEN as usize).then_some((self.0 >> Self::KIND_BITS) as usize)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.victim() {
            Some(victim) => write!(f, "stolen from P{victim}"),
            None => f.write_str(["runnext", "ring", "injector", "network", "timer", "", "local", ""][self.kind()]),
        }
    }
}

/// A task that was found, and where.
pub(crate) struct Found {
    pub(crate) task: Runnable,
    pub(crate) source: Source,
}

impl Runnable {
    /// This task, found there.
    #[inline]
    pub(crate) fn found(self, source: Source) -> Found {
        Found { task: self, source }
    }
}

impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("task", &self.task).field("source", &self.source).finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_source_tells_its_kind_and_its_victim() {
        let sources = [Source::RUNNEXT, Source::RING, Source::INJECTOR, Source::NETWORK, Source::TIMER];
        for (kind, source) in sources.into_iter().enumerate() {
            assert_eq!((source.kind(), source.victim()), (kind, None), "{source:?}");
        }
        for victim in [0, 1, 63, 4095] {
            let stolen = Source::stolen_from(victim);
            assert_eq!((stolen.kind(), stolen.victim()), (5, Some(victim)), "{stolen:?}");
        }
    }
}
