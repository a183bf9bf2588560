//! The post of a thread that drives a current-thread runtime: its machine, and the waker of its
//! root future.
//!
//! To make them takes longer than many a call of `block_on` does. So a thread that leaves the
//! runtime leaves its post with the processor, and finds it there at its next call, if no other
//! thread came between.

use std::sync::Arc;
use std::task::Waker;

use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::Machine;
use crate::scheduler::core::machine_status::OffProcessor;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::root_wakeup::RootWakeup;
use crate::util::sync::atomic::{Ordering::Acquire, fence};
use crate::util::thread_key::ThreadKey;

/// The references to a wakeup that a post has: its own, and that of its waker.
const OWN_REFERENCES: usize = 2;

/// A machine, which belongs to its thread, and the waker of the root that is polled there.
pub(crate) struct Post {
    thread: ThreadKey,
    wakeup: Arc<RootWakeup>,
    /// A waker of `wakeup`.
    waker: Waker,
}

impl Post {
    /// Returns the post that this thread has left with `processor`, or a new one.
    pub(super) fn take(scheduler: &Arc<Scheduler>, processor: Option<&mut Processor>) -> Box<Self> {
        let left = processor.and_then(Processor::take_cached::<Self>);
        match left.filter(|post| post.thread == ThreadKey::of_this_thread()) {
            Some(mut post) => {
                post.renew(scheduler);
                post
            }
            None => {
                let machine = Machine::new();
                machine.parker().adopt_current_thread();
                scheduler.threads.enroll(&machine);
                Self::of(machine, scheduler)
            }
        }
    }

    /// Returns a post for a root that `machine` polls, which is that of this thread.
    pub(super) fn of(machine: Arc<Machine>, scheduler: &Arc<Scheduler>) -> Box<Self> {
        let wakeup = Arc::new(RootWakeup::new(machine, scheduler));
        let waker = Waker::from(Arc::clone(&wakeup));
        Box::new(Self { thread: ThreadKey::of_this_thread(), wakeup, waker })
    }

    /// Makes it that of another root.
    fn renew(&mut self, scheduler: &Arc<Scheduler>) {
        self.machine().status().set_off_processor(OffProcessor::No);
        if self.count_wakers() > 0 {
            // They are of the root before, and not to wake this one: a thread that uses one late
            // rouses the machine at most, which finds nothing.
            *self = *Self::of(Arc::clone(self.machine()), scheduler);
            return;
        }
        // Pairs with the Release of the thread that dropped the last of them.
        fence(Acquire);
        self.wakeup.clear();
    }

    /// Leaves it with `processor`, for this thread's next call.
    pub(super) fn leave_with(self: Box<Self>, processor: &mut Processor) {
        self.machine().status().set_off_processor(OffProcessor::Away);
        processor.cache(self);
    }

    pub(super) fn machine(&self) -> &Arc<Machine> {
        self.wakeup.machine()
    }

    pub(super) fn wakeup(&self) -> &RootWakeup {
        &self.wakeup
    }

    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }

    /// The root's wakers that others have.
    pub(super) fn count_wakers(&self) -> usize {
        Arc::strong_count(&self.wakeup).saturating_sub(OWN_REFERENCES)
    }
}
