//! The wakeup of a root future: what its wakers share, for any thread at any time.

use std::sync::{Arc, Weak};
use std::task::Wake;

use crate::scheduler::Scheduler;
use crate::scheduler::machine::Machine;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Release};

/// Whether the root future is to be polled, and the machine that does it.
pub(super) struct RootWakeup {
    woken: AtomicBool,
    machine: Arc<Machine>,
    scheduler: Weak<Scheduler>,
}

impl RootWakeup {
    /// The wakeup of a root that has yet to be polled for the first time.
    pub(super) fn new(machine: Arc<Machine>, scheduler: &Arc<Scheduler>) -> Self {
        Self { woken: AtomicBool::new(true), machine, scheduler: Arc::downgrade(scheduler) }
    }

    pub(super) fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    pub(super) fn is_woken(&self) -> bool {
        self.woken.load(Acquire)
    }

    /// Takes the wake, if there is one.
    #[must_use]
    pub(super) fn take(&self) -> bool {
        // Acquire pairs with the Release half in `wake_by_ref`: the waker's writes are visible to
        // the poll.
        self.woken.swap(false, AcqRel)
    }

    /// Leaves a wake for this thread itself.
    pub(super) fn put(&self) {
        self.woken.store(true, Release);
    }
}

impl Wake for RootWakeup {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // AcqRel: Release pairs with the Acquire of the poll that answers.
        if self.woken.swap(true, AcqRel) {
            return;
        }
        match self.scheduler.upgrade() {
            Some(scheduler) => scheduler.rouse(&self.machine),
            None => drop(self.machine.parker().unpark()),
        }
    }
}
