//! Summoning helpers: how many a region may have now, and which machine comes.
//!
//! A helper computes in the time of an idle processor, and the processor stays on the idle list
//! meanwhile. So async work finds the processor there as ever and wakes a machine for it, and a
//! helper that sees more helpers than idle processors leaves at its next claim. Spawning and waking
//! tasks know nothing of regions.
//!
//! A loop gets the idle processors, and its owner's own processor, which is its share. Only when no
//! other processor runs tasks does sysmon put a spare processor into play, as for any long poll.

use crate::fork_join::regions::Regions;
use crate::fork_join::slots::MOST_SLOTS;
use crate::scheduler::core::idle::SpareHand;
use crate::scheduler::worker::start::start_idle_machine;
use crate::scheduler::{Context, Scheduler};

/// Summons a helper to the open regions of the calling thread's runtime.
pub(crate) fn summon() {
    Context::with(|context| {
        if let Some(context) = context {
            Regions::of(context.scheduler()).summon(context.scheduler());
        }
    });
}

/// Returns how many threads may help now: one for each processor that is idle. Spare processors
/// are not counted, since they stand in for processors whose threads may burn their cores.
pub(super) fn places(scheduler: &Scheduler) -> usize {
    scheduler.processors.regular().saturating_sub(scheduler.idle.count_busy()).min(MOST_SLOTS - 1)
}

impl Regions {
    /// Makes one idle machine look at the open regions, if a helper may come and no other machine
    /// is about to look. The machine that comes summons the next.
    pub(super) fn summon(&self, scheduler: &Scheduler) {
        self.open.epoch().advance();
        let helpers = &scheduler.helpers;
        if helpers.will_look() || helpers.count() >= places(scheduler) || scheduler.shutdown.has_begun() {
            return;
        }
        match scheduler.idle.spare_hand() {
            SpareHand::Asleep(machine) => scheduler.rouse(&machine),
            SpareHand::Coming => {}
            // If none can be started, the owner does without.
            SpareHand::None => start_idle_machine(scheduler),
        }
    }

    /// Summons one more helper, if one may come.
    pub(super) fn summon_another(&self, scheduler: &Scheduler) {
        if scheduler.helpers.count() < places(scheduler) {
            self.summon(scheduler);
        }
    }
}

/// Counts the thread as one that computes, until this guard is dropped: by a mark on the
/// processor that it holds, or as a helper. Empty if the thread was counted before.
pub(super) struct Counted<'a>(Option<(&'a Context, CountedAs)>);

#[derive(PartialEq, Eq)]
enum CountedAs {
    Holder,
    Helper,
}

impl<'a> Counted<'a> {
    /// Counts the owner of a region.
    pub(super) fn as_owner(context: &'a Context) -> Self {
        if context.is_computing() {
            return Self(None);
        }
        context.set_computing(true);
        if mark_processor(context, true) {
            return Self(Some((context, CountedAs::Holder)));
        }
        context.scheduler().helpers.join_anyway();
        Self(Some((context, CountedAs::Helper)))
    }

    /// Counts a machine that comes to help. Returns `None` if there are as many helpers as idle
    /// processors.
    pub(super) fn as_helper(context: &'a Context) -> Option<Self> {
        let scheduler = context.scheduler();
        if !scheduler.helpers.join(places(scheduler)) {
            return None;
        }
        context.set_computing(true);
        Some(Self(Some((context, CountedAs::Helper))))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let Some((context, counted_as)) = &self.0 else { return };
        context.set_computing(false);
        if *counted_as == CountedAs::Helper {
            context.scheduler().helpers.leave();
        } else {
            mark_processor(context, false);
        }
    }
}

/// Notes on the processor, for sysmon, whether its holder computes. Returns `false` if the thread
/// holds none.
fn mark_processor(context: &Context, computing: bool) -> bool {
    context.with_processor(|processor| {
        let shared = processor.map(|processor| processor.shared().watch().set_computing(computing));
        shared.is_some()
    })
}
