//! The post of a thread that drives a current-thread runtime: its machine, and the waker of its
//! root future.
//!
//! To make them takes longer than many a call of `block_on` does. So a thread that leaves the
//! runtime leaves its post with the processor, and finds it there at its next call, if no other
//! thread came between.

use std::sync::{Arc, Weak};
use std::task::{Wake, Waker};

use crate::scheduler::Scheduler;
use crate::scheduler::core::machine::{Machine, OffProcessor};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::sleep::WakingSide;
use crate::util::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::util::sync::atomic::{AtomicBool, fence};
use crate::util::threads::ThreadKey;

/// The references to a wakeup that a cached root has: its own, and its waker's.
const OWN_REFERENCES: usize = 2;

/// A machine, which belongs to its thread, and the waker of the root that is polled there.
pub(crate) struct CachedRoot {
    thread: ThreadKey,
    wakeup: Arc<RootWakeup>,
    /// A waker of `wakeup`.
    waker: Waker,
}

impl CachedRoot {
    /// Returns the post that this thread has left with `processor`, or a new one.
    pub(in crate::scheduler) fn take(scheduler: &Arc<Scheduler>, processor: Option<&mut Processor>) -> Box<Self> {
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

    /// Returns a post for a root that `machine`, this thread's machine, polls.
    pub(in crate::scheduler) fn of(machine: Arc<Machine>, scheduler: &Arc<Scheduler>) -> Box<Self> {
        let wakeup = Arc::new(RootWakeup::new(machine, scheduler));
        let waker = Waker::from(Arc::clone(&wakeup));
        Box::new(Self { thread: ThreadKey::of_this_thread(), wakeup, waker })
    }

    /// Prepares it for another root.
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
    pub(in crate::scheduler) fn leave_with(self: Box<Self>, processor: &mut Processor) {
        self.machine().status().set_off_processor(OffProcessor::Away);
        processor.cache(self);
    }

    pub(in crate::scheduler) fn machine(&self) -> &Arc<Machine> {
        self.wakeup.machine()
    }

    pub(in crate::scheduler) fn wakeup(&self) -> &RootWakeup {
        &self.wakeup
    }

    pub(in crate::scheduler) fn waker(&self) -> &Waker {
        &self.waker
    }

    /// The root's wakers that others have.
    pub(in crate::scheduler) fn count_wakers(&self) -> usize {
        Arc::strong_count(&self.wakeup).saturating_sub(OWN_REFERENCES)
    }
}

// The wakeup of a root future: what its wakers share, for any thread at any time.

/// Says whether the root future is to be polled, and by which machine.
pub(in crate::scheduler) struct RootWakeup {
    woken: AtomicBool,
    machine: Arc<Machine>,
    scheduler: Weak<Scheduler>,
}

impl RootWakeup {
    /// The wakeup of a root that has yet to be polled for the first time: that poll takes no wake.
    pub(in crate::scheduler) fn new(machine: Arc<Machine>, scheduler: &Arc<Scheduler>) -> Self {
        Self { woken: AtomicBool::new(false), machine, scheduler: Arc::downgrade(scheduler) }
    }

    pub(in crate::scheduler) fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    pub(in crate::scheduler) fn is_woken(&self) -> bool {
        self.woken.load(Acquire)
    }

    /// Takes the wake, if there is one.
    #[must_use]
    pub(in crate::scheduler) fn take(&self) -> bool {
        // There may be none, and a load costs less than a swap. Acquire pairs with the Release half
        // in `wake_by_ref`: the waker's writes are visible to the poll.
        self.is_woken() && self.woken.swap(false, AcqRel)
    }

    /// Clears the flag for a new root. Sound because no waker of the old root is left.
    pub(in crate::scheduler) fn clear(&self) {
        // Relaxed: wakers of the new root are made after it, by this thread.
        self.woken.store(false, Relaxed);
    }

    /// Leaves a wake for this thread itself.
    pub(in crate::scheduler) fn put(&self) {
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
