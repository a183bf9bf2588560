//! Handing a processor over: what a machine does before it blocks with a task in hand.

use crate::players::{Machine, Processor};
use crate::policy::{Context, Flavor, Scheduler};

/// Runs `block`, which may block the thread, with the processor in other hands meanwhile.
///
/// On a thread without a processor, and on a current-thread runtime, which has nobody else to run it, `block` is just
/// called. Afterwards the task goes on with an idle processor, or, if all are busy, without one until its poll ends.
pub(crate) fn block_in_place<R>(block: impl FnOnce() -> R) -> R {
    let handed_over = Context::with(|context| context.is_some_and(Context::hand_over));
    let _regain = handed_over.then(|| Regain);
    block()
}

struct Regain;

impl Drop for Regain {
    fn drop(&mut self) {
        Context::with(|context| {
            if let Some(context) = context {
                context.regain();
            }
        });
    }
}

impl Context {
    fn hand_over(&self) -> bool {
        if self.scheduler().config.flavor == Flavor::CurrentThread {
            return false;
        }
        let Some(processor) = self.take_processor() else {
            return false;
        };
        match self.scheduler().hand_over(processor) {
            Ok(()) => true,
            Err(processor) => {
                self.put_processor(processor);
                false
            }
        }
    }

    fn regain(&self) {
        if let Some(mut processor) = self.scheduler().idle.acquire() {
            let now = self.scheduler().now();
            processor.clock().resume(now);
            self.put_processor(processor);
        }
    }
}

impl Scheduler {
    /// Gives a processor, with all that waits on it, to an idle machine or a new one; back to the caller if there is none
    /// and no thread can be created. It needs a machine even with nothing to do: the one that gives it up may have
    /// been the last that would have looked at the netpoller.
    fn hand_over(&self, processor: Box<Processor>) -> Result<(), Box<Processor>> {
        match self.idle.take_machine() {
            Some(machine) => {
                machine.deliver(processor);
                self.rouse(&machine);
                Ok(())
            }
            None => self.try_start_with(Machine::with_processor(processor)),
        }
    }
}
