//! Handing over: a task that is about to wait for long gives its processor to another machine.

use std::rc::Rc;

use crate::scheduler::core::machine::{Machine, OffProcessor};
use crate::scheduler::core::processor::Processor;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::worker::start::try_start_with;
use crate::scheduler::{Context, RuntimeFlavor, Scheduler, shutdown};

/// Runs `wait` with the processor in another machine's hands. Afterwards the task continues with an
/// idle processor, or, if all are busy, without one until its poll ends.
pub(crate) fn with_processor_handed_over<R>(wait: impl FnOnce() -> R) -> R {
    // Counted before anything else: to hand over may start a thread, whose name a user's function
    // makes.
    let Some(context) = Context::of_driver() else { return wait() };
    let later = |what| Afterwards { context: context.clone(), what };
    let _later = context.set_batch_aside().then(|| later(Context::reopen_batch));
    let _afterwards = context.hand_over().then(|| later(Context::regain));
    shutdown::drop_queued_at_the_end(context.scheduler());
    wait()
}

/// The duty towards the context in which the call began, when it is over, by its return or by a
/// panic. Another context may be the innermost by then: a user's guard that was forgotten in
/// between.
pub(crate) struct Afterwards {
    pub(crate) context: Rc<Context>,
    pub(crate) what: fn(&Context),
}

impl Drop for Afterwards {
    fn drop(&mut self) {
        (self.what)(&self.context);
    }
}

impl Context {
    /// Returns whether there are other machines that could take this one's processor.
    pub(crate) fn has_stand_ins(&self) -> bool {
        self.machine().is_some() && self.scheduler().config.flavor == RuntimeFlavor::MultiThread
    }

    fn hand_over(&self) -> bool {
        if !self.has_stand_ins() {
            return false;
        }
        let Some(processor) = self.take_processor() else {
            return false;
        };
        processor.shared().watch().end_blocking();
        processor.shared().watch().set_computing(false);
        self.scheduler().observer.handed_over();
        self.put_down(&processor);
        match hand_over(self.scheduler(), processor) {
            Ok(()) => {
                self.set_off_processor(OffProcessor::HandedOver);
                self.note_in_place(true);
                true
            }
            Err(processor) => {
                self.take_up(processor);
                false
            }
        }
    }

    fn regain(&self) {
        self.set_off_processor(OffProcessor::No);
        self.note_in_place(false);
        if let Some(processor) = self.scheduler().idle.acquire() {
            self.take_up(processor);
        }
    }
}

/// Gives a processor, with all that waits on it, to an idle machine or a new one; back to the
/// caller if there is none and no thread can be created. It needs a machine even with nothing
/// to do: the one that gives it up may have been the last that would have looked at the
/// netpoller.
fn hand_over(scheduler: &Scheduler, processor: Box<Processor>) -> Result<(), Box<Processor>> {
    // A machine that took it during a shutdown would only leave.
    if scheduler.shutdown.has_begun() {
        return Err(processor);
    }
    match scheduler.idle.take_machine() {
        Some(machine) => {
            machine.deliver(processor);
            scheduler.rouse(&machine);
            Ok(())
        }
        None => try_start_with(scheduler, Machine::with_processor(processor)),
    }
}
