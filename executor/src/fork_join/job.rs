//! Jobs: closures that wait to be run, on the stack of the thread that waits for them or in a box
//! of their own (rayon: `StackJob` and `HeapJob`).
//!
//! A queue holds [`JobRef`]s: one pointer, to a head with the function that runs the closure behind
//! it. A job is run once, by the thread that took its pointer out of the queue.

use std::collections::VecDeque;
use std::mem;
use std::ptr::NonNull;

use crate::fork_join::Latch;
use crate::util::sync::atomic::AtomicUsize;
use crate::util::sync::atomic::Ordering::Relaxed;
use crate::util::sync::unmodelled::AtomicU64;
use crate::util::sync::{Mutex, OwnerEnd, ThiefEnd, UnsafeCell, owner_and_thief};
use crate::util::unwind::{AbortOnUnwind, Payload, caught};

/// A job in a queue. To take it out of the queue is to get the right to run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JobRef(NonNull<Head>);

// SAFETY: only jobs whose closures and results are Send are made into references.
unsafe impl Send for JobRef {}

/// The first field of each kind of job.
#[derive(Debug)]
pub(super) struct Head {
    /// # Safety
    ///
    /// Is called once for each reference, with a pointer to this head, while the job is valid.
    pub(super) run: unsafe fn(NonNull<Head>),
}

impl JobRef {
    /// Makes a reference to the job that `head` begins.
    ///
    /// # Safety
    ///
    /// The pointer reaches all of the job, which stays valid until it has run.
    pub(super) unsafe fn new(head: NonNull<Head>) -> Self {
        Self(head)
    }

    /// Runs the job. Does not panic: the job keeps a panic of its closure for the thread that waits
    /// for it.
    ///
    /// # Safety
    ///
    /// The caller has taken the job out of the queue, so that it is run once.
    pub(crate) unsafe fn run(self) {
        // SAFETY: a job is valid until it has run.
        let run = unsafe { self.0.as_ref() }.run;
        // SAFETY: by the caller's promise this is the only call.
        unsafe { run(self.0) }
    }
}

/// A job on the stack of the thread that waits for it.
#[repr(C)]
pub(crate) struct StackJob<F, R> {
    head: Head,
    closure: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<R, Payload>>>,
    latch: Latch,
}

impl<F, R> StackJob<F, R>
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    /// Makes a job of `closure`, which is told whether a thread has taken it out of a queue.
    #[inline]
    pub(crate) fn new(closure: F) -> Self {
        Self {
            head: Head { run: Self::run_stolen },
            closure: UnsafeCell::new(Some(closure)),
            result: UnsafeCell::new(None),
            latch: Latch::new(),
        }
    }

    /// Returns the job for a queue.
    ///
    /// # Safety
    ///
    /// The job stays where it is until the reference is taken back or the latch is set.
    #[inline]
    pub(crate) unsafe fn as_job_ref(&self) -> JobRef {
        // Made from the whole job and not from its head: the pointer has to reach the rest.
        JobRef(NonNull::from(self).cast())
    }

    pub(crate) fn latch(&self) -> &Latch {
        &self.latch
    }

    /// Returns the closure of a job that no other thread will run.
    ///
    /// # Safety
    ///
    /// The caller has taken the reference back from the queue, or has never put it there.
    #[inline]
    pub(crate) unsafe fn take_back(&self) -> F {
        let closure = self.closure.with_mut(|closure| {
            // SAFETY: by the caller's promise no other thread has a reference to run.
            unsafe { (*closure).take() }
        });
        closure.expect("a job is run once")
    }

    /// Returns the result of a job that another thread has run.
    ///
    /// # Safety
    ///
    /// The caller has seen the latch set.
    pub(crate) unsafe fn take_result(&self) -> Result<R, Payload> {
        let result = self.result.with_mut(|result| {
            // SAFETY: the thread that ran the job is done with it.
            unsafe { (*result).take() }
        });
        result.expect("a job whose latch is set has a result")
    }

    /// # Safety
    ///
    /// The promises of [`Head::run`].
    unsafe fn run_stolen(head: NonNull<Head>) {
        let job = head.cast::<Self>().as_ptr().cast_const();
        // SAFETY: the job is valid until its latch is set, and the reference ends before.
        let this = unsafe { &*job };
        // SAFETY: the caller has taken the reference out of the queue.
        let closure = unsafe { this.take_back() };
        let result = caught(|| closure(true));
        this.result.with_mut(|place| {
            // SAFETY: the owner looks here only when the latch is set.
            unsafe { *place = Some(result) }
        });
        let latch: *const Latch = &raw const this.latch;
        // SAFETY: it is set here, once, and not touched afterwards.
        unsafe { Latch::set(latch) }
    }
}

/// The guard of a frame that waits for jobs which borrow from it, and would outlive it.
pub(super) const LENT_FRAME: AbortOnUnwind =
    AbortOnUnwind("a panic in the wait for parallel work that borrows from the waiting thread; aborting");

/// A job in its own box: the scope that spawned it waits for it, among others.
#[repr(C)]
pub(crate) struct BoxedJob<F> {
    head: Head,
    closure: F,
}

impl<F> BoxedJob<F>
where
    F: FnOnce() + Send,
{
    /// Puts `closure` in a box. It does not panic, its destructor neither: the process would end.
    ///
    /// # Safety
    ///
    /// All that the closure borrows lives until the job has been run, and the job is run.
    pub(crate) unsafe fn into_job_ref(closure: F) -> JobRef {
        let job = Box::new(Self { head: Head { run: Self::run_boxed }, closure });
        JobRef(NonNull::from(Box::leak(job)).cast())
    }

    /// # Safety
    ///
    /// The promises of [`Head::run`].
    unsafe fn run_boxed(head: NonNull<Head>) {
        // SAFETY: the pointer comes from `into_job_ref`, and is used once.
        let job = unsafe { Box::from_raw(head.cast::<Self>().as_ptr()) };
        let Self { closure, .. } = *job;
        let guard = AbortOnUnwind::OF_A_THREAD;
        // After the box is freed: the frame that waits for this job may return as the closure ends.
        closure();
        mem::forget(guard);
    }
}

/// The jobs of one slot: its participant pushes and pops the newest, thieves take the oldest.
///
/// Newest first keeps the participant's data in its caches and the stack of waiting calls shallow.
/// Oldest first gives a thief the job that was split off first, which in divide and conquer is the
/// largest part.
pub(super) struct JobStack {
    owner: OwnerEnd<JobRef>,
    thieves: ThiefEnd<JobRef>,
    /// Of a tree's slot: the highest rank of the jobs that were begun there. Written by the slot's
    /// participant. Relaxed: a thief has taken a job which was pushed after the rank was written.
    pub(super) rank: AtomicU64,
}

// SAFETY: the owner's end, which is not Sync, is reached through `push` and `pop` alone, whose
// callers promise to be the only one.
unsafe impl Sync for JobStack {}

impl JobStack {
    pub(super) fn new() -> Self {
        let (owner, thieves) = owner_and_thief();
        Self { owner, thieves, rank: AtomicU64::new(0) }
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
