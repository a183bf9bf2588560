//! Scheduling: where a task that is ready goes, which is the processor that the current thread
//! holds, or the injector.

use std::any::Any;
use std::sync::Arc;

use crate::scheduler::context::Placing;
use crate::scheduler::core::processor::{OverflowedTasks, Placed, Processor};
use crate::scheduler::core::queue::{HALF_RING, Injector};
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::{Context, Scheduler, shutdown};
use crate::task::{Runnable, Schedule, TaskQueue, TaskRef};

/// The part of the scheduler that a task knows: where it is.
///
/// The pointer is not counted. A scheduler waits, as it shuts down, until each of its tasks is
/// complete, and a `Runnable` exists only while its task is not: so the holder of a runnable in
/// hand may follow the pointer, until the runnable is in a queue. Nothing waits for a task that was
/// refused: [`Refused`](super::spawn::Refused) counts the scheduler until that task is complete.
///
/// The type tells a background task from an ordinary one, so that a wake asks no task which it is.
#[derive(Debug, Clone)]
pub(crate) struct Home<const BACKGROUND: bool> {
    pub(super) scheduler: *const Scheduler,
}

// SAFETY: the pointer leads to a `Scheduler`, which is Sync.
unsafe impl<const BACKGROUND: bool> Send for Home<BACKGROUND> {}
// SAFETY: as above.
unsafe impl<const BACKGROUND: bool> Sync for Home<BACKGROUND> {}

impl<const BACKGROUND: bool> Home<BACKGROUND> {
    /// Places a task that was woken: by `local` if this thread belongs to the scheduler, and in the
    /// injector otherwise.
    #[inline]
    fn place(&self, task: Runnable, local: impl FnOnce(&Context, Runnable)) {
        let elsewhere = Context::with(|context| match context {
            Some(context) if context.is_of(self.scheduler) => {
                context.scheduler().observer.woken(task, |task| local(context, task));
                None
            }
            _ => Some(self.inject(task)),
        });
        // Out here, for it may be the end of that scheduler, and of the user's hooks in it.
        drop(elsewhere);
    }

    /// Puts a task in the queue that all share of its class. Holds a counted reference, and returns
    /// it: as soon as the task is there, the scheduler might shut down before this call returns.
    #[inline(never)]
    fn inject(&self, task: Runnable) -> Arc<Scheduler> {
        let scheduler = self.counted();
        let queue = if BACKGROUND { &scheduler.background } else { &scheduler.injector };
        scheduler.observer.woken(task, |task| scheduler.push_shared(queue, task));
        scheduler
    }

    fn counted(&self) -> Arc<Scheduler> {
        // SAFETY: `scheduler` comes from `Arc::as_ptr`. It is alive, for the caller has a task that
        // is not complete: a listed one, or one that `Refused` has counted the scheduler for.
        unsafe { Arc::increment_strong_count(self.scheduler) };
        // SAFETY: the count was raised for this one.
        unsafe { Arc::from_raw(self.scheduler) }
    }
}

impl<const BACKGROUND: bool> Schedule for Home<BACKGROUND> {
    const IS_BACKGROUND: bool = BACKGROUND;

    #[inline]
    fn schedule(&self, task: Runnable) {
        if BACKGROUND { drop(self.inject(task)) } else { self.place(task, Context::place_next) }
    }

    #[inline]
    fn reschedule(&self, task: Runnable) {
        if BACKGROUND { drop(self.inject(task)) } else { self.place(task, Context::place_last) }
    }

    #[inline]
    fn release(&self, task: &TaskRef) -> Option<TaskRef> {
        // SAFETY: a task that was let in is listed until this call, and the scheduler waits for its
        // list to be empty. For one that was not, `Refused` has counted the scheduler.
        let scheduler = unsafe { &*self.scheduler };
        scheduler.observer.completed(task);
        // SAFETY: the caller that makes a `Home` binds its task to that scheduler's registry or to
        // none; this is called once.
        unsafe { scheduler.tasks.remove(task) }
    }

    #[cold]
    fn panicked(&self, task: &TaskRef, payload: &(dyn Any + Send)) {
        // Counted: the hook may drop whatever else keeps it.
        let scheduler = self.counted();
        scheduler.stalls.note_panic(task.id().as_u64());
        if scheduler.observer.asks_to_shut_down(task, payload) {
            shutdown::begin(&scheduler);
        }
    }
}

impl Context {
    /// Places a task that was woken or spawned: in runnext, where this thread holds a processor.
    ///
    /// Inlined always: it is in both arms of two doors, which is more than the compiler inlines by
    /// itself, and a call costs each spawn some 20 instructions.
    #[inline(always)]
    pub(super) fn place_next(&self, task: Runnable) {
        if self.placing() != Placing::Nearby {
            return self.place_in_line_or_batch(task, false);
        }
        self.place_with(task, Processor::push_next);
    }

    /// Places a task that was woken during its own poll: behind every task that waits already.
    #[inline]
    fn place_last(&self, task: Runnable) {
        if self.placing() != Placing::Nearby {
            return self.place_in_line_or_batch(task, true);
        }
        let wants_a_look = || self.scheduler().network_wants_a_look();
        self.place_with(task, |processor, task| processor.push_yielded(task, wants_a_look));
    }

    /// Places a task in order, or into the wake batch. `yielded` means that the task was woken
    /// during its own poll.
    #[inline(never)]
    fn place_in_line_or_batch(&self, task: Runnable, yielded: bool) {
        if self.placing() == Placing::InBatch {
            return self.put_in_batch(task);
        }
        let left = self.with_processor(|processor| match processor {
            Some(processor) => {
                self.scheduler().push_in_line(processor, task, yielded);
                None
            }
            None => Some(task),
        });
        if let Some(task) = left {
            self.scheduler().inject(task);
        }
    }

    /// Places a batch behind everything that waits, in its order if that fits into a ring. The
    /// injector, where a larger one goes, is looked into out of turn now and then.
    pub(crate) fn place_in_order(&self, mut batch: TaskQueue) {
        if !self.scheduler().config.keeps_order() && batch.len() > HALF_RING {
            return self.scheduler().inject_all(batch);
        }
        while let Some(task) = batch.pop_front() {
            self.place_last(task);
        }
    }

    #[inline(always)]
    fn place_with(&self, task: Runnable, push: impl FnOnce(&mut Processor, Runnable) -> Placed<'_>) {
        let scheduler = self.scheduler();
        let mut held = self.borrow_processor();
        match held.as_deref_mut() {
            Some(processor) if !self.is_blocking() => {
                let index = processor.index();
                match push(processor, task) {
                    Placed::InRunnext => return scheduler.idle.watcher().look_early(),
                    Placed::Quietly => return,
                    Placed::InEmptyRing => {}
                    Placed::Overflowed(tasks) => scheduler.take_overflow(index, tasks),
                }
                // A wake may start a thread, whose name a user's function makes: that finds the
                // processor in its place.
                drop(held);
                scheduler.wake_one();
            }
            _ => {
                drop(held);
                scheduler.inject(task);
            }
        }
    }
}

impl Scheduler {
    /// Completes a placement: overflow to the injector, and waking an idle machine. Not where the
    /// processor is borrowed from the context.
    #[inline]
    pub(crate) fn settle(&self, index: usize, placed: Placed<'_>) {
        match placed {
            Placed::InRunnext => self.idle.watcher().look_early(),
            Placed::Quietly => {}
            placed => self.settle_aloud(index, placed),
        }
    }

    #[inline(never)]
    fn settle_aloud(&self, index: usize, placed: Placed<'_>) {
        if let Placed::Overflowed(tasks) = placed {
            self.take_overflow(index, tasks);
        }
        self.wake_one();
    }

    #[inline(never)]
    fn take_overflow(&self, index: usize, tasks: OverflowedTasks<'_>) {
        self.processors.get(index).counters().overflows.add(1);
        let mut count = 0;
        self.injector.push_all(tasks.inspect(|_| count += 1));
        self.observer.overflow(index, count);
    }

    /// Puts a task behind all that wait, where tasks run in order. The caller holds the only
    /// processor, so that there is no idle one to announce it to.
    pub(crate) fn push_in_line(&self, processor: &mut Processor, task: Runnable, yielded: bool) {
        if !self.injector.is_empty() {
            return self.injector.push(task);
        }
        if yielded && processor.has_no_task() && self.network_wants_a_look() {
            processor.look_before_the_only_task();
        }
        if let Some(task) = processor.push_last(task) {
            processor.shared().counters().overflows.add(1);
            self.injector.push(task);
        }
    }

    /// Places a batch in the same way.
    pub(crate) fn push_all_in_line(&self, processor: &mut Processor, mut batch: TaskQueue) {
        if self.injector.is_empty() {
            processor.push_last_batch(&mut batch);
        }
        self.injector.push_all(batch);
    }

    /// Puts a task in the injector, for the machine that comes first.
    pub(crate) fn inject(&self, task: Runnable) {
        self.push_shared(&self.injector, task);
    }

    /// Puts a task in a queue that all processors share.
    #[inline(always)]
    pub(super) fn push_shared(&self, queue: &Injector<Runnable>, task: Runnable) {
        if let Some(simulation) = &self.simulation {
            simulation.note_caller();
        }
        queue.push(task);
        self.wake_one();
    }

    /// Puts a batch in the injector, in its order.
    pub(crate) fn inject_all(&self, batch: impl Iterator<Item = Runnable>) {
        let mut batch = batch.peekable();
        if batch.peek().is_none() {
            return;
        }
        self.injector.push_all(batch);
        self.wake_one();
    }
}
