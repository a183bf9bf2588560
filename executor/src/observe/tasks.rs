//! Statistics on tasks: who is to have some, and what is entered when.

use crate::observe::switches::Switch;
use crate::scheduler::Scheduler;
use crate::task::{CountedPoll, Identity, Runnable};

impl Scheduler {
    /// The identity of a task that is about to be made, with books if any are to be kept.
    #[inline]
    pub(crate) fn show_identity(&self, identity: Identity) -> Identity {
        if self.observer.is_on() { self.identify_observed(identity) } else { identity }
    }

    #[cold]
    #[inline(never)]
    fn identify_observed(&self, identity: Identity) -> Identity {
        if self.observer.switches.is_on(Switch::Tasks) { identity.with_counts() } else { identity }
    }
}

/// A poll is about to begin. It ends when the answer is dropped.
pub(crate) fn begin_poll(task: &Runnable) -> Option<CountedPoll> {
    task.begin_counted()
}

/// A task is about to be placed, because it was woken or spawned.
pub(crate) fn readied(task: &Runnable) {
    task.count_wake();
}
