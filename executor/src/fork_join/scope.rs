//! `scope`: any number of jobs that borrow from one stack frame, which waits for them all.

use crate::fork_join::{BoxedJob, FirstPanic, JobRef, Latch, TreeRegion, TreeSlot};
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::unwind::{Payload, caught, drop_quietly};

/// The state that the jobs of a scope share. It lies in the frame that waits for them.
pub(crate) struct ScopeBase {
    /// Jobs that are not done, and one for the frame itself. The job that takes it to zero sets the
    /// latch.
    pub(super) pending: AtomicUsize,
    pub(super) done: Latch,
    /// After a panic, jobs that have not begun are dropped.
    panic: FirstPanic,
    /// The region that its jobs go to.
    region: *const TreeRegion,
}

// SAFETY: the region is Sync, and lives as long as the scope.
unsafe impl Send for ScopeBase {}
// SAFETY: as above.
unsafe impl Sync for ScopeBase {}

impl ScopeBase {
    /// Makes a scope in `slot`'s region.
    pub(crate) fn new(slot: &TreeSlot<'_>) -> Self {
        Self { pending: AtomicUsize::new(1), done: Latch::new(), panic: FirstPanic::new(), region: slot.region() }
    }

    /// Adds a job. `slot` is the calling thread's, if it has one. Returns `true` if it has none in
    /// this region and no helper looks for jobs: then the caller has to summon one.
    ///
    /// # Safety
    ///
    /// All that the closure borrows lives until [`finish`](Self::finish) has returned, and the
    /// caller makes sure that `finish` is called.
    #[must_use]
    pub(crate) unsafe fn spawn(&self, slot: Option<&TreeSlot<'_>>, work: impl FnOnce() + Send) -> bool {
        // Relaxed: the job or frame that spawns is itself counted.
        self.pending.fetch_add(1, Relaxed);
        let scope = Pointer(self);
        // SAFETY: the scope, and by the caller's promise all that `work` borrows, lives until all
        // jobs are done.
        let job = unsafe { BoxedJob::into_job_ref(move || scope.run_one(work)) };
        self.put(slot, job)
    }

    fn put(&self, slot: Option<&TreeSlot<'_>>, job: JobRef) -> bool {
        match slot.filter(|slot| std::ptr::eq(slot.region(), self.region)) {
            Some(slot) => {
                slot.push(job);
                false
            }
            None => {
                // SAFETY: the region lives as long as the scope.
                let region = unsafe { &*self.region };
                region.share(job)
            }
        }
    }

    /// Notes a panic, of a job or of the frame itself. The first is kept, and jobs that have not
    /// begun are dropped.
    pub(crate) fn fail(&self, payload: Payload) {
        self.panic.keep(payload);
    }

    /// Waits until all jobs are done, and runs jobs of the region meanwhile. Called once, by the
    /// frame that the scope belongs to.
    ///
    /// # Errors
    ///
    /// Returns the first panic.
    pub(crate) fn finish(&self, slot: &TreeSlot<'_>) -> Result<(), Payload> {
        // AcqRel: all that the jobs have done is visible here.
        if self.pending.fetch_sub(1, AcqRel) != 1 {
            slot.wait_for(&self.done);
        }
        self.panic.outcome()
    }

    fn run_job(&self, work: impl FnOnce()) {
        if self.panic.is_stopped() {
            return drop_quietly(work);
        }
        if let Err(payload) = caught(work) {
            self.fail(payload);
        }
    }
}

impl std::fmt::Debug for ScopeBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("pending", &self.pending.load(Relaxed)).finish_non_exhaustive()
    }
}

/// A job's pointer to its scope, which may be dropped as soon as the last job is done.
struct Pointer(*const ScopeBase);

// SAFETY: it points to a scope, which is Sync.
unsafe impl Send for Pointer {}

impl Pointer {
    fn run_one(self, work: impl FnOnce()) {
        {
            // SAFETY: the scope waits for this job, which is not done.
            let scope = unsafe { &*self.0 };
            scope.run_job(work);
        }
        // SAFETY: as above.
        let pending = unsafe { &(*self.0).pending };
        // AcqRel: all that this job and those before it have done is visible to the frame that
        // waits.
        if pending.fetch_sub(1, AcqRel) == 1 {
            // SAFETY: the frame waits for the latch, so the scope is still there.
            let latch = unsafe { &raw const (*self.0).done };
            // SAFETY: it is set here, once, and not touched afterwards.
            unsafe { Latch::set(latch) }
        }
    }
}
