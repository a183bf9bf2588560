//! Blocking jobs: how they come to the pool, and what its threads do with them.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use crate::blocking::in_place;
use crate::blocking::pool::{Call, Job};
use crate::observe::console::{self, Kind};
use crate::scheduler::context::Role;
use crate::scheduler::refusals::NoThread;
use crate::scheduler::threads::{AbortOnUnwind, start_thread};
use crate::scheduler::{Context, Scheduler};
use crate::task::{Id, Identity, JoinHandle, Origin, allocate};

/// The one shard of the registry of jobs: the queue has a lock for all, too.
const SHARD: usize = 0;

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

    /// Does what `spawn_blocking` does for a job whose effect the caller promises to others: once
    /// this has returned a handle, the job runs, whether the runtime shuts down or not. `None` if
    /// the runtime has shut down already.
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
        let identity = self.observer.identity(Identity::new(id, origin));
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
        match self.blocking.call(&mut state) {
            Call::ToBeStarted => Next::StartThread,
            Call::Woken | Call::Nobody => Next::Nothing,
        }
    }

    fn start_blocking_thread(&self) {
        let scheduler = self.counted();
        match start_thread(self, move || serve(scheduler)) {
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
    /// has called them. Where it has none, the jobs run on a processor: late for the tasks that
    /// wait behind them there, but they are not lost.
    fn do_without_thread(&self, why: &NoThread) {
        let (orphans, others) = {
            let mut state = self.blocking.state.lock();
            state.threads -= 1;
            state.coming -= 1;
            self.blocking.call_idle(&mut state);
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
        self.threads.refusals.are_met_with() && self.blocking.has_uncalled()
    }

    /// Asks again for threads that the system has refused, if it is time to.
    pub(crate) fn start_refused_threads(&self, now: u64) {
        if self.wants_refused_threads() && !self.threads.refusals.are_recent(now) {
            let starts = self.blocking.call_more(&mut self.blocking.state.lock());
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
            // The poll owner has left the clock alone on this job's account.
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
    while let Some((job, starts)) = scheduler.blocking.next_job(comes) {
        comes = false;
        (0..starts).for_each(|_| scheduler.start_blocking_thread());
        let running = scheduler.observer.blocking_job(job.permit.spawned_at());
        job.permit.run_counted();
        entered.come_back();
        drop(running);
        scheduler.finish_blocking_job();
    }
    scheduler.config.call_stop_hook();
    drop(entered);
    std::mem::forget(guard);
}
