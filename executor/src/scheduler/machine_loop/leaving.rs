//! Leaving: a thread that ends its loop gives its processor up, and leaves nothing behind that no
//! other sees to.

use super::MachineLoop;
use crate::scheduler::processor::Processor;

impl MachineLoop<'_> {
    /// Ends the loop inside a task: the task goes on with a processor, if there is one.
    pub(crate) fn leave_to_task(&mut self) {
        if let Some(processor) = self.stand_up() {
            self.context.take_up(processor);
        }
    }

    /// Gives a processor up for good. `false` if no machine is there that could take it: then work
    /// and timers wait for the next thread to come, which looks at them.
    fn give_up(&self, processor: Box<Processor>) -> bool {
        if self.scheduler.config.keeps_order() {
            return self.scheduler.idle.give_up_only(processor);
        }
        self.scheduler.idle.give_up(processor, None);
        true
    }

    /// Ends this machine's part: whatever its processor holds goes to the injector, the processor
    /// to the idle.
    pub(crate) fn leave(&mut self) {
        let delivered = |machine: &mut Self| Some(machine.context.begin_hold(machine.stand_up()?));
        let mut held = self.context.take_processor().or_else(|| delivered(self));
        if let Some(processor) = held.take_if(|processor| processor.is_on_errand()) {
            self.retire_for_good(processor);
        }
        if let Some(mut processor) = held {
            self.context.put_down(&processor);
            self.scheduler.part_with(&mut processor);
            if !self.give_up(processor) {
                return;
            }
        }
        if self.scheduler.shutdown.has_begun() {
            return;
        }
        // This machine may have been the one to watch the network and the timers: then another has
        // to. A machine that goes to sleep now sees that there is no poll owner, or is on the list
        // already and is seen here.
        if self.scheduler.work_is_visible() || !self.scheduler.poll_owner.is_present() {
            self.scheduler.wake_one();
        }
        // A poll owner may mean to sleep past the timers that were armed here. Not only if none was
        // woken: a machine that was finds work, and may be busy with it for longer than until they
        // are due.
        self.watch_own_deadlines();
    }
}
