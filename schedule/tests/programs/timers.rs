//! Timers: armed, fired, moved and cancelled.

use std::time::Duration;

use wsrt::runtime::Runtime;
use wsrt::sync::Notify;
use wsrt::time::{sleep, timeout};
use wsrt_schedule::{thread, time};

use crate::support::{Gate, current_thread, runtime};

const MILLISECOND: Duration = Duration::from_millis(1);
/// A timer that is this late was forgotten, and found again by accident.
const LATE: Duration = Duration::from_secs(30);

fn slept_in_time(runtime: &Runtime, tasks: u32) {
    let (began, idle) = (time::now(), time::idle());
    runtime.block_on(async {
        let tasks: Vec<_> = (1..=tasks).map(|number| wsrt::spawn(sleep(number * MILLISECOND))).collect();
        for task in tasks {
            task.await.expect("no panic");
        }
    });
    let (took, idle) = (time::now() - began, time::idle() - idle);
    assert!(took >= tasks * MILLISECOND, "{tasks} tasks slept for {took:?}");
    assert!(idle < (tasks + 2) * MILLISECOND, "all threads slept for {idle:?}");
}

/// Sleeps of tasks end, none of them early.
pub(crate) fn sleeps() {
    slept_in_time(&runtime(2), 3);
}

/// Sleeps on the thread that drives its runtime.
pub(crate) fn sleeps_on_one_thread() {
    slept_in_time(&current_thread(), 2);
}

/// Time limits that come first, and some that do not.
pub(crate) fn time_limits() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let tasks: Vec<_> = (0..3)
            .map(|number| {
                wsrt::spawn(async move {
                    let work = async { sleep(number * MILLISECOND).await };
                    let _ = timeout(MILLISECOND, work).await;
                    timeout(LATE, sleep(MILLISECOND)).await.expect("it is short")
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
    });
}

/// A sleep is moved while its old moment comes.
pub(crate) fn sleeps_are_moved() {
    let runtime = runtime(2);
    runtime.block_on(async {
        let task = wsrt::spawn(async {
            let mut wait = std::pin::pin!(sleep(MILLISECOND));
            let _ = timeout(MILLISECOND, wait.as_mut()).await;
            wait.as_mut().reset(wsrt::time::Instant::now() + 2 * MILLISECOND);
            wait.await;
        });
        timeout(LATE, task).await.expect("in time").expect("no panic");
    });
}

/// The thread that armed a timer leaves the current-thread runtime; another one waits for it.
pub(crate) fn timers_outlive_their_thread() {
    let runtime = std::sync::Arc::new(current_thread());
    let (armed, done) = (std::sync::Arc::new(Notify::new()), std::sync::Arc::new(Notify::new()));
    let first = thread::spawn({
        let (runtime, armed, done) = (runtime.clone(), armed.clone(), done.clone());
        move || {
            runtime.block_on(async move {
                let told = armed.clone();
                wsrt::spawn(async move {
                    told.notify_one();
                    sleep(20 * MILLISECOND).await;
                    done.notify_one();
                });
                armed.notified().await;
            });
        }
    });
    runtime.block_on(done.notified());
    first.join().expect("no panic");
}

/// Threads in `Handle::block_on` sleep beside the runtime's machines.
pub(crate) fn sleeps_of_visitors() {
    let runtime = runtime(1);
    let idle = time::idle();
    let threads: Vec<_> = (1..3)
        .map(|number| {
            let handle = runtime.handle().clone();
            thread::spawn(move || {
                let began = time::now();
                handle.block_on(sleep(number * MILLISECOND));
                assert!(time::now() - began >= number * MILLISECOND);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    let idle = time::idle() - idle;
    assert!(idle < 4 * MILLISECOND, "all threads slept for {idle:?}");
}

/// A spare processor is taken out of play with timers on it, while the poll owner sleeps.
pub(crate) fn timers_on_spares() {
    let runtime = runtime(1);
    runtime.block_on(async {
        let gate = Gate::default();
        let theirs = gate.clone();
        let blocks = wsrt::spawn(async move { theirs.wait() });
        let sleeps: Vec<_> = (2..4).map(|number| wsrt::spawn(sleep(number * MILLISECOND))).collect();
        wsrt::spawn(async move { gate.open() }).await.expect("no panic");
        blocks.await.expect("no panic");
        let idle = time::idle();
        for sleep in sleeps {
            sleep.await.expect("no panic");
        }
        let idle = time::idle() - idle;
        assert!(idle < 5 * MILLISECOND, "all threads slept for {idle:?}");
    });
}
