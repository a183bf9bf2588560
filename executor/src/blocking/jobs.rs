//! Blocking jobs: their way to the pool, and the loop of its threads.

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
use crate::task::{Identity, JoinHandle, Origin, Runnable, allocate};
use crate::util::sync;
use crate::util::unwind::AbortOnUnwind;

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

/// Runs `job` on a thread of the pool. Once the runtime shuts down, or is drained and this is
/// outside its tasks, the handle says cancelled.
pub(crate) fn spawn_blocking<'a, F, T>(scheduler: &Scheduler, job: F, origin: impl Into<Origin<'a>>) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    submit(scheduler, job, origin, false).0
}

/// Runs `job` on a thread of the pool if one would come for it at once; else gives it back.
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

/// Spawns a blocking job whose effect the caller promises to others: once this has returned a
/// handle, the job runs, whether the runtime shuts down or not. `None` if the runtime has shut down
/// already.
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

/// Queues a job; `false` if the pool is closed, and the job therefore cancelled.
fn submit<'a, F, T>(
    scheduler: &Scheduler,
    job: F,
    origin: impl Into<Origin<'a>>,
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

/// The system has refused a thread. Where the pool has others, they come to the jobs later, and
/// threads that have become idle in the meantime are called: no job that was left to the refused
/// thread has called them. Where it has none, the jobs run on a processor: late for the tasks that
/// wait behind them there, but they are not lost.
fn do_without_thread(scheduler: &Scheduler, why: &NoThread) {
    let (orphans, others) = scheduler.blocking.queue.do_without_thread();
    report_refused_job(scheduler, why, others);
    orphans.into_iter().for_each(|job| run_on_processor(scheduler, job));
    // The others may be waiting for the very jobs that wait for them: the watcher asks again.
    // Without one, on a current-thread runtime, the next job does.
    scheduler.idle.watcher().wake_if_asleep();
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

/// A promised job runs right here, since the processors may be about to leave.
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
    /// Asks again for threads that the system has refused to the pool, if it is time to.
    pub(crate) fn start_refused_threads(&self, now: u64) {
        if self.wants_refused_threads() && !self.threads.refusals.are_recent(now) {
            (0..self.blocking.queue.call_again()).for_each(|_| start_pool_thread(self));
        }
    }

    /// Returns whether a job waits for a thread that the system has refused to it.
    pub(crate) fn wants_refused_threads(&self) -> bool {
        self.blocking.queue.has_refused()
    }
}

/// The loop of a thread of the pool.
fn serve(scheduler: Arc<Scheduler>) {
    let guard = AbortOnUnwind;
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
