//! Background tasks in the loop: when everything else has failed, and in their small share of a
//! busy processor's time.
//!
//! A background task that is ready is in one queue, `Scheduler::background`, wherever it was
//! spawned or woken. So a processor that polls one looks at everything else as soon as that poll
//! ends.

use super::MachineLoop;
use crate::scheduler::core::found::{Found, FoundIn};
use crate::scheduler::core::processor::Processor;

impl MachineLoop<'_> {
    /// The oldest background task, for a processor that has found no other, while the injector has
    /// none. Not while the root future has something to do, which continues after this look.
    #[inline(never)]
    pub(super) fn background(&self, processor: &mut Processor) -> Option<Found> {
        if !self.scheduler.background_may_run() || !self.scheduler.injector.is_empty() || self.is_root_woken() {
            return None;
        }
        self.one_from_background(processor)
    }

    /// The oldest background task, if this processor is so busy that it owes them some time. To be
    /// called at the first look after the poll of each, and now and then.
    pub(super) fn background_in_its_turn(&self, processor: &mut Processor) -> Option<Found> {
        let (now, share) = (processor.clock().now(), self.scheduler.config.background_share);
        if let Some(spent) = processor.fairness().end_background(now, share) {
            processor.shared().counters().background_time.add(spent);
        }
        if self.scheduler.background.is_empty() || !processor.fairness().owes_background(now, share) {
            return None;
        }
        self.one_from_background(processor)
    }

    fn one_from_background(&self, processor: &mut Processor) -> Option<Found> {
        let task = self.scheduler.background.take_batch(1)?.next()?;
        processor.begin_background(self.scheduler.clock.elapsed());
        Some(task.found(FoundIn::BACKGROUND))
    }
}
