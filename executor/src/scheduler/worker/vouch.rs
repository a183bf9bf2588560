//! Vouching: between two polls a machine sees to what waits behind the polls of others, so that the
//! watcher need not look at these yet.
//!
//! A poll that lasts is mostly one whose thread has lost its core for a moment. To wake the watcher
//! takes some 40 µs of a core, and what it would do first a machine can do as well.

use super::MachineLoop;
use crate::scheduler::core::watcher_sleep::{LONGEST_VOUCH, SeenPoll};

impl MachineLoop<'_> {
    /// Gives the injector what waits behind the polls that are in `seen` already, except for this
    /// machine's `own`. Returns whether nothing is left to the watcher: no timer, no poll that has
    /// lasted for long, and enough processors whose polls return.
    pub(super) fn relieve_others(&self, own: usize, now: u64, seen: &mut Vec<SeenPoll>) -> bool {
        let scheduler = self.scheduler;
        seen.resize(scheduler.processors.scan_len(), SeenPoll { stamp: None, since: now });
        let threshold = scheduler.config.stall_threshold.map_or(u64::MAX, |threshold| threshold.as_nanos() as u64);
        let longest = LONGEST_VOUCH.min(threshold / 2);
        let (mut staying, mut is_all) = (0, true);
        for (index, (processor, seen)) in scheduler.processors.iter().zip(seen).enumerate() {
            let stamp = scheduler.poll_stamp(index);
            if stamp.is_none() || stamp != seen.stamp {
                *seen = SeenPoll { stamp, since: now };
            } else if index != own {
                staying += 1;
                if processor.waiting() > 0 {
                    scheduler.inject_all(processor.rob());
                }
                let is_timer_due = processor.timers().next_deadline() <= scheduler.clock.timer_time(now);
                is_all &= !is_timer_due && now.saturating_sub(seen.since) < longest;
            }
        }
        is_all && 2 * staying <= scheduler.processors.regular()
    }
}
