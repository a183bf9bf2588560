//! The blocking pool: threads for jobs that block, started on demand, kept alive for a while,
//! limited in number.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wsrt_sync::drop_in;

use crate::observe::counters::{Count, SharedCounter};
use crate::task::{OwnedTasks, Runnable, Schedule, TaskRef};
use crate::util::joined_thread::join_others;
use crate::util::sync;
use crate::util::sync::thread::JoinHandle as ThreadHandle;
use crate::util::sync::{Condvar, Mutex};

/// The pool of one runtime.
pub(crate) struct BlockingPool {
    /// The jobs that are not done.
    pub(crate) jobs: Arc<OwnedTasks>,
    max_threads: usize,
    keep_alive: Duration,
    state: Mutex<State>,
    /// Idle threads wait here for a job, or for the end.
    on_job: Condvar,
    /// Shutdown waits here for the last thread.
    on_exit: Condvar,
    pub(crate) waits: QueueWaits,
}

/// How long jobs have waited for their threads. Figures, written by many threads.
#[derive(Debug, Default)]
pub(crate) struct QueueWaits {
    /// The jobs that a thread has begun.
    pub(crate) begun: SharedCounter,
    /// The sum of their waits, in nanoseconds.
    pub(crate) total: SharedCounter,
    pub(crate) longest: SharedCounter,
}

impl QueueWaits {
    fn count(&self, since: Instant) {
        let waited = u64::try_from(sync::now().saturating_duration_since(since).as_nanos()).unwrap_or(u64::MAX);
        self.begun.add(1);
        self.total.add(waited);
        self.longest.raise_to(waited);
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    /// Threads that wait, less those that were woken and have yet to take their job.
    idle: usize,
    /// Wakes sent and not yet taken: they distinguish a wake from a time-out that came at the same
    /// moment.
    wakes: usize,
    /// Threads that were woken or started and have not come for a job yet. While there is one, a
    /// new job calls no other: the thread that comes and sees that there is more calls the next.
    coming: usize,
    /// Threads that are kept for jobs which are about to be queued.
    reserved: usize,
    /// A thread was refused that a job needed, and none was called in its stead since.
    refused: bool,
    /// Jobs that wait or run.
    unfinished: usize,
    closed: bool,
    handles: Vec<ThreadHandle<()>>,
}

/// How many jobs and threads there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Census {
    /// Jobs that no thread has begun.
    pub(crate) queued: usize,
    pub(crate) threads: usize,
    /// Threads that wait for a job.
    pub(crate) idle: usize,
}

/// A job in the queue.
pub(super) struct Job {
    pub(super) runnable: Runnable,
    /// Whether its effect has been promised to a caller: then it runs even if the pool closes
    /// before its turn.
    pub(super) is_promised: bool,
    /// When it came to the queue.
    pub(super) since: Instant,
}

/// The submitter's duty once the job is in the queue.
pub(super) enum Next {
    Nothing,
    StartThread,
    /// The pool is closed.
    Cancel(Job),
}

/// The scheduler of blocking jobs: they are never woken, so there is nothing to schedule.
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
    /// A pool of up to `max_threads` threads, each of which ends after `keep_alive` without a job.
    pub(crate) fn new(max_threads: usize, keep_alive: Duration) -> Self {
        Self {
            max_threads,
            keep_alive,
            jobs: Arc::new(OwnedTasks::new(1)),
            state: Mutex::new(State::default()),
            on_job: Condvar::new(),
            on_exit: Condvar::new(),
            waits: QueueWaits::default(),
        }
    }

    pub(super) fn scheduler(&self) -> NeverWoken {
        NeverWoken { jobs: Arc::clone(&self.jobs) }
    }

    /// Puts a job in the queue, and calls a thread for it, unless one is coming that will call
    /// the next.
    pub(super) fn enqueue(&self, job: Job) -> Next {
        let mut state = self.state.lock();
        if state.closed {
            return Next::Cancel(job);
        }
        state.queue.push_back(job);
        state.unfinished += 1;
        if state.coming > 0 {
            return Next::Nothing;
        }
        match self.call(&mut state) {
            Call::ToBeStarted => Next::StartThread,
            Call::Woken | Call::AtLimit => Next::Nothing,
        }
    }

    /// Keeps a thread for a job that is about to be queued, so that one would come for it at once:
    /// `None` if each that there may be is needed by the jobs before it.
    pub(crate) fn reserve(&self) -> Option<Reserved<'_>> {
        let mut state = self.state.lock();
        let free = state.idle + state.coming + (self.max_threads - state.threads);
        if free <= state.queue.len() + state.reserved && !state.closed {
            return None;
        }
        state.reserved += 1;
        Some(Reserved(self))
    }

    /// Keeps the handle of a thread that was started, to be joined.
    pub(super) fn keep(&self, handle: ThreadHandle<()>) {
        let mut state = self.state.lock();
        state.handles.retain(|handle| !handle.is_finished());
        state.handles.push(handle);
    }

    /// Counts out a thread that could not be started, and calls those that have become idle
    /// meanwhile. Returns the jobs, if there is no other thread, and how many others there are.
    pub(super) fn do_without_thread(&self) -> (VecDeque<Job>, usize) {
        let mut state = self.state.lock();
        state.threads -= 1;
        state.coming -= 1;
        self.call_idle(&mut state);
        let orphans = if state.threads == 0 { std::mem::take(&mut state.queue) } else { VecDeque::new() };
        state.refused = !state.queue.is_empty();
        (orphans, state.threads)
    }

    /// Calls threads for the jobs that were refused theirs. Returns how many are to be started.
    pub(super) fn call_again(&self) -> usize {
        let mut state = self.state.lock();
        state.refused = false;
        self.call_more(&mut state)
    }

    /// Takes no more jobs, and returns those that no thread has come for, to be cancelled. The
    /// promised ones stay, and as many as threads are coming, that were woken or started for them;
    /// and threads for all, since a thread leaves only once the queue is empty. In tokio's place
    /// all stay that a thread would come to.
    #[must_use = "their handles are to say cancelled"]
    pub(crate) fn close(&self) -> impl Iterator<Item = Runnable> {
        let mut state = self.state.lock();
        state.closed = true;
        self.on_job.notify_all();
        let queue = std::mem::take(&mut state.queue).into_iter().enumerate();
        let are_all_kept = drop_in::IS_ON && state.threads > 0;
        let (kept, left): (VecDeque<_>, VecDeque<_>) =
            queue.partition(|(place, job)| job.is_promised || are_all_kept || *place < state.coming);
        state.queue = kept.into_iter().map(|(_, job)| job).collect();
        drop(state);
        left.into_iter().map(|(_, job)| job.runnable)
    }

    /// Waits until every thread is done with its job. `false` if `deadline` came first.
    #[must_use]
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> bool {
        let mut state = self.state.lock();
        let has_threads = |state: &mut State| state.threads > 0;
        match deadline {
            None => self.on_exit.wait_while(&mut state, has_threads),
            Some(deadline) => _ = self.on_exit.wait_while_until(&mut state, has_threads, deadline),
        }
        state.threads == 0
    }

    /// Waits until the other threads, all of them done, are gone.
    pub(crate) fn join(&self) {
        let handles = std::mem::take(&mut self.state.lock().handles);
        join_others(handles);
    }

    /// How many there are.
    pub(crate) fn census(&self) -> Census {
        let state = self.state.lock();
        Census { queued: state.queue.len(), threads: state.threads, idle: state.idle }
    }

    /// Whether any job waits or runs.
    pub(crate) fn is_at_work(&self) -> bool {
        self.state.lock().unfinished > 0
    }

    pub(super) fn finish_job(&self) {
        self.state.lock().unfinished -= 1;
    }

    /// The next job, and how many threads to start for those behind it. `None` when the thread has
    /// waited for its keep-alive time, or the pool is closed and empty. `comes`: it was called, and
    /// this is its first job since.
    pub(super) fn next_job(&self, mut comes: bool) -> Option<(Job, usize)> {
        let mut state = self.state.lock();
        let mut may_leave = state.closed;
        loop {
            state.coming -= usize::from(comes);
            if let Some(job) = state.queue.pop_front() {
                let starts = if comes { self.call_more(&mut state) } else { 0 };
                drop(state);
                self.waits.count(job.since);
                return Some((job, starts));
            }
            if may_leave {
                return self.leave(&mut state);
            }
            (comes, may_leave) = match self.wait_for_call(&mut state) {
                Wait::Called => (true, state.closed),
                // There may be jobs still: promised ones, or one that was left to a thread that is
                // yet to be started.
                Wait::Closed | Wait::TimedOut => (false, true),
            };
        }
    }

    fn leave(&self, state: &mut State) -> Option<(Job, usize)> {
        state.threads -= 1;
        self.on_exit.notify_all();
        None
    }

    /// Calls threads for the jobs left in the queue: two at most, which call others in turn.
    /// Returns how many are to be started.
    fn call_more(&self, state: &mut State) -> usize {
        let mut starts = 0;
        while state.coming < state.queue.len().min(2) {
            match self.call(state) {
                Call::Woken => {}
                Call::ToBeStarted => starts += 1,
                Call::AtLimit => break,
            }
        }
        starts
    }

    /// Whether jobs wait that were refused a thread, though there may be more threads.
    pub(super) fn has_refused(&self) -> bool {
        let state = self.state.lock();
        state.refused && state.coming < state.queue.len() && state.threads < self.max_threads
    }

    /// Calls idle threads for the jobs left in the queue, and starts none.
    fn call_idle(&self, state: &mut State) {
        while state.idle > 0 && state.coming < state.queue.len() {
            let called = self.call(state);
            debug_assert!(matches!(called, Call::Woken), "one is idle");
        }
    }

    fn call(&self, state: &mut State) -> Call {
        if state.idle > 0 {
            state.idle -= 1;
            state.wakes += 1;
            state.coming += 1;
            self.on_job.notify_one();
            return Call::Woken;
        }
        if state.threads == self.max_threads {
            return Call::AtLimit;
        }
        state.threads += 1;
        state.coming += 1;
        Call::ToBeStarted
    }

    /// Waits for a call, for the keep-alive time.
    fn wait_for_call(&self, state: &mut crate::util::sync::MutexGuard<'_, State>) -> Wait {
        let deadline = sync::now().checked_add(self.keep_alive);
        state.idle += 1;
        loop {
            let timed_out = match deadline {
                Some(deadline) => self.on_job.wait_until(state, deadline).timed_out(),
                None => {
                    self.on_job.wait(state);
                    false
                }
            };
            if state.wakes > 0 {
                state.wakes -= 1;
                return Wait::Called;
            }
            if state.closed || timed_out {
                state.idle -= 1;
                return if state.closed { Wait::Closed } else { Wait::TimedOut };
            }
        }
    }
}

/// A thread is kept for a job, until that is in the queue and this is dropped.
#[must_use]
pub(crate) struct Reserved<'a>(&'a BlockingPool);

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.0.state.lock().reserved -= 1;
    }
}

/// How a thread's wait ended.
enum Wait {
    Called,
    Closed,
    TimedOut,
}

/// Which thread was called for a job.
enum Call {
    Woken,
    /// A thread that the caller is to start.
    ToBeStarted,
    /// There are as many as there may be.
    AtLimit,
}
