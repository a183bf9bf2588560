//! Resizing: how many processors there are for tasks is changed while the runtime runs.
//!
//! By hand, or as the quota of the control group changes, until it is set by hand the first time.

use crate::scheduler::Scheduler;
use crate::scheduler::core::processors::Resized;
use crate::scheduler::core::sleep::WakingSide;
use crate::util::sync::MutexGuard;

impl Scheduler {
    /// Lets `count` processors run tasks from now on, which is above zero and no more than there is
    /// room for. No quota changes it any more.
    pub(crate) fn resize(&self, count: usize) {
        let mut resized = self.resizes.0.lock();
        *resized = Resized::ByHand;
        self.set_regular(count, resized);
    }

    /// Lets as many processors run tasks as a quota allows. Returns `false` if the number was set
    /// by hand, and is not changed.
    #[must_use]
    pub(crate) fn resize_by_quota(&self, count: usize) -> bool {
        let resized = self.resizes.0.lock();
        let is_by_quota = *resized != Resized::ByHand;
        if is_by_quota {
            self.set_regular(count.clamp(1, self.processors.capacity()), resized);
        }
        is_by_quota
    }

    /// Makes `count` the number of regular processors, and sees to those that are too many now, and
    /// to the work for those that came: without the lock of the resizes, since a thread may have to
    /// be started, and users' code gives it its name.
    fn set_regular(&self, count: usize, resized: MutexGuard<'_, Resized>) {
        let before = self.processors.regular();
        (count..before).for_each(|_| self.processors.shrink());
        (before..count).filter_map(|_| self.processors.grow()).for_each(|processor| self.idle.add(processor));
        drop(resized);
        self.take_due_from_idle();
        if count < before {
            // Machines that are too many now sleep for the keep-alive time at most, and end.
            self.idle.everyone().iter().for_each(|machine| self.rouse(machine));
        }
        // As a machine that retires, after the last of them is on the list: work that came before
        // has met no idle processor.
        if count > before && self.work_is_visible() {
            self.wake_one();
        }
    }

    /// Takes processors out of play that are due and idle. The holders of the others do when their
    /// polls are over; a processor that becomes idle before that is found by the watcher, or by the
    /// machine that takes it up.
    pub(crate) fn take_due_from_idle(&self) {
        while self.processors.is_retirement_due() {
            let Some(idle) = self.idle.remove_from(self.processors.regular()) else { return };
            if self.end_play(idle) && self.work_is_visible() {
                self.wake_one();
            }
        }
    }
}
