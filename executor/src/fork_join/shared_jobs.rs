//! Jobs that come to a region from threads that have no slot in it. Rare, so a lock will do.

use std::collections::VecDeque;

use crate::fork_join::JobRef;
use crate::util::sync::Mutex;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;

#[derive(Debug)]
pub(super) struct SharedJobs {
    jobs: Mutex<VecDeque<JobRef>>,
    /// How many, to be asked without the lock. Relaxed: whoever waits for a job looks again.
    count: AtomicUsize,
}

impl SharedJobs {
    pub(super) fn new() -> Self {
        Self { jobs: Mutex::new(VecDeque::new()), count: AtomicUsize::new(0) }
    }

    pub(super) fn put(&self, job: JobRef) {
        let mut jobs = self.jobs.lock();
        jobs.push_back(job);
        self.count.store(jobs.len(), Relaxed);
    }

    pub(super) fn take(&self) -> Option<JobRef> {
        if self.is_empty() {
            return None;
        }
        let mut jobs = self.jobs.lock();
        let job = jobs.pop_front();
        self.count.store(jobs.len(), Relaxed);
        job
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count.load(Relaxed) == 0
    }
}
