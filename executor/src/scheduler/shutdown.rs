//! The end: every machine leaves its loop, and the last one out drops the tasks that are left.

use std::time::{Duration, Instant};

use crate::scheduler::context::Role;
use crate::scheduler::core::sleep::WakingSide;
use crate::scheduler::simulation::Simulation;
use crate::scheduler::{Context, Scheduler, ending};
use crate::task::{Runnable, TaskRef};
use crate::util::backoff::Backoff;
use crate::util::sync::atomic::Ordering::SeqCst;
use crate::util::sync::atomic::fence;
use crate::util::unwind::wake_quietly;

/// Begins to shut down: machines leave as soon as their polls return, and nothing new is
/// spawned. Waits for nothing. Only the first call counts.
pub(crate) fn begin(scheduler: &Scheduler) {
    if !scheduler.shutdown.presence.begin() {
        return;
    }
    ending::tell(&scheduler.ending);
    scheduler.idle.everyone().iter().for_each(|machine| scheduler.rouse(machine));
    scheduler.interrupt_netpoller();
    scheduler.idle.watcher().wake();
    depart(scheduler);
}

/// Counts the calling thread out. It drops the waiting tasks, for a poll that is stuck may be
/// waiting, in a blocking way, for one of them, and learns of its end by that drop.
pub(crate) fn depart(scheduler: &Scheduler) {
    if scheduler.shutdown.has_begun() {
        inside(scheduler, || drop_waiting_tasks(scheduler));
    }
    match scheduler.shutdown.presence.depart() {
        0 => {
            inside(scheduler, || drop_all_tasks(scheduler));
            scheduler.shutdown.finish();
        }
        // The watcher, if the runtime has one, waits for the others.
        1 => scheduler.idle.watcher().wake(),
        _ => {}
    }
}

/// Drops the waiting tasks once in each `period`, until all threads but the watcher's, the
/// calling one, have departed. A poll may list a task before the end begins, queue the task
/// after the other threads have departed, and then wait for the task's end in a way that the
/// runtime does not see.
pub(crate) fn outstay_others(scheduler: &Scheduler, period: Duration) {
    while !scheduler.shutdown.presence.is_last() {
        inside(scheduler, || drop_waiting_tasks(scheduler));
        scheduler.idle.watcher().nap(period);
    }
}

/// Calls `f`, which drops futures, on a thread that is inside this runtime for that time, and
/// inside tokio's: destructors may spawn, and find that nothing is run any more.
fn inside(scheduler: &Scheduler, f: impl FnOnce()) {
    let scheduler = scheduler.counted();
    let _tokio = scheduler.tokio.enter();
    let _entered = Context::enter(&scheduler, Role::Ending);
    // The tasks that are left end on their hosts' tracks, though no thread drives the simulation.
    let _hosts = scheduler.simulation.as_ref().map(Simulation::override_hosts);
    f();
}

/// Waits until all tasks are dropped and all threads gone. `false` if `deadline` came first.
#[must_use]
pub(crate) fn wait(scheduler: &Scheduler, deadline: Option<Instant>) -> bool {
    let machines_left = scheduler.shutdown.wait(deadline);
    let pool_left = scheduler.blocking.wait(deadline);
    if machines_left {
        scheduler.threads.join();
    }
    if pool_left {
        scheduler.blocking.join();
    }
    machines_left && pool_left
}

/// Drops every future that waits: for a socket or a timer, for another task, for its turn in a
/// queue. Those whose polls are running are marked, and dropped when the poll ends. Others may
/// do the same at the same time.
///
/// Waits for a socket or a timer of this runtime outside its tasks are woken, to return an
/// error: waits of a blocking job, of a poll that blocks in a nested `block_on`, of other threads.
fn drop_waiting_tasks(scheduler: &Scheduler) {
    let mut wakers = Vec::new();
    scheduler.netpoller.shut_down(&mut wakers);
    scheduler.processors.shut_timers_down(&mut wakers);
    // Whatever is dropped, both take nothing more by then: a destructor may try either.
    let jobs = scheduler.blocking.close();
    let simulated_jobs = scheduler.simulation.as_ref().map(Simulation::close_jobs);
    scheduler.tasks.close(TaskRef::shut_down);
    wakers.into_iter().for_each(wake_quietly);
    jobs.chain(simulated_jobs.into_iter().flatten()).for_each(Runnable::cancel);
    cancel_queued(scheduler);
    scheduler.simulation.iter().for_each(Simulation::forget_program);
}

/// Drops every future that is still alive. By the last one out, so that nothing is polled any
/// more.
///
/// A future's drop may wake tasks and try to spawn; a foreign thread may just have taken a
/// `Runnable` and be on its way to the injector. So this goes round until the registry is
/// empty: a task leaves it when its future is gone.
fn drop_all_tasks(scheduler: &Scheduler) {
    drop_waiting_tasks(scheduler);
    let mut backoff = Backoff::new();
    while !scheduler.tasks.is_empty() {
        backoff.wait();
        cancel_queued(scheduler);
    }
}

/// Drops the queued tasks, if the end has begun. For a thread that is about to wait inside a poll
/// or a waker, perhaps for a task that it has queued: the others may have departed before that.
pub(crate) fn drop_queued_at_the_end(scheduler: &Scheduler) {
    // Pairs with the fence in `cancel_queued`: the end is seen here, or the task is seen there.
    fence(SeqCst);
    if scheduler.shutdown.has_begun() {
        inside(scheduler, || cancel_queued(scheduler));
    }
}

/// Cancels all queued tasks, on processors that are stuck in a poll too.
fn cancel_queued(scheduler: &Scheduler) {
    // Pairs with the fence in `drop_queued_at_the_end`, after which a thread looks for the end.
    fence(SeqCst);
    while let Some(task) = scheduler.injector.take().or_else(|| scheduler.background.take()) {
        task.cancel();
    }
    for processor in scheduler.processors.iter() {
        processor.rob().for_each(Runnable::cancel);
    }
}
