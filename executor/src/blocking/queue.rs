//! The queue of the blocking pool: jobs, and how many threads there are and have to be for them.
//!
//! It starts no thread and runs no job: it tells its callers to.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use wsrt_sync::drop_in;

use crate::util::sync;
use crate::util::sync::{Condvar, Mutex, MutexGuard};

/// The jobs that wait, and the count of the threads that come for them. Each job is run or
/// cancelled by way of an `R`.
#[derive(Debug)]
pub(crate) struct JobQueue<R> {
    max_threads: usize,
    keep_alive: Duration,
    state: Mutex<State<R>>,
    /// Idle threads wait here for a job, or for the end.
    on_job: Condvar,
    /// Shutdown waits here for the last thread, and the last job.
    on_exit: Condvar,
}

#[derive(Debug)]
struct State<R> {
    queue: VecDeque<Job<R>>,
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
    /// A thread was refused that a job needed, and none was called instead of it since.
    refused: bool,
    /// Jobs that wait or run.
    unfinished: usize,
    closed: bool,
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
#[derive(Debug)]
pub(super) struct Job<R> {
    pub(super) runnable: R,
    /// True if its effect has been promised to a caller: then it runs even if the pool closes
    /// before its turn.
    pub(super) is_promised: bool,
    /// When it came to the queue.
    pub(super) since: Instant,
}

/// The submitter's duty once the job is in the queue.
#[derive(Debug)]
#[must_use]
pub(super) enum Next<R> {
    Nothing,
    StartThread,
    /// The queue is closed.
    Cancel(Job<R>),
}

impl<R> State<R> {
    /// Returns whether there is neither a thread nor a job.
    fn is_over(&self) -> bool {
        self.threads == 0 && self.unfinished == 0
    }
}

impl<R> JobQueue<R> {
    /// For up to `max_threads` threads, each of which ends after `keep_alive` without a job.
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

    /// Puts a job in the queue, and calls a thread for it, unless one is coming that will call
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

    /// Keeps a thread for a job that is about to be queued, so that one would come for it at once:
    /// `None` if each that there may be is needed by the jobs before it.
    pub(super) fn reserve(&self) -> Option<Reserved<'_, R>> {
        let mut state = self.state.lock();
        let free = state.idle + state.coming + (self.max_threads - state.threads);
        if free <= state.queue.len() + state.reserved && !state.closed {
            return None;
        }
        state.reserved += 1;
        Some(Reserved(self))
    }

    /// Counts out a thread that could not be started, and calls those that have become idle in the
    /// meantime. Returns the jobs, if there is no other thread, and how many others there are.
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

    /// Waits until every thread is done, and every job: those for which a thread was refused are
    /// others' duty. `false` if `deadline` came first.
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

    /// How many there are.
    pub(super) fn census(&self) -> Census {
        let state = self.state.lock();
        Census { queued: state.queue.len(), threads: state.threads, idle: state.idle }
    }

    /// Returns whether any job waits or runs.
    pub(super) fn is_at_work(&self) -> bool {
        self.state.lock().unfinished > 0
    }

    pub(super) fn finish_job(&self) {
        let mut state = self.state.lock();
        state.unfinished -= 1;
        self.tell_if_over(&state);
    }

    /// The next job, and how many threads to start for those behind it. `None` when the thread has
    /// waited for its keep-alive time, or the pool is closed and empty. `comes`: it was called, and
    /// this is its first job since.
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

    /// Calls threads for the jobs left in the queue: two at most, which call others in turn.
    /// Returns how many are to be started.
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

    /// Returns whether jobs wait that were refused a thread, though there may be more threads.
    pub(super) fn has_refused(&self) -> bool {
        let state = self.state.lock();
        state.refused && state.coming < state.queue.len() && state.threads < self.max_threads
    }

    /// Calls idle threads for the jobs left in the queue, and starts none.
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

    /// Waits for a call, for the keep-alive time.
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

/// A thread is kept for a job, until that is in the queue and this is dropped.
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
    /// A thread that the caller is to start.
    ToBeStarted,
    /// There are as many as there may be.
    AtLimit,
}
