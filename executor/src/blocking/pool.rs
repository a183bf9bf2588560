//! The blocking pool: a limited number of threads for blocking jobs, started on demand and kept
//! alive for a while.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::blocking::queue::{Census, JobQueue, Reserved};
use crate::observe::counters::{Count, SharedCounter};
use crate::task::{OwnedTasks, Runnable, Schedule, TaskRef};
use crate::util::sync::thread::JoinHandle as ThreadHandle;
use crate::util::sync::{self, Mutex};
use crate::util::threads::join_others;

/// The blocking pool of one runtime.
pub(crate) struct BlockingPool {
    /// The jobs that have not completed.
    pub(crate) jobs: Arc<OwnedTasks>,
    pub(super) queue: JobQueue<Runnable>,
    handles: Mutex<Vec<ThreadHandle<()>>>,
    pub(crate) waits: QueueWaits,
}

/// Statistics on how long jobs wait for a thread, written by many threads.
#[derive(Debug, Default)]
pub(crate) struct QueueWaits {
    /// The number of jobs that a thread has begun.
    pub(crate) begun: SharedCounter,
    /// The sum of their waiting times, in nanoseconds.
    pub(crate) total: SharedCounter,
    pub(crate) longest: SharedCounter,
}

impl QueueWaits {
    pub(super) fn count(&self, since: Instant) {
        let waited = u64::try_from(sync::now().saturating_duration_since(since).as_nanos()).unwrap_or(u64::MAX);
        self.begun.add(1);
        self.total.add(waited);
        self.longest.raise_to(waited);
    }
}

/// The scheduler of blocking jobs, which are never woken and therefore never scheduled.
#[derive(Debug, Clone)]
pub(super) struct NeverWoken {
    jobs: Arc<OwnedTasks>,
}

impl Schedule for NeverWoken {
    fn schedule(&self, job: Runnable) {
        job.cancel();
    }

    fn reschedule(&self, job: Runnable) {
        job.cancel();
    }

    fn release(&self, job: &TaskRef) -> Option<TaskRef> {
        // SAFETY: the pool binds its jobs to this registry or to none; this is called once for
        // each.
        unsafe { self.jobs.remove(job) }
    }
}

impl BlockingPool {
    /// Creates a pool of up to `max_threads` threads, each of which exits after `keep_alive`
    /// without a job.
    pub(crate) fn new(max_threads: usize, keep_alive: Duration) -> Self {
        Self {
            jobs: Arc::new(OwnedTasks::new(1)),
            queue: JobQueue::new(max_threads, keep_alive),
            handles: Mutex::new(Vec::new()),
            waits: QueueWaits::default(),
        }
    }

    pub(super) fn scheduler(&self) -> NeverWoken {
        NeverWoken { jobs: Arc::clone(&self.jobs) }
    }

    /// Stores the handle of a started thread, which is joined later.
    pub(super) fn keep(&self, handle: ThreadHandle<()>) {
        let mut handles = self.handles.lock();
        handles.retain(|handle| !handle.is_finished());
        handles.push(handle);
    }

    /// Joins all other threads of the pool, which have finished their work.
    pub(crate) fn join(&self) {
        let handles = std::mem::take(&mut *self.handles.lock());
        join_others(handles);
    }

    /// Reserves a thread for a job that is about to be queued.
    pub(crate) fn reserve(&self) -> Option<Reserved<'_, Runnable>> {
        self.queue.reserve()
    }

    /// Closes the pool to new jobs, and returns the jobs that no thread takes, which must be
    /// cancelled.
    #[must_use = "their handles are to say cancelled"]
    pub(crate) fn close(&self) -> impl Iterator<Item = Runnable> {
        self.queue.close()
    }

    /// Waits until all threads and jobs are done. Returns `false` if `deadline` passes first.
    #[must_use]
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> bool {
        self.queue.wait(deadline)
    }

    /// Returns the numbers of queued jobs and of threads.
    pub(crate) fn census(&self) -> Census {
        self.queue.census()
    }

    /// Returns whether any job is waiting or running.
    pub(crate) fn is_at_work(&self) -> bool {
        self.queue.is_at_work()
    }
}
