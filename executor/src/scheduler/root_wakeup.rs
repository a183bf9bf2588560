//! The wakeup of a root future: what its wakers share, for any thread at any time.

use std::sync::{Arc, Weak};
use std::task::Wake;

use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::Machine;
use crate::util::sync::atomic::AtomicBool;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Whether the root future is to be polled, and the machine that does it.
pub(super) struct RootWakeup {
    woken: AtomicBool,
    machine: Arc<Machine>,
    scheduler: Weak<Scheduler>,
}

impl RootWakeup {
    /// The wakeup of a root that has yet to be polled for the first time: that poll takes no wake.
    pub(super) fn new(machine: Arc<Machine>, scheduler: &Arc<Scheduler>) -> Self {
        Self { woken: AtomicBool::new(false), machine, scheduler: Arc::downgrade(scheduler) }
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
        // Asked before each task, and seldom true: a load costs less than a swap. Acquire pairs
        // with the Release half in `wake_by_ref`: the waker's writes are visible to the poll.
        self.is_woken() && self.woken.swap(false, AcqRel)
    }

    /// Makes it that of a new root: whatever the one before has left is no wake. No waker of that
    /// one is anywhere any more.
    pub(super) fn clear(&self) {
        // Relaxed: wakers of the new root are made after it, by this thread.
        self.woken.store(false, Relaxed);
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
            Some(scheduler) => {
                if let Some(simulation) = &scheduler.simulation {
                    simulation.note_caller();
                }
                scheduler.rouse(&self.machine);
            }
            None => drop(self.machine.parker().unpark()),
        }
    }
}
