//! The place where a machine found the task that it polls next.

use std::fmt;

use wsrt_trace::TaskSource;

use crate::task::Runnable;

/// The place where a task was found: its kind in the low bits, and above them, for a theft, the
/// victim's index.
///
/// One number rather than an enum with a field, so that a task and its source travel in two
/// registers: each poll passes one on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundIn(u32);

impl FoundIn {
    /// The processor's own runnext.
    pub(crate) const RUNNEXT: Self = Self(TaskSource::Runnext as u32);
    /// The processor's own ring. The task may have come there from anywhere: with a batch that was
    /// stolen or taken from the injector, from the netpoller, or by a timer.
    pub(crate) const RING: Self = Self(TaskSource::Ring as u32);
    pub(crate) const INJECTOR: Self = Self(TaskSource::Injector as u32);
    /// The queue of the background tasks, which is an injector of its own: the same kind of place.
    pub(crate) const BACKGROUND: Self = Self(TaskSource::Injector as u32);
    /// Woken just before, by a turn of the netpoller or the timers that were fired with it.
    pub(crate) const NETWORK: Self = Self(TaskSource::Network as u32);
    /// Woken just before, by a timer of another processor that this machine fired.
    pub(crate) const TIMER: Self = Self(TaskSource::Timer as u32);

    /// The number of kinds.
    pub(crate) const KINDS: usize = TaskSource::MOST;

    /// The tasks of the processor with index `victim`: this is the oldest of those that were stolen
    /// from it just before.
    pub(crate) fn stolen_from(victim: usize) -> Self {
        Self(TaskSource::stolen_from(victim as u32))
    }

    /// Returns the number that the timeline records.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Returns the kind of place, as a number below [`KINDS`](Self::KINDS).
    #[inline]
    pub(crate) fn kind(self) -> usize {
        self.0 as usize % Self::KINDS
    }
}

impl fmt::Debug for FoundIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match TaskSource::from_number(self.0) {
            (_, Some(victim)) => write!(f, "stolen from P{victim}"),
            (source, None) => f.write_str(source.name()),
        }
    }
}

/// A task that was found, and the place where it was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) task: Runnable,
    pub(crate) source: FoundIn,
}

impl Runnable {
    /// Returns this task as one found in `source`.
    #[inline]
    pub(crate) fn found(self, source: FoundIn) -> Found {
        Found { task: self, source }
    }
}

#[cfg(all(test, not(wsrt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_found_in_has_its_kind_and_its_victim() {
        let victim = |source: FoundIn| TaskSource::from_number(source.number()).1;
        let sources = [FoundIn::RUNNEXT, FoundIn::RING, FoundIn::INJECTOR, FoundIn::NETWORK, FoundIn::TIMER];
        for (kind, source) in sources.into_iter().enumerate() {
            assert_eq!((source.kind(), victim(source)), (kind, None), "{source:?}");
        }
        for index in [0, 1, 63, 4095] {
            let stolen = FoundIn::stolen_from(index as usize);
            assert_eq!((stolen.kind(), victim(stolen)), (5, Some(index)), "{stolen:?}");
        }
    }
}
