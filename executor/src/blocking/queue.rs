//! The queue of the blocking pool: the jobs, and the count of the threads that exist and are
//! needed.
//!
//! The queue itself starts no threads and runs no jobs, but tells its callers to do so.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wsrt_sync::drop_in;

use crate::util::sync;
use crate::util::sync::{Condvar, Mutex, MutexGuard};

/// The waiting jobs, and the count of the threads that come for them. `R` is the handle by which a
/// job is run or cancelled.
#[derive(Debug)]
pub(crate) struct JobQueue<R> {
    max_threads: usize,
    keep_alive: Duration,
    state: Mutex<State<R>>,
    /// Wakes idle threads when there is a job, or when the pool closes.
    on_job: Condvar,
    /// Wakes the shutdown after the last thread and the last job.
    on_exit: Condvar,
}

#[derive(Debug)]
struct State<R> {
    queue: VecDeque<Job<R>>,
    threads: usize,
    /// The number of waiting threads, without those that were woken and have yet to take their job.
    idle: usize,
    /// The number of wakes sent and not yet received, which distinguishes a wake from a time-out at
    /// the same moment.
    wakes: usize,
    /// The number of threads that were woken or started and have not come for a job yet. While it
    /// is not zero, a new job calls no thread: a thread that comes and sees more jobs calls the
    /// next one.
    coming: usize,
    /// The number of threads reserved for jobs that are about to be queued.
    reserved: usize,
    /// True if a thread that a job needed was refused, and no other thread has been called since.
    refused: bool,
    /// The number of jobs that are waiting or running.
    unfinished: usize,
    closed: bool,
}

/// The numbers of queued jobs and of threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Census {
    /// The number of jobs that no thread has begun.
    pub(crate) queued: usize,
    pub(crate) threads: usize,
    /// The number of threads that wait for a job.
    pub(crate) idle: usize,
}

/// A job in the queue.
#[derive(Debug)]
pub(super) struct Job<R> {
    pub(super) runnable: R,
    /// True if the job's effect has been promised to a caller, so that it runs even if the pool
    /// closes before its turn.
    pub(super) is_promised: bool,
    /// The time at which the job was queued.
    pub(super) since: Instant,
}

/// What the submitter has to do after queueing a job.
#[derive(Debug)]
#[must_use]
pub(super) enum Next<R> {
    Nothing,
    StartThread,
    /// Cancel the job, because the queue is closed.
    Cancel(Job<R>),
}

impl<R> State<R> {
    /// Returns whether there are neither threads nor jobs left.
    fn is_over(&self) -> bool {
        self.threads == 0 && self.unfinished == 0
    }
}

impl<R> JobQueue<R> {
    /// Creates the queue for up to `max_threads` threads, each of which exits after `keep_alive`
    /// without a job.
    pub(super) fn new(max_threads: usize, keep_alive: Duration) -> Self {
        let state = State {
            queue: VecDeque::new(),
            threads: 0,
            idle: 0,
            wakes: 0,
            coming: 0,
            reserved: 0,
            refused: false,
            unfinished: 0,
            closed: false,
        };
        Self { max_threads, keep_alive, state: Mutex::new(state), on_job: Condvar::new(), on_exit: Condvar::new() }
    }

    /// Queues a job and calls a thread for it, unless a thread is already coming, which will call
    /// the next.
    pub(super) fn enqueue(&self, job: Job<R>) -> Next<R> {
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

    /// Reserves a thread for a job that is about to be queued and would start immediately. Returns
    /// `None` if the jobs before it need every thread that there may be.
    pub(super) fn reserve(&self) -> Option<Reserved<'_, R>> {
        let mut state = self.state.lock();
        let free = state.idle + state.coming + (self.max_threads - state.threads);
        if free <= state.queue.len() + state.reserved && !state.closed {
            return None;
        }
        state.reserved += 1;
        Some(Reserved(self))
    }

    /// Removes a thread that could not be started from the count, and calls threads that have
    /// become idle in the meantime. Returns the jobs if there is no other thread, and the number of
    /// other threads.
    pub(super) fn do_without_thread(&self) -> (VecDeque<Job<R>>, usize) {
        let mut state = self.state.lock();
        state.threads -= 1;
        state.coming -= 1;
        self.call_idle(&mut state);
        let orphans = if state.threads == 0 { std::mem::take(&mut state.queue) } else { VecDeque::new() };
        state.refused = !state.queue.is_empty();
        self.tell_if_over(&state);
        (orphans, state.threads)
    }

    /// Calls threads for the jobs whose thread was refused. Returns the number of threads to start.
    pub(super) fn call_again(&self) -> usize {
        let mut state = self.state.lock();
        state.refused = false;
        self.call_more(&mut state)
    }

    /// Closes the queue to new jobs, and returns the jobs that must be cancelled. Promised jobs
    /// stay, and as many others as there are threads on their way, because a thread leaves only
    /// once the queue is empty. In the tokio drop-in, all jobs stay as long as there is a thread.
    #[must_use = "their handles are to say cancelled"]
    pub(super) fn close(&self) -> impl Iterator<Item = R> {
        let mut state = self.state.lock();
        state.closed = true;
        self.on_job.notify_all();
        let queue = std::mem::take(&mut state.queue).into_iter().enumerate();
        let are_all_kept = drop_in::IS_ON && state.threads > 0;
        let (kept, left): (VecDeque<_>, VecDeque<_>) =
            queue.partition(|(place, job)| job.is_promised || are_all_kept || *place < state.coming);
        state.queue = kept.into_iter().map(|(_, job)| job).collect();
        state.unfinished -= left.len();
        drop(state);
        left.into_iter().map(|(_, job)| job.runnable)
    }

    /// Waits until all threads and jobs are done. Jobs whose thread was refused are run by others.
    /// Returns `false` if `deadline` passes first.
    #[must_use]
    pub(super) fn wait(&self, deadline: Option<Instant>) -> bool {
        let mut state = self.state.lock();
        let goes_on = |state: &mut State<R>| !state.is_over();
        match deadline {
            None => self.on_exit.wait_while(&mut state, goes_on),
            Some(deadline) => _ = self.on_exit.wait_while_until(&mut state, goes_on, deadline),
        }
        state.is_over()
    }

    fn tell_if_over(&self, state: &State<R>) {
        if state.is_over() {
            self.on_exit.notify_all();
        }
    }

    /// Returns the numbers of queued jobs and of threads.
    pub(super) fn census(&self) -> Census {
        let state = self.state.lock();
        Census { queued: state.queue.len(), threads: state.threads, idle: state.idle }
    }

    /// Returns whether any job is waiting or running.
    pub(super) fn is_at_work(&self) -> bool {
        self.state.lock().unfinished > 0
    }

    pub(super) fn finish_job(&self) {
        let mut state = self.state.lock();
        state.unfinished -= 1;
        self.tell_if_over(&state);
    }

    /// Returns the next job, and the number of threads to start for the jobs behind it. Returns
    /// `None` if the thread has waited for its keep-alive time, or if the pool is closed and empty.
    /// `comes` tells that the thread was called and has taken no job since.
    pub(super) fn next_job(&self, mut comes: bool) -> Option<(Job<R>, usize)> {
        let mut state = self.state.lock();
        let mut may_leave = state.closed;
        loop {
            state.coming -= usize::from(comes);
            if let Some(job) = state.queue.pop_front() {
                let starts = if comes { self.call_more(&mut state) } else { 0 };
                return Some((job, starts));
            }
            if may_leave {
                self.leave(&mut state);
                return None;
            }
            (comes, may_leave) = match self.wait_for_call(&mut state) {
                Wait::Called => (true, state.closed),
                // There may be jobs still: promised ones, or one that was left to a thread that is
                // yet to be started.
                Wait::Closed | Wait::TimedOut => (false, true),
            };
        }
    }

    fn leave(&self, state: &mut State<R>) {
        state.threads -= 1;
        self.tell_if_over(state);
    }

    /// Calls up to two threads for the jobs left in the queue, which call further threads in turn.
    /// Returns the number of threads to start.
    fn call_more(&self, state: &mut State<R>) -> usize {
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

    /// Returns whether jobs whose thread was refused still wait although the pool may have more
    /// threads.
    pub(super) fn has_refused(&self) -> bool {
        let state = self.state.lock();
        state.refused && state.coming < state.queue.len() && state.threads < self.max_threads
    }

    /// Calls idle threads for the jobs left in the queue, without starting new threads.
    fn call_idle(&self, state: &mut State<R>) {
        while state.idle > 0 && state.coming < state.queue.len() {
            let called = self.call(state);
            debug_assert!(matches!(called, Call::Woken), "one is idle");
        }
    }

    fn call(&self, state: &mut State<R>) -> Call {
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

    /// Waits for a call, until the keep-alive time has passed.
    fn wait_for_call(&self, state: &mut MutexGuard<'_, State<R>>) -> Wait {
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

/// Reserves a thread for a job until dropped, after the job has been queued.
#[must_use]
pub(crate) struct Reserved<'a, R>(&'a JobQueue<R>);

impl<R> Drop for Reserved<'_, R> {
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
    /// A new thread, which the caller has to start.
    ToBeStarted,
    /// No thread, because the pool has as many threads as allowed.
    AtLimit,
}
