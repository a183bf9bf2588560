//! Resizing: how many processors there are for tasks is changed while the runtime runs.
//!
//! By hand, or as the quota of the control group changes, until it is set by hand the first time.

use crate::scheduler::Scheduler;
use crate::scheduler::processor::Processor;
use crate::scheduler::processors::RetireRequest;
use crate::util::sync::Mutex;

/// Makes resizes one at a time.
#[derive(Debug)]
pub(crate) struct Resizes(Mutex<Resized>);

/// How the number of processors was set last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resized {
    /// By the builder, or by a quota.
    Found,
    ByHand,
}

impl Resizes {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Resized::Found))
    }
}

impl Scheduler {
    /// Lets `count` processors run tasks from now on, which is above zero and no more than there is
    /// room for. No quota changes it any more.
    pub(crate) fn resize(&self, count: usize) {
        let mut resized = self.resizes.0.lock();
        *resized = Resized::ByHand;
        self.resize_to(count);
    }

    /// Lets as many processors run tasks as a quota allows. Returns `false` if the number was set
    /// by hand, and is not changed.
    #[must_use]
    pub(crate) fn resize_by_quota(&self, count: usize) -> bool {
        let resized = self.resizes.0.lock();
        if *resized == Resized::ByHand {
            return false;
        }
        self.resize_to(count.clamp(1, self.processors.capacity()));
        true
    }

    /// Called with the lock of the resizes held.
    fn resize_to(&self, count: usize) {
        let before = self.processors.regular();
        for _ in count..before {
            self.processors.shrink();
        }
        self.take_due_from_idle();
        if count < before {
            // Those that are too many now sleep for the keep-alive time at most, and end.
            self.idle.everyone().iter().for_each(|machine| self.rouse(machine));
        }
        for _ in before..count {
            if let Some(processor) = self.processors.grow() {
                self.idle.add(processor);
            }
        }
        // As a machine that retires, after the last of them is on the list: work that came before
        // has met no idle processor.
        if count > before && self.work_is_visible() {
            self.wake_one();
        }
    }

    /// Takes processors out of play that are due and idle. The holders of the others do when their
    /// polls are over; one that becomes idle meanwhile is found by the watcher, or by the machine
    /// that takes it up.
    pub(crate) fn take_due_from_idle(&self) {
        while let Some(request) = self.processors.take_any_retire_request() {
            let Some(idle) = self.idle.remove_from(self.processors.regular()) else {
                return self.processors.leave_retire_request(request);
            };
            self.take_out_of_play(idle, request);
        }
    }

    /// Takes a processor out of play that was idle, or puts it back if the runtime has grown since.
    pub(crate) fn take_out_of_play(&self, idle: Box<Processor>, request: RetireRequest) {
        if let Some(regular) = self.processors.take_out_of_play(idle, request) {
            self.idle.add(regular);
            if self.work_is_visible() {
                self.wake_one();
            }
        }
    }
}
