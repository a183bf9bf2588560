//! Follows the quota of the control group and the CPU affinity: as many processors as these allow,
//! when that changes.
//!
//! The watcher looks once a second at most, and only while it is awake for other reasons: a runtime
//! at rest is not woken for this, and finds out when it has something to do again.

use std::num::NonZeroUsize;

use crate::scheduler::Scheduler;
use crate::scheduler::core::limits::PERIOD;
use crate::util::sync::thread::available_parallelism;

/// How many looks in a row find more processors before there are more. In a process that can open
/// no more files, no quota can be read, and all cores are counted.
const LOOKS_FOR_MORE: u32 = 3;

/// A look costs some fifty microseconds.
#[derive(Debug)]
pub(super) struct QuotaFollower {
    /// How many processors the runtime has by this.
    followed: usize,
    /// How many looks in a row have found more.
    found_more: u32,
    looked_at: u64,
}

impl QuotaFollower {
    /// Begins with the number of a new runtime. `None` if it does not follow the quota.
    pub(super) fn begin(scheduler: &Scheduler) -> Option<Self> {
        let followed = scheduler.config.processors;
        scheduler.config.follows_quota.then_some(Self { followed, found_more: 0, looked_at: 0 })
    }

    /// Looks, if it is time, and resizes the runtime if the number has changed. Returns `false` if
    /// the number was set by hand: then there is nothing to follow any more.
    #[must_use]
    pub(super) fn look(&mut self, scheduler: &Scheduler, now: u64) -> bool {
        self.look_by(scheduler, now, || available_parallelism().ok().map(NonZeroUsize::get))
    }

    fn look_by(&mut self, scheduler: &Scheduler, now: u64, allowed: impl FnOnce() -> Option<usize>) -> bool {
        if now - self.looked_at < PERIOD {
            return true;
        }
        self.looked_at = now;
        let Some(allowed) = allowed() else { return true };
        self.found_more = if allowed > self.followed { self.found_more + 1 } else { 0 };
        if allowed == self.followed || (1..LOOKS_FOR_MORE).contains(&self.found_more) {
            return true;
        }
        self.found_more = 0;
        self.followed = allowed;
        scheduler.resize_by_quota(allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::runtime::Builder;
    use crate::scheduler::shutdown;

    fn scheduler() -> (Arc<Scheduler>, QuotaFollower) {
        let scheduler = Builder::new_multi_thread().worker_threads(2).scheduler().expect("a netpoller");
        (scheduler, QuotaFollower { followed: 2, found_more: 0, looked_at: 0 })
    }

    /// Looks once a second, and returns the number of processors after each look.
    fn looks(scheduler: &Scheduler, follower: &mut QuotaFollower, found: &[Option<usize>]) -> Vec<usize> {
        let look = |&found: &Option<usize>| {
            let now = follower.looked_at + PERIOD;
            assert!(follower.look_by(scheduler, now - 1, || panic!("it is not time")));
            assert!(follower.look_by(scheduler, now, || found));
            scheduler.processors.regular()
        };
        found.iter().map(look).collect()
    }

    #[test]
    fn a_runtime_follows_its_quota_once_a_second() {
        let (scheduler, mut follower) = scheduler();
        let found = [2, 7, 7, 7, 7, 4, 1].map(Some);
        assert_eq!(looks(&scheduler, &mut follower, &found), [2, 2, 2, 7, 7, 4, 1]);
        assert_eq!(scheduler.idle.count_idle(), 1);
        shutdown::begin(&scheduler);
    }

    #[test]
    fn a_quota_that_is_unreadable_for_a_moment_changes_nothing() {
        let (scheduler, mut follower) = scheduler();
        let found = [Some(7), Some(7), Some(2), Some(7), None, Some(7), Some(2)];
        assert_eq!(looks(&scheduler, &mut follower, &found), [2; 7]);
        shutdown::begin(&scheduler);
    }

    #[test]
    fn a_number_set_by_hand_stays() {
        let (scheduler, mut follower) = scheduler();
        scheduler.resize(3);
        assert!(!follower.look_by(&scheduler, PERIOD, || Some(1)));
        assert_eq!(scheduler.processors.regular(), 3);
        shutdown::begin(&scheduler);
    }
}
