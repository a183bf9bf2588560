//! `scope`: any number of jobs that borrow from one stack frame, which waits for them all.

use std::mem;

use crossbeam_utils::CachePadded;

use crate::fork_join::job::LENT_FRAME;
use crate::fork_join::{BoxedJob, FirstPanic, JobRef, Latch, TreeRegion, TreeSlot};
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::{AcqRel, Relaxed};
use crate::util::unwind::{Payload, caught, drop_quietly};

/// The state that the jobs of a scope share. It lies in the frame that waits for them.
pub(crate) struct ScopeBase {
    /// Jobs that are not done, and one for the frame itself. The job that takes it to zero sets the
    /// latch. On its own cache line: all participants write it, and read the rest.
    pub(super) pending: CachePadded<AtomicUsize>,
    pub(super) done: Latch,
    panic: FirstPanic,
    after_panic: AfterPanic,
    /// The region that its jobs go to.
    region: *const TreeRegion,
}

/// The fate of jobs that have not begun when another one panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterPanic {
    /// They are dropped.
    Drop,
    /// They run, as rayon's do.
    Run,
}

// SAFETY: the region is Sync, and lives as long as the scope.
unsafe impl Send for ScopeBase {}
// SAFETY: as above.
unsafe impl Sync for ScopeBase {}

impl ScopeBase {
    /// Makes a scope in `region`.
    ///
    /// # Safety
    ///
    /// The region outlives the scope.
    pub(crate) unsafe fn new(region: &TreeRegion, after_panic: AfterPanic) -> Self {
        Self {
            pending: CachePadded::new(AtomicUsize::new(1)),
            done: Latch::new(),
            panic: FirstPanic::new(),
            after_panic,
            region,
        }
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
        // SAFETY: as the caller promises.
        let job = unsafe { self.make_job(work) };
        self.put(slot, job)
    }

    /// Makes a job of the scope, which waits for it from now on. The caller puts it in a queue.
    ///
    /// # Safety
    ///
    /// The promises of [`spawn`](Self::spawn), and the job is run.
    pub(crate) unsafe fn make_job(&self, work: impl FnOnce() + Send) -> JobRef {
        // Relaxed: the job or frame that spawns is itself counted.
        self.pending.fetch_add(1, Relaxed);
        let scope = ScopePointer(self);
        // SAFETY: the scope, and by the caller's promise all that `work` borrows, lives until all
        // jobs are done.
        unsafe { BoxedJob::into_job_ref(move || scope.run_one(work)) }
    }

    /// Puts a job of the scope where its region's participants find it. The result is that of
    /// [`spawn`](Self::spawn).
    #[must_use]
    pub(crate) fn put(&self, slot: Option<&TreeSlot<'_>>, job: JobRef) -> bool {
        match self.own(slot) {
            Some(slot) => {
                slot.push_and_tell(job);
                false
            }
            None => {
                // SAFETY: the region lives as long as the scope.
                let region = unsafe { &*self.region };
                region.share(job)
            }
        }
    }

    /// Returns `slot` if it is one of the scope's region.
    pub(crate) fn own<'a, 'b>(&self, slot: Option<&'a TreeSlot<'b>>) -> Option<&'a TreeSlot<'b>> {
        slot.filter(|slot| std::ptr::eq(slot.region(), self.region))
    }

    /// Notes a panic, of a job or of the frame itself. The first is kept.
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
        self.finish_by(|done| slot.wait_for(done))
    }

    /// Finishes as [`finish`](Self::finish) does, with another way to wait.
    ///
    /// # Errors
    ///
    /// Returns the first panic.
    pub(crate) fn finish_by(&self, wait_for: impl FnOnce(&Latch)) -> Result<(), Payload> {
        let lent = LENT_FRAME;
        // AcqRel: all that the jobs have done is visible here.
        if self.pending.fetch_sub(1, AcqRel) != 1 {
            wait_for(&self.done);
        }
        mem::forget(lent);
        self.panic.outcome()
    }

    fn run_job(&self, work: impl FnOnce()) {
        if self.panic.is_stopped() && self.after_panic == AfterPanic::Drop {
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
struct ScopePointer(*const ScopeBase);

// SAFETY: it points to a scope, which is Sync.
unsafe impl Send for ScopePointer {}

impl ScopePointer {
    fn run_one(self, work: impl FnOnce()) {
        {
            // SAFETY: the scope waits for this job, which is not done.
            let scope = unsafe { &*self.0 };
            scope.run_job(work);
        }
        // SAFETY: as above.
        let pending: &AtomicUsize = unsafe { &(*self.0).pending };
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
