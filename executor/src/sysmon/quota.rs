//! Follows the quota of the control group: as many processors as it allows, when it changes.
//!
//! The watcher looks once a second at most, and only while it is awake for other reasons: a runtime
//! at rest is not woken for this, and finds out when it has something to do again.

use std::num::NonZeroUsize;
use std::path::Path;

use crate::scheduler::Scheduler;
use crate::util::cpu_quota::CpuQuota;
use crate::util::sync::thread::available_parallelism;

/// The time between two looks, in nanoseconds.
const PERIOD: u64 = 1_000_000_000;

/// A look costs some ten microseconds.
#[derive(Debug)]
pub(super) struct QuotaFollower {
    quota: CpuQuota,
    /// Returns how many processors affinity and quota allow.
    allowed: fn() -> usize,
    /// How many cores the quota alone allowed on the last look.
    seen: Option<usize>,
    looked_at: u64,
}

impl QuotaFollower {
    /// Notes the quota with which a runtime begins. `None` if it does not follow it, or there is
    /// none.
    pub(super) fn begin(scheduler: &Scheduler) -> Option<Self> {
        let allowed = || available_parallelism().map_or(1, NonZeroUsize::get);
        scheduler.config.follows_quota.then(|| Self::begin_at(Path::new("/"), allowed))?
    }

    fn begin_at(root: &Path, allowed: fn() -> usize) -> Option<Self> {
        let quota = CpuQuota::find(root);
        if quota.is_absent() {
            return None;
        }
        let seen = quota.cores().unwrap_or(None);
        Some(Self { quota, allowed, seen, looked_at: 0 })
    }

    /// Looks, if it is time, and resizes the runtime if the quota has changed. Returns `false` if
    /// the number was set by hand: then there is nothing to follow any more.
    #[must_use]
    pub(super) fn look(&mut self, scheduler: &Scheduler, now: u64) -> bool {
        if now - self.looked_at < PERIOD {
            return true;
        }
        self.looked_at = now;
        // In a process that can open no more files the number stays.
        let Ok(cores) = self.quota.cores() else { return true };
        if std::mem::replace(&mut self.seen, cores) == cores {
            return true;
        }
        scheduler.resize_by_quota((self.allowed)())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::runtime::Builder;
    use crate::scheduler::shutdown;
    use crate::util::cpu_quota::tests::Root;

    const SECOND: u64 = PERIOD;

    fn scheduler() -> Arc<Scheduler> {
        Builder::new_multi_thread().worker_threads(2).scheduler().expect("a netpoller")
    }

    #[test]
    fn a_runtime_follows_its_quota_once_a_second() {
        let (scheduler, root) = (scheduler(), Root::container("200000"));
        let mut follower = QuotaFollower::begin_at(root.path(), || 7).expect("there is a quota");
        let processors = &scheduler.processors;
        assert!(follower.look(&scheduler, SECOND));
        assert_eq!(processors.regular(), 2, "it has not changed");
        root.set_quota("700000");
        assert!(follower.look(&scheduler, SECOND + SECOND / 2));
        assert_eq!(processors.regular(), 2, "it is not time");
        assert!(follower.look(&scheduler, 2 * SECOND));
        assert_eq!((processors.regular(), scheduler.idle.count_idle()), (7, 7));
        root.set_quota("none");
        assert!(follower.look(&scheduler, 3 * SECOND));
        assert_eq!(processors.regular(), 7, "it cannot be read");
        shutdown::begin(&scheduler);
    }

    #[test]
    fn a_number_set_by_hand_stays() {
        let (scheduler, root) = (scheduler(), Root::container("200000"));
        let mut follower = QuotaFollower::begin_at(root.path(), || 7).expect("there is a quota");
        scheduler.resize(3);
        root.set_quota("700000");
        assert!(!follower.look(&scheduler, SECOND));
        assert_eq!(scheduler.processors.regular(), 3);
        shutdown::begin(&scheduler);
    }
}
