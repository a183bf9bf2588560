//! Where jobs wait to be run: the stack of each slot, and the queue of jobs from other threads.

use std::collections::VecDeque;
use std::ptr::NonNull;

use crate::fork_join::JobRef;
use crate::fork_join::job::Head;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::{Mutex, OwnerEnd, ThiefEnd, owner_and_thief};

/// The jobs of one slot: its participant pushes and pops the newest, thieves take the oldest.
///
/// Newest first keeps the participant's data in its caches and the stack of waiting calls shallow.
/// Oldest first gives a thief the job that was split off first, which in divide and conquer is the
/// largest part.
pub(super) struct JobStack {
    owner: OwnerEnd<JobRef>,
    thieves: ThiefEnd<JobRef>,
}

// SAFETY: the owner's end, which is not Sync, is reached through `push` and `pop` alone, whose
// callers promise to be the only one.
unsafe impl Sync for JobStack {}

impl JobStack {
    pub(super) fn new() -> Self {
        let (owner, thieves) = owner_and_thief();
        Self { owner, thieves }
    }

    /// Puts a job on top.
    ///
    /// # Safety
    ///
    /// The caller has the slot that this stack belongs to.
    #[inline]
    pub(super) unsafe fn push(&self, job: JobRef) {
        self.owner.push(job);
    }

    /// Takes the newest job.
    ///
    /// # Safety
    ///
    /// The caller has the slot that this stack belongs to.
    #[inline]
    pub(super) unsafe fn pop(&self) -> Option<JobRef> {
        self.owner.pop()
    }

    /// Takes the oldest job.
    pub(super) fn steal(&self) -> Option<JobRef> {
        loop {
            match self.thieves.steal() {
                crossbeam_deque::Steal::Success(job) => return Some(job),
                crossbeam_deque::Steal::Empty => return None,
                crossbeam_deque::Steal::Retry => {}
            }
        }
    }

    /// Returns whether there is nothing to steal just now.
    pub(super) fn is_empty(&self) -> bool {
        self.thieves.is_empty()
    }
}

/// Jobs that come to a region from threads without a slot in it. They are rare, so a lock will do.
pub(super) struct SharedJobs {
    jobs: Mutex<VecDeque<JobRef>>,
    /// The length of the queue, to be read without the lock. Relaxed: a participant that waits for
    /// a job looks again.
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

/// Jobs that a thread runs in the order in which it has spawned them, though its stack is last in,
/// first out. On the stack there is a marker for each, and a marker runs the oldest job of the
/// queue, whichever it was made for (rayon: `JobFifo`).
#[repr(C)]
pub(crate) struct FifoJobs {
    /// Of the markers.
    head: Head,
    jobs: SharedJobs,
}

impl FifoJobs {
    pub(crate) fn new() -> Self {
        Self { head: Head { run: Self::run_oldest }, jobs: SharedJobs::new() }
    }

    /// Queues `job`, and returns its marker, for a stack.
    ///
    /// # Safety
    ///
    /// These jobs stay where they are until the job has run, and the marker is run.
    pub(crate) unsafe fn put(&self, job: JobRef) -> JobRef {
        self.jobs.put(job);
        let whole = NonNull::from(self);
        // SAFETY: it is made from the whole and not from its head, and as the caller promises.
        unsafe { JobRef::new(whole.cast()) }
    }

    /// # Safety
    ///
    /// The promises of [`Head::run`].
    unsafe fn run_oldest(head: NonNull<Head>) {
        let fifo = head.cast::<Self>().as_ptr().cast_const();
        // SAFETY: as many jobs are queued as there are markers, and `fifo` stays until they have
        // run. The reference ends before the job begins.
        let jobs = unsafe { &(*fifo).jobs };
        let job = jobs.take().expect("each marker has a job in the queue");
        // SAFETY: it has just been taken out of its queue.
        unsafe { job.run() }
    }
}
