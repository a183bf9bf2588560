//! Jobs that a thread runs in the order in which it has spawned them, though its stack is last in,
//! first out.
//!
//! The jobs wait in a queue. On the stack there is a marker for each, and a marker runs the oldest
//! job of the queue, whichever it was made for (rayon: `JobFifo`).

use std::ptr::NonNull;

use crate::fork_join::JobRef;
use crate::fork_join::job::Head;
use crate::fork_join::job_queues::SharedJobs;

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
        // Made from the whole and not from its head: the pointer has to reach the rest.
        JobRef::new(NonNull::from(self).cast())
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
