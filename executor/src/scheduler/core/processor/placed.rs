//! Where a task goes that a processor's holder has readied.

use super::runnable;
use crate::scheduler::core::queue::Overflow;
use crate::task::{Header, Runnable};

/// Where a task that was readied by this processor's holder has gone.
#[must_use]
pub(crate) enum Placed<'a> {
    /// In runnext, or behind other tasks that were announced to the idle: no machine needs a wake.
    Quietly,
    /// In a ring that was empty: an idle processor should hear of it.
    InEmptyRing,
    /// The ring was full: these go to the injector.
    Overflowed(OverflowedTasks<'a>),
}

/// The oldest half of a full ring and the task that did not fit.
pub(crate) struct OverflowedTasks<'a>(pub(super) Overflow<'a, Header>);

impl Iterator for OverflowedTasks<'_> {
    type Item = Runnable;

    fn next(&mut self) -> Option<Runnable> {
        self.0.next().map(runnable)
    }
}
