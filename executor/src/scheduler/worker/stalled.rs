//! Tasks behind a poll that takes long, for a machine that is never out of work.
//!
//! Events of the network come before stealing. So while each of its looks at the netpoller finds
//! some, a machine never gets to steal; and the tasks in the ring of another wait for as
//! long as that one is stuck in a poll, or its thread waits for a core: Linux may take 4 ms to give
//! it back. Hence such a machine looks at one victim now and then, and robs it if that has polled
//! nothing since the look before.

use super::MachineLoop;
use crate::scheduler::core::found::Found;
use crate::scheduler::core::limits::STALLED;
use crate::scheduler::core::processor::Processor;

/// The processor that a machine watches, as it was when last looked at.
#[derive(Debug, Default)]
pub(crate) struct Suspect {
    index: usize,
    polls: u64,
    /// When that was, in nanoseconds.
    looked_at: u64,
}

impl MachineLoop<'_> {
    /// Robs the watched processor, if it has polled nothing for [`STALLED`], and watches the next
    /// one otherwise.
    #[inline]
    pub(crate) fn rob_stalled(&mut self, processor: &mut Processor) -> Option<Found> {
        let now = processor.clock().now();
        if now.saturating_sub(self.state.suspect.looked_at) < STALLED {
            return None;
        }
        self.state.suspect.looked_at = now;
        self.look_at_suspect(processor)
    }

    #[inline(never)]
    fn look_at_suspect(&mut self, processor: &mut Processor) -> Option<Found> {
        let scheduler = self.scheduler;
        let index = self.state.suspect.index;
        let suspect = scheduler.processors.get(index);
        let is_stalled = index != processor.index()
            && suspect.counters().polls() == self.state.suspect.polls
            && suspect.waiting() > 0
            && !scheduler.idle.is_idle(index);
        let found = if is_stalled { self.rob(processor, index, true) } else { None };
        match found {
            // It has still polled nothing: the rest of its tasks are wanted as soon as possible.
            Some(_) => self.state.suspect.looked_at = 0,
            None => self.watch_next(processor.index()),
        }
        found
    }

    fn watch_next(&mut self, own: usize) {
        let count = self.scheduler.processors.scan_len();
        let mut next = (self.state.suspect.index + 1) % count;
        if next == own {
            next = (next + 1) % count;
        }
        self.state.suspect.index = next;
        self.state.suspect.polls = self.scheduler.processors.get(next).counters().polls();
    }
}
