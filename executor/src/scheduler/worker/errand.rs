//! Errands: tasks that events or timers have woken run at once on a temporary spare when every
//! processor is in a long poll.
//!
//! A machine that comes back from the netpoller with tasks and finds no processor idle leaves them
//! to the busy ones, which come to them in a moment: between polls. Where polls are long, that is
//! no moment. Then the machine takes a spare, runs these tasks and those that they ready, and takes
//! the spare out of play again: it neither steals nor looks into the injector, and goes after 1 ms
//! whatever it still has. So it adds no thread that computes, and the system, which lets the one
//! that was asleep run first, gives it a core at once.
//!
//! For that a machine has to be in the netpoller already: none is called there. Threads that wait
//! for a core look like long polls; and a poll owner beside busy processors has all events go
//! through one more thread, which doubled the 99th percentile of servers that share their cores.

use super::MachineLoop;
use super::driver::{Wait, WakeBatch};
use crate::scheduler::core::limits::LONGEST_ERRAND;
use crate::scheduler::core::processor::Processor;
use crate::scheduler::{RuntimeFlavor, Scheduler};

impl Scheduler {
    /// Returns whether, at the time `now`, no processor is idle, and each has long polls. Never on
    /// a current-thread runtime, where no other thread may run tasks.
    pub(crate) fn is_held_up(&self, now: u64) -> bool {
        let mut processors = self.processors.iter().enumerate();
        self.config.flavor == RuntimeFlavor::MultiThread
            && self.idle.count_idle() == 0
            && processors.all(|(index, processor)| self.idle.is_idle(index) || processor.has_long_polls(now))
    }
}

impl MachineLoop<'_> {
    /// Takes a spare on an errand, if every processor is held up.
    pub(crate) fn begin_errand(&self) -> Option<Box<Processor>> {
        let scheduler = self.scheduler;
        let now = scheduler.clock.elapsed();
        if !scheduler.is_held_up(now) {
            return None;
        }
        let processor = scheduler.processors.send_on_errand(now + LONGEST_ERRAND)?;
        scheduler.idle.add_busy(&processor);
        Some(processor)
    }

    /// Holds `processor` from now on, and runs `batch` on it, with the tasks of all timers that are
    /// due.
    pub(crate) fn run_errand(&mut self, processor: Box<Processor>, batch: WakeBatch) {
        let mut processor = self.context.begin_hold(processor);
        let due = self.driver.collect(&*self.scheduler.elsewhere, Wait::Skip, usize::MAX);
        let mut tasks = batch.into_tasks().chain(due.into_tasks());
        let placed = processor.push_own_batch(&mut tasks);
        self.scheduler.settle(processor.index(), placed);
        self.scheduler.injector.push_all(tasks);
        self.context.put_processor(processor);
    }

    /// Leaves the tasks of an errand that has lasted too long to the others. The processor goes
    /// when its machine finds nothing.
    #[cold]
    pub(crate) fn cut_errand_short(&self, processor: &mut Processor) {
        self.scheduler.part_with(processor);
        self.scheduler.wake_one();
    }
}
