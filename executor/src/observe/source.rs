//! Where a machine found the task that it polls next.

use std::fmt;

use wsrt_trace::TaskSource;

use crate::task::Runnable;

/// The place where a task was found: its kind in the low bits, and above them, for a theft, the
/// victim's index.
///
/// One number rather than an enum with a field, so that a task and its source travel in two
/// registers: each poll passes one on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Source(u32);

impl Source {
    /// The processor's own runnext.
    pub(crate) const RUNNEXT: Self = Self(TaskSource::Runnext as u32);
    /// The processor's own ring. The task may have come there from anywhere: with a batch that was
    /// stolen or taken from the injector, from the netpoller, or by a timer.
    pub(crate) const RING: Self = Self(TaskSource::Ring as u32);
    pub(crate) const INJECTOR: Self = Self(TaskSource::Injector as u32);
    /// It was readied by the turn of the netpoller, or the timers that were looked at with it, just
    /// before.
    pub(crate) const NETWORK: Self = Self(TaskSource::Network as u32);
    /// It was readied just before by a timer of another processor, which the machine has fired for
    /// it.
    pub(crate) const TIMER: Self = Self(TaskSource::Timer as u32);
    /// The queue of a `LocalSet`, which is polled within a task or a root future.
    pub(crate) const LOCAL: Self = Self(TaskSource::Local as u32);

    /// How many kinds there can be.
    pub(crate) const KINDS: usize = TaskSource::MOST;

    /// The tasks of the processor with index `victim`: this is the oldest of those that were stolen
    /// from it just before.
    pub(crate) fn stolen_from(victim: usize) -> Self {
        Self(TaskSource::stolen_from(victim as u32))
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
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match TaskSource::from_number(self.0) {
            (_, Some(victim)) => write!(f, "stolen from P{victim}"),
            (source, None) => f.write_str(source.name()),
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
        let victim = |source: Source| TaskSource::from_number(source.number()).1;
        let sources = [Source::RUNNEXT, Source::RING, Source::INJECTOR, Source::NETWORK, Source::TIMER];
        for (kind, source) in sources.into_iter().enumerate() {
            assert_eq!((source.kind(), victim(source)), (kind, None), "{source:?}");
        }
        for index in [0, 1, 63, 4095] {
            let stolen = Source::stolen_from(index as usize);
            assert_eq!((stolen.kind(), victim(stolen)), (5, Some(index)), "{stolen:?}");
        }
    }
}
