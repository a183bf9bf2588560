//! Counts what sysmon did on behalf of the machines.

use std::fmt;

use crate::observe::counters::Counter;
use crate::util::sync;

/// The rescues in one runtime, written by its watcher thread alone.
#[derive(Debug, Default)]
pub(crate) struct Rescues {
    all: Counter,
    /// The number of rescues that no long poll explains.
    unexplained: Counter,
}

impl Rescues {
    /// Counts a rescue that a long poll explains.
    pub(crate) fn count(&self) {
        self.all.add(1);
    }

    /// Counts a rescue where a machine slept despite work. Under a controlled schedule, this is a
    /// failure.
    pub(crate) fn count_unexplained(&self, beside: impl fmt::Debug) {
        self.all.add(1);
        self.unexplained.add(1);
        sync::fail(format_args!("a machine slept beside work, and sysmon had to wake it: {beside:?}"));
    }

    pub(crate) fn all(&self) -> u64 {
        self.all.get()
    }

    pub(crate) fn unexplained(&self) -> u64 {
        self.unexplained.get()
    }
}
