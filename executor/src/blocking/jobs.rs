//! Blocking jobs: how they get to the pool, and the loop of the pool's threads.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};

use crate::blocking::in_place;
use crate::blocking::queue::{Job, Next};
use crate::observe::console;
use crate::scheduler::context::Role;
use crate::scheduler::drain::bind_follow_up;
use crate::scheduler::threads::NoThread;
use crate::scheduler::worker::start::start_thread;
use crate::scheduler::{Context, Scheduler};
use crate::task::{Identity, JoinHandle, Runnable, SpawnOrigin, allocate};
use crate::util::sync;
use crate::util::unwind::AbortOnUnwind;

/// The only shard of the job registry, since the queue has a single lock, too.
const SHARD: usize = 0;

/// A closure as a future that completes on its first poll.
struct Blocking<F>(Option<F>);

impl<F> Unpin for Blocking<F> {}

impl<F: FnOnce() -> T, T> Future for Blocking<F> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<T> {
        let job = self.0.take().expect("a blocking job is polled once");
        Poll::Ready(job())
    }
}

/// Runs `job` on a thread of the pool. If the runtime shuts down first, or is draining and the
/// caller is not one of its tasks, the handle reports a cancelled task.
pub(crate) fn spawn_blocking<'a, F, T>(
    scheduler: &Scheduler,
    job: F,
    origin: impl Into<SpawnOrigin<'a>>,
) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    submit(scheduler, job, origin, false).0
}

/// Runs `job` on a thread of the pool if a thread is available immediately, and otherwise returns
/// `job`.
pub(crate) fn try_spawn_blocking<F, T>(
    scheduler: &Scheduler,
    job: F,
    origin: &'static Location<'static>,
) -> Result<JoinHandle<T>, F>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match scheduler.blocking.reserve() {
        Some(_reserved) => Ok(spawn_blocking(scheduler, job, origin)),
        None => Err(job),
    }
}

/// Spawns a blocking job whose effect was promised to others: once a handle is returned, the job
/// runs even if the runtime shuts down. Returns `None` if the runtime has already shut down.
pub(crate) fn spawn_promised<F, T>(
    scheduler: &Scheduler,
    job: F,
    origin: &'static Location<'static>,
) -> Option<JoinHandle<T>>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let (handle, accepted) = submit(scheduler, job, origin, true);
    accepted.then_some(handle)
}

/// Queues a job. Returns `false` if the pool is closed, in which case the job is cancelled.
fn submit<'a, F, T>(
    scheduler: &Scheduler,
    job: F,
    origin: impl Into<SpawnOrigin<'a>>,
    is_promised: bool,
) -> (JoinHandle<T>, bool)
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let ((id, _), origin) = (scheduler.next_shared_id(), origin.into());
    let job = Blocking(Some(job));
    let future = console::watch::<F, _>(job, "blocking", id.as_u64(), origin.name, origin.spawned_at);
    let identity = scheduler.observer.identity(Identity::new(id, origin));
    // SAFETY: the closure and its result are Send.
    let (task, runnable, handle) = unsafe { allocate(future, scheduler.blocking.scheduler(), identity) };
    let jobs = &scheduler.blocking.jobs;
    if jobs.bind(SHARD, task).or_else(|task| bind_follow_up(scheduler, jobs, SHARD, task)).is_err() {
        runnable.cancel();
        return (handle, false);
    }
    if let Some(simulation) = &scheduler.simulation {
        return match simulation.queue_job(scheduler.clock.timer_now(), runnable, is_promised) {
            Ok(()) => (handle, true),
            Err(runnable) => {
                runnable.cancel();
                (handle, false)
            }
        };
    }
    match scheduler.blocking.queue.enqueue(Job { runnable, is_promised, since: sync::now() }) {
        Next::Nothing => {}
        Next::StartThread => start_pool_thread(scheduler),
        Next::Cancel(job) => {
            job.runnable.cancel();
            return (handle, false);
        }
    }
    (handle, true)
}

fn start_pool_thread(scheduler: &Scheduler) {
    let own = scheduler.counted();
    match start_thread(scheduler, move || serve(own)) {
        Ok(handle) => scheduler.blocking.keep(handle),
        Err(why) => do_without_thread(scheduler, &why),
    }
}

/// Handles the OS's refusal to start a thread. If the pool has other threads, they take the jobs
/// later; threads that have become idle in the meantime are called here, since the jobs left to the
/// refused thread have not called any. If the pool has no thread, the jobs run on a processor,
/// where they delay other tasks but are not lost.
fn do_without_thread(scheduler: &Scheduler, why: &NoThread) {
    let (orphans, others) = scheduler.blocking.queue.do_without_thread();
    report_refused_job(scheduler, why, others);
    orphans.into_iter().for_each(|job| run_on_processor(scheduler, job));
    // The others may be waiting for the very jobs that wait for them: the watcher asks again.
    // Without one, on a current-thread runtime, the next job does.
    scheduler.idle.watcher().wake_if_resting();
}

fn report_refused_job(scheduler: &Scheduler, why: &NoThread, others: usize) {
    let NoThread::Refused(error) = why else { return };
    let refusals = &scheduler.threads.refusals.of_jobs;
    let fate = if others == 0 { "it runs on a processor" } else { "it waits for one of those that there are" };
    refusals.report(format_args!(
        "no thread for a blocking job ({error}); {fate} (raise the limit on threads: `ulimit -u`, or `pids.max` of the control \
         group)"
    ));
}

/// Runs a job on a processor. A promised job runs right here, since the processors may be about to
/// stop.
fn run_on_processor(scheduler: &Scheduler, job: Job<Runnable>) {
    if job.is_promised {
        in_place::block_in_place(|| job.runnable.run_counted());
        return finish_job(scheduler);
    }
    let scheduler = scheduler.counted();
    // As the thread that it replaces: the end waits for this one to finish the job, so that
    // the destructor of one that is refused must not wait for the end.
    let _entered = Context::enter(&scheduler, Role::Blocking);
    drop(scheduler.spawn(async move { Context::run_as_job(|| job.runnable.run_counted()) }, Location::caller()));
    // A job that runs on a processor is no reason for a clock to stand.
    finish_job(&scheduler);
}

fn finish_job(scheduler: &Scheduler) {
    scheduler.blocking.queue.finish_job();
    if scheduler.clock.is_stopped() {
        // The poll owner has left the clock alone on this job's account.
        scheduler.netpoller.interrupt();
    }
}

impl Scheduler {
    /// Retries to start threads that the OS has refused to the pool, if a retry is due.
    pub(crate) fn start_refused_threads(&self, now: u64) {
        if self.wants_refused_threads() && !self.threads.refusals.are_recent(now) {
            (0..self.blocking.queue.call_again()).for_each(|_| start_pool_thread(self));
        }
    }

    /// Returns whether a job waits for a thread that the OS has refused.
    pub(crate) fn wants_refused_threads(&self) -> bool {
        self.blocking.queue.has_refused()
    }
}

/// The loop of a pool thread.
fn serve(scheduler: Arc<Scheduler>) {
    let guard = AbortOnUnwind::OF_A_THREAD;
    let _tokio = scheduler.tokio.enter();
    let entered = Context::enter(&scheduler, Role::Blocking);
    scheduler.config.call_start_hook(&entered);
    let mut comes = true;
    while let Some((job, starts)) = scheduler.blocking.queue.next_job(comes) {
        scheduler.blocking.waits.count(job.since);
        comes = false;
        (0..starts).for_each(|_| start_pool_thread(&scheduler));
        let running = scheduler.observer.blocking_job(job.runnable.spawned_at());
        job.runnable.run_counted();
        entered.come_back();
        drop(running);
        finish_job(&scheduler);
    }
    scheduler.config.call_stop_hook();
    drop(entered);
    std::mem::forget(guard);
}
