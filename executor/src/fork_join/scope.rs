//! A scope: any number of jobs that borrow from one stack frame, which waits for them all.

use crate::fork_join::{BoxedJob, JobRef, Latch, TreeRegion, TreeSlot};
use crate::util::sync::Mutex;
use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::sync::atomic::{AtomicBool, AtomicUsize};
use crate::util::unwind::{Payload, caught, drop_quietly};

/// What the jobs of a scope share. It lies on the stack of the frame that waits for them.
pub(crate) struct ScopeBase {
    /// Jobs that are not done, and one for the frame itself. Whoever takes it to zero sets the
    /// latch.
    pub(super) pending: AtomicUsize,
    pub(super) done: Latch,
    /// Whether jobs that have not begun are to be dropped. Relaxed: they need not know at once.
    stopped: AtomicBool,
    panic: Mutex<Option<Payload>>,
    /// The region that its jobs go to.
    region: *const TreeRegion,
}

// SAFETY: the region is Sync, and lives as long as the scope.
unsafe impl Send for ScopeBase {}
// SAFETY: as above.
unsafe impl Sync for ScopeBase {}

impl ScopeBase {
    /// A scope of `slot`'s region.
    pub(crate) fn new(slot: &TreeSlot<'_>) -> Self {
        Self {
            pending: AtomicUsize::new(1),
            done: Latch::new(),
            stopped: AtomicBool::new(false),
            panic: Mutex::new(None),
            region: slot.region(),
        }
    }

    /// Adds a job. `slot` is the calling thread's, if it has one. `true` if it has none here and
    /// nobody looks for jobs: then somebody is to be called.
    ///
    /// # Safety
    ///
    /// What the closure borrows lives until [`finish`](Self::finish) has returned, which the caller
    /// sees to.
    #[must_use]
    pub(crate) unsafe fn spawn(&self, slot: Option<&TreeSlot<'_>>, work: impl FnOnce() + Send) -> bool {
        // Relaxed: whoever spawns is counted itself.
        self.pending.fetch_add(1, Relaxed);
        let scope = Pointer(self);
        // SAFETY: the scope, and with it what the caller promises of, lives until all jobs are
        // done.
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
        self.stopped.store(true, Relaxed);
        let mut panic = self.panic.lock();
        if panic.is_none() {
            *panic = Some(payload);
            return;
        }
        drop(panic);
        drop_quietly(payload);
    }

    /// Waits until all jobs are done, and helps. Called once, by the frame that the scope belongs
    /// to.
    ///
    /// # Errors
    ///
    /// The first panic.
    pub(crate) fn finish(&self, slot: &TreeSlot<'_>) -> Result<(), Payload> {
        // AcqRel: what each job has done is visible here.
        if self.pending.fetch_sub(1, AcqRel) != 1 {
            slot.wait_for(&self.done);
        }
        self.panic.lock().take().map_or(Ok(()), Err)
    }

    fn run_job(&self, work: impl FnOnce()) {
        if self.stopped.load(Relaxed) {
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

/// A job's way back to its scope, which may go as soon as the last job is done.
struct Pointer(*const ScopeBase);

// SAFETY: it leads to a scope, which is Sync.
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
        // AcqRel: what this job has done, and those before it, is visible to the frame that waits.
        if pending.fetch_sub(1, AcqRel) == 1 {
            // The frame waits for the latch and for nothing else.
            // SAFETY: the scope is still there.
            let latch = unsafe { &raw const (*self.0).done };
            // SAFETY: it is set here, once, and not touched afterwards.
            unsafe { Latch::set(latch) }
        }
    }
}
