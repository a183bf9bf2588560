//! The blocking pool: threads for jobs that block, started on demand, kept alive for a while,
//! limited in number.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::thread::JoinHandle as ThreadHandle;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use wsrt_trace::{Activity, EventKind};

use crate::blocking::in_place;
use crate::observe::console;
use crate::observe::console::Kind;
use crate::scheduler::context::Role;
use crate::scheduler::refusals::NoThread;
use crate::scheduler::threads::AbortOnUnwind;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, Identity, JoinHandle, Origin, OwnedTasks, Runnable, Schedule, TaskRef, allocate};

/// The pool of one runtime.
pub(crate) struct BlockingPool {
    /// The jobs that are not done.
    pub(crate) jobs: Arc<OwnedTasks>,
    state: Mutex<State>,
    /// Idle threads wait here for a job, or for the end.
    on_job: Condvar,
    /// Shutdown waits here for the last thread.
    on_exit: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    /// Threads that wait, less those that were woken and have yet to take their job.
    idle: usize,
    /// Wakes sent and not yet taken: what tells a wake from a time-out that came at the same
    /// moment.
    wakes: usize,
    /// Threads that were woken or started and have not come for a job yet. While there is one, a
    /// new job calls no other: whoever comes and sees that there is more calls the next.
    coming: usize,
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

/// The one shard of the registry of jobs: the queue has a lock for all, too.
const SHARD: usize = 0;

/// A job in the queue.
struct Job {
    permit: Runnable,
    /// Whether its effect has been promised to somebody: then it runs even if the pool closes
    /// before its turn.
    is_promised: bool,
}

/// The scheduler of blocking jobs: they are never woken, so there is nothing to schedule.
#[derive(Debug, Clone)]
struct NeverWoken {
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

/// A closure as a future that is ready at its first poll.
struct Blocking<F>(Option<F>);

impl<F> Unpin for Blocking<F> {}

impl<F: FnOnce() -> T, T> Future for Blocking<F> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<T> {
        let job = self.0.take().expect("a blocking job is polled once");
        Poll::Ready(job())
    }
}

impl BlockingPool {
    pub(crate) fn new() -> Self {
        Self {
            jobs: Arc::new(OwnedTasks::new(1)),
            state: Mutex::new(State::default()),
            on_job: Condvar::new(),
            on_exit: Condvar::new(),
        }
    }

    fn scheduler(&self) -> NeverWoken {
        NeverWoken { jobs: Arc::clone(&self.jobs) }
    }

    /// Takes no more jobs, and returns those that no thread has begun, to be cancelled. The
    /// promised ones stay, and threads for them, since a thread leaves only once the queue is
    /// empty.
    #[must_use = "their handles are to say cancelled"]
    pub(crate) fn close(&self) -> impl Iterator<Item = Runnable> {
        let mut state = self.state.lock();
        state.closed = true;
        self.on_job.notify_all();
        let queue = std::mem::take(&mut state.queue).into_iter();
        let (promised, left): (VecDeque<_>, VecDeque<_>) = queue.partition(|job| job.is_promised);
        state.queue = promised;
        drop(state);
        left.into_iter().map(|job| job.permit)
    }

    /// Waits until every thread is done with its job. `false` if `deadline` came first.
    #[must_use]
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> bool {
        let mut state = self.state.lock();
        while state.threads > 0 {
            match deadline {
                None => self.on_exit.wait(&mut state),
                Some(deadline) => {
                    if self.on_exit.wait_until(&mut state, deadline).timed_out() {
                        return state.threads == 0;
                    }
                }
            }
        }
        true
    }

    /// Waits until the threads, all of them done, are gone.
    pub(crate) fn join(&self) {
        let handles = std::mem::take(&mut self.state.lock().handles);
        for handle in handles {
            let _ = handle.join();
        }
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

    fn finish_job(&self) {
        self.state.lock().unfinished -= 1;
    }

    /// The next job, and how many threads to start for those behind it. `None` when the thread has
    /// waited for its keep-alive time, or the pool is closed and empty. `comes`: it was called, and
    /// this is its first job since.
    fn next_job(&self, scheduler: &Scheduler, mut comes: bool) -> Option<(Job, usize)> {
        let mut state = self.state.lock();
        let mut may_leave = state.closed;
        loop {
            state.coming -= usize::from(comes);
            if let Some(job) = state.queue.pop_front() {
                let starts = if comes { self.call_more(&mut state, scheduler) } else { 0 };
                return Some((job, starts));
            }
            if may_leave {
                return self.leave(&mut state);
            }
            (comes, may_leave) = match self.wait_for_call(&mut state, scheduler) {
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

    /// Calls threads for what is left in the queue: two at most, who call others in turn. Returns
    /// how many are to be started.
    fn call_more(&self, state: &mut State, scheduler: &Scheduler) -> usize {
        let mut starts = 0;
        while state.coming < state.queue.len().min(2) {
            match self.call(state, scheduler) {
                Call::Woken => {}
                Call::ToBeStarted => starts += 1,
                Call::Nobody => break,
            }
        }
        starts
    }

    /// Whether jobs wait that nobody was called for, though there may be more threads.
    fn has_uncalled(&self, scheduler: &Scheduler) -> bool {
        let state = self.state.lock();
        state.coming < state.queue.len() && state.threads < scheduler.config.max_blocking_threads
    }

    /// Calls idle threads for what is left in the queue, and starts none.
    fn call_idle(&self, state: &mut State, scheduler: &Scheduler) {
        while state.idle > 0 && state.coming < state.queue.len() {
            let called = self.call(state, scheduler);
            debug_assert!(matches!(called, Call::Woken), "one is idle");
        }
    }

    fn call(&self, state: &mut State, scheduler: &Scheduler) -> Call {
        if state.idle > 0 {
            state.idle -= 1;
            state.wakes += 1;
            state.coming += 1;
            self.on_job.notify_one();
            return Call::Woken;
        }
        if state.threads == scheduler.config.max_blocking_threads {
            return Call::Nobody;
        }
        state.threads += 1;
        state.coming += 1;
        Call::ToBeStarted
    }

    /// Waits for a call, for the keep-alive time.
    fn wait_for_call(&self, state: &mut parking_lot::MutexGuard<'_, State>, scheduler: &Scheduler) -> Wait {
        let deadline = Instant::now().checked_add(scheduler.config.thread_keep_alive);
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

/// How a thread's wait ended.
enum Wait {
    Called,
    Closed,
    TimedOut,
}

/// Who was called for a job.
enum Call {
    Woken,
    /// A thread that the caller is to start.
    ToBeStarted,
    /// There are as many as there may be.
    Nobody,
}

/// What a submitter has to do once the job is in the queue.
enum Next {
    Nothing,
    StartThread,
    /// The pool is closed.
    Cancel(Job),
}

impl Scheduler {
    /// Runs `job` on a thread of the pool. Once the runtime shuts down, or is drained and this is
    /// outside of its tasks, the handle says cancelled.
    pub(crate) fn spawn_blocking<'a, F, T>(&self, job: F, origin: impl Into<Origin<'a>>) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        self.submit_blocking(job, origin, false).0
    }

    /// As `spawn_blocking`, for a job whose effect the caller promises to others: once this has
    /// returned a handle, the job runs, whether the runtime shuts down or not. `None` if the
    /// runtime has shut down already.
    pub(crate) fn spawn_promised<F, T>(&self, job: F, origin: &'static Location<'static>) -> Option<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (handle, accepted) = self.submit_blocking(job, origin, true);
        accepted.then_some(handle)
    }

    /// Queues a job; `false` if the pool is closed, and the job therefore cancelled.
    fn submit_blocking<'a, F, T>(
        &self,
        job: F,
        origin: impl Into<Origin<'a>>,
        is_promised: bool,
    ) -> (JoinHandle<T>, bool)
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        let (id, origin) = (Id::next(), origin.into());
        let future =
            console::watch(Blocking(Some(job)), Kind::blocking::<F>(), id.as_u64(), origin.name, origin.spawned_at);
        let identity = self.observe_identity(Identity::new(id, origin));
        // SAFETY: the closure and its result are Send.
        let (task, permit, handle) = unsafe { allocate(future, self.blocking.scheduler(), identity) };
        let jobs = &self.blocking.jobs;
        if jobs.bind(SHARD, task).or_else(|task| self.bind_follow_up(jobs, SHARD, task)).is_err() {
            permit.cancel();
            return (handle, false);
        }
        match self.enqueue(Job { permit, is_promised }) {
            Next::Nothing => {}
            Next::StartThread => self.start_blocking_thread(),
            Next::Cancel(job) => {
                job.permit.cancel();
                return (handle, false);
            }
        }
        (handle, true)
    }

    fn enqueue(&self, job: Job) -> Next {
        let mut state = self.blocking.state.lock();
        if state.closed {
            return Next::Cancel(job);
        }
        state.queue.push_back(job);
        state.unfinished += 1;
        if state.coming > 0 {
            return Next::Nothing;
        }
        match self.blocking.call(&mut state, self) {
            Call::ToBeStarted => Next::StartThread,
            Call::Woken | Call::Nobody => Next::Nothing,
        }
    }

    fn start_blocking_thread(&self) {
        let scheduler = self.counted();
        match self.start_thread(move || serve(scheduler)) {
            Ok(handle) => {
                let mut state = self.blocking.state.lock();
                state.handles.retain(|handle| !handle.is_finished());
                state.handles.push(handle);
            }
            Err(why) => self.do_without_thread(&why),
        }
    }

    /// The system has refused a thread. Where the pool has others, they come to the jobs later, and
    /// those that have become idle meanwhile are called: no job that was left to the refused thread
    /// has called them. Where it has none, the jobs run on a processor: late for those who wait
    /// behind them there, but they are not lost.
    fn do_without_thread(&self, why: &NoThread) {
        let (orphans, others) = {
            let mut state = self.blocking.state.lock();
            state.threads -= 1;
            state.coming -= 1;
            self.blocking.call_idle(&mut state, self);
            let orphans = if state.threads == 0 { std::mem::take(&mut state.queue) } else { VecDeque::new() };
            (orphans, state.threads)
        };
        self.report_refused_job(why, others);
        orphans.into_iter().for_each(|job| self.run_on_processor(job));
        // The others may be waiting for the very jobs that wait for them: the watcher asks again.
        // Without one, on a current-thread runtime, the next job does.
        self.idle.watcher().wake_if_asleep();
    }

    fn report_refused_job(&self, why: &NoThread, others: usize) {
        let NoThread::Refused(error) = why else { return };
        let refusals = &self.threads.refusals.of_jobs;
        let fate = if others == 0 { "it runs on a processor" } else { "it waits for one of those that there are" };
        refusals.report(format_args!("no thread for a blocking job ({error}); {fate}"));
    }

    /// Whether a job waits for a thread, and the last one that the system was asked for was
    /// refused.
    pub(crate) fn wants_refused_threads(&self) -> bool {
        self.threads.refusals.are_met_with() && self.blocking.has_uncalled(self)
    }

    /// Asks again for threads that the system has refused, if it is time to.
    pub(crate) fn start_refused_threads(&self, now: u64) {
        if self.wants_refused_threads() && !self.threads.refusals.are_recent(now) {
            let starts = self.blocking.call_more(&mut self.blocking.state.lock(), self);
            (0..starts).for_each(|_| self.start_blocking_thread());
        }
    }

    /// A promised job runs right here, since the processors may be about to leave.
    fn run_on_processor(&self, job: Job) {
        if job.is_promised {
            in_place::block_in_place(|| job.permit.run_counted());
            return self.finish_blocking_job();
        }
        drop(self.counted().spawn(async move { job.permit.run_counted() }, Location::caller()));
        // What runs on a processor is no reason for a clock to stand.
        self.finish_blocking_job();
    }

    fn finish_blocking_job(&self) {
        self.blocking.finish_job();
        if self.clock.is_stopped() {
            // Whoever keeps the netpoller has left the clock alone on this job's account.
            self.netpoller.interrupt();
        }
    }
}

/// What a thread of the pool does.
fn serve(scheduler: Arc<Scheduler>) {
    let guard = AbortOnUnwind;
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Blocking);
    scheduler.config.call_start_hook(&entered);
    let mut comes = true;
    while let Some((job, starts)) = scheduler.blocking.next_job(&scheduler, comes) {
        comes = false;
        (0..starts).for_each(|_| scheduler.start_blocking_thread());
        scheduler.observer.show_at(EventKind::Enter(Activity::BlockingJob), job.permit.spawned_at());
        job.permit.run_counted();
        entered.come_back();
        scheduler.observer.show(EventKind::Leave(Activity::BlockingJob));
        scheduler.finish_blocking_job();
    }
    scheduler.config.call_stop_hook();
    drop(entered);
    std::mem::forget(guard);
}

impl fmt::Debug for BlockingPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingPool").finish_non_exhaustive()
    }
}
