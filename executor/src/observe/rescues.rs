//! The count of what sysmon did in the machines' stead.

use std::fmt;

use crate::observe::counters::Counter;
use crate::util::sync;

/// The rescues in one runtime. Written by its watcher alone.
#[derive(Debug, Default)]
pub(crate) struct Rescues {
    all: Counter,
    /// The rescues that no long poll explains.
    unexplained: Counter,
}

impl Rescues {
    /// Counts one that a poll explains.
    pub(crate) fn count(&self) {
        self.all.add(1);
    }

    /// Counts one where a machine slept beside work. A schedule under control ends here, as failed.
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
