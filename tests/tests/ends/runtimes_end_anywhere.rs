//! A runtime may be ended anywhere and in three ways: the drop waits, or waits for so long, or not
//! at all.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Sender, channel};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{self, JoinHandle, spawn_blocking};
use wsrt_tests::{LIMIT, Roll, count_threads, panic_message, spin_for, within_a_minute};

/// A runtime whose threads have a name of their own, so that they can be counted.
fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).thread_name(name).build().expect("a runtime")
}

/// Spawns tasks that wait for ever. The roll records their drops.
fn parked(runtime: &Runtime, count: usize) -> Roll {
    let roll = Roll::new(count);
    let (began, has_begun) = channel();
    for index in 0..count {
        let (entry, began) = (roll.entry(index), began.clone());
        runtime.spawn(async move {
            let _entry = entry;
            began.send(()).expect("the test waits");
            pending::<()>().await;
        });
    }
    (0..count).for_each(|_| has_begun.recv_timeout(LIMIT).expect("each begins"));
    roll
}

#[test]
fn a_runtime_may_be_dropped_inside_a_task_of_another() {
    within_a_minute(|| {
        let outer = runtime("outer-runtime");
        let inner = runtime("inner-runtime");
        let roll = parked(&inner, 50);
        let dropper = outer.spawn(async move { task::block_in_place(|| drop(inner)) });
        outer.block_on(dropper).expect("that is allowed");
        roll.assert_each_dropped_once();
        assert_eq!(count_threads("inner-runtime"), 0);
        assert_eq!(outer.run(async { 7 }), 7);
    });
}

/// Gives `runtime` to a task of its own, which does `end` with it.
fn end_inside(runtime: Runtime, end: impl FnOnce(Runtime) + Send + 'static) -> JoinHandle<()> {
    let (give, given) = oneshot::channel::<Runtime>();
    let task = runtime.spawn(async move { end(given.await.expect("the runtime is given")) });
    assert!(give.send(runtime).is_ok(), "the task waits for it");
    task
}

#[test]
fn a_runtime_dropped_inside_its_task_says_so() {
    within_a_minute(|| {
        let runtime = runtime("suicide");
        let roll = parked(&runtime, 20);
        let (told, message) = channel();
        let task =
            end_inside(runtime, move |runtime| told.send(panic_message(|| drop(runtime))).expect("the test waits"));
        let message = message.recv_timeout(LIMIT).expect("the drop returns");
        assert!(
            message.starts_with("wsrt: a runtime was dropped inside one of its own tasks or blocking jobs"),
            "{message}"
        );
        assert!(message.contains("Drop it outside, or call `shutdown_background`"), "{message}");
        let other = Builder::new_current_thread().build().expect("a runtime");
        other.block_on(task).expect("the task itself ends well: it was in the middle of its poll");
        await_the_end("suicide", &roll);
    });
}

#[test]
fn a_runtime_dropped_inside_its_blocking_job_says_so() {
    within_a_minute(|| {
        let runtime = runtime("job-suicide");
        let roll = parked(&runtime, 20);
        let (give, given) = channel::<Runtime>();
        let (told, message) = channel();
        runtime.spawn_blocking(move || {
            let runtime = given.recv_timeout(LIMIT).expect("the runtime is given");
            told.send(panic_message(|| drop(runtime))).expect("the test waits");
        });
        give.send(runtime).expect("the job waits");
        let message = message.recv_timeout(LIMIT).expect("the drop returns");
        assert!(
            message.starts_with("wsrt: a runtime was dropped inside one of its own tasks or blocking jobs"),
            "{message}"
        );
        await_the_end("job-suicide", &roll);
    });
}

#[test]
fn shutdown_background_works_inside_an_own_task() {
    within_a_minute(|| {
        let runtime = runtime("background-own");
        let roll = parked(&runtime, 20);
        let task = end_inside(runtime, Runtime::shutdown_background);
        let other = Builder::new_current_thread().build().expect("a runtime");
        other.block_on(task).expect("no panic");
        await_the_end("background-own", &roll);
    });
}

/// Looks until all tasks are dropped and all threads gone: a runtime that ends in the background
/// does not report its end.
#[track_caller]
fn await_the_end(name: &str, roll: &Roll) {
    let start = Instant::now();
    while roll.dropped() < roll.len() || count_threads(name) > 0 {
        assert!(start.elapsed() < LIMIT, "{} tasks are dropped, {} threads left", roll.dropped(), count_threads(name));
        thread::yield_now();
    }
    roll.assert_each_dropped_once();
}

/// A job that waits until the sender is dropped, and begins before this returns.
fn stuck_job(runtime: &Runtime) -> Sender<()> {
    let (release, released) = channel::<()>();
    let (began, has_begun) = channel();
    runtime.spawn_blocking(move || {
        began.send(()).expect("the test waits");
        assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
    });
    has_begun.recv_timeout(LIMIT).expect("the job begins");
    release
}

#[test]
fn dropping_waits_for_jobs_that_have_begun() {
    within_a_minute(|| {
        let runtime = runtime("drop-waits");
        let ended = Arc::new(AtomicBool::new(false));
        let (its_ended, (began, has_begun)) = (Arc::clone(&ended), channel());
        runtime.spawn_blocking(move || {
            began.send(()).expect("the test waits");
            spin_for(Duration::from_millis(30));
            its_ended.store(true, SeqCst);
        });
        has_begun.recv_timeout(LIMIT).expect("the job begins");
        drop(runtime);
        assert!(ended.load(SeqCst), "the drop did not wait");
        assert_eq!(count_threads("drop-waits"), 0);
    });
}

#[test]
fn shutdown_timeout_waits_no_longer_than_its_argument() {
    within_a_minute(|| {
        let runtime = runtime("timeout-job");
        let roll = parked(&runtime, 20);
        let release = stuck_job(&runtime);
        let start = Instant::now();
        runtime.shutdown_timeout(Duration::from_millis(50));
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(50) && took < LIMIT / 6, "{took:?}");
        drop(release);
        await_the_end("timeout-job", &roll);
    });
}

#[test]
fn shutdown_timeout_returns_as_soon_as_all_is_done() {
    within_a_minute(|| {
        let runtime = runtime("timeout-early");
        runtime.shutdown_timeout(LIMIT * 10);
        assert_eq!(count_threads("timeout-early"), 0);
    });
}

#[test]
fn shutdown_timeout_is_not_held_up_by_a_stuck_poll() {
    within_a_minute(|| {
        let runtime = runtime("timeout-poll");
        let (release, released) = channel::<()>();
        let (began, has_begun) = channel();
        let roll = Roll::new(1);
        let entry = roll.entry(0);
        runtime.spawn(async move {
            let _entry = entry;
            began.send(()).expect("the test waits");
            assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
            pending::<()>().await;
        });
        has_begun.recv_timeout(LIMIT).expect("the poll begins");
        runtime.shutdown_timeout(Duration::from_millis(20));
        assert_eq!(roll.dropped(), 0, "nothing is dropped under a poll");
        drop(release);
        await_the_end("timeout-poll", &roll);
    });
}

#[test]
fn shutdown_background_waits_for_nothing() {
    within_a_minute(|| {
        let runtime = runtime("background");
        let roll = parked(&runtime, 20);
        let release = stuck_job(&runtime);
        runtime.shutdown_background();
        drop(release);
        await_the_end("background", &roll);
    });
}

#[test]
fn jobs_that_have_not_begun_are_cancelled() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).build().expect("a runtime");
        let release = stuck_job(&runtime);
        let roll = Roll::new(10);
        let jobs: Vec<_> = (0..10)
            .map(|index| {
                let entry = roll.entry(index);
                runtime.spawn_blocking(move || drop(entry))
            })
            .collect();
        runtime.shutdown_background();
        let other = Builder::new_current_thread().build().expect("a runtime");
        for job in jobs {
            assert!(other.block_on(job).expect_err("it has not begun").is_cancelled());
        }
        roll.assert_each_dropped_once();
        drop(release);
    });
}

/// A future that a blocking job awaits by `block_on` ends with the runtime, or the job could never
/// end.
#[test]
fn a_job_in_block_on_learns_of_the_end() {
    within_a_minute(|| {
        let runtime = runtime("job-block-on");
        let child = runtime.spawn(pending::<()>());
        let handle = runtime.handle().clone();
        let (began, has_begun) = channel();
        let job = runtime.spawn(async move {
            spawn_blocking(move || {
                began.send(()).expect("the test waits");
                handle.block_on(child).expect_err("it never ends by itself").is_cancelled()
            })
            .await
        });
        has_begun.recv_timeout(LIMIT).expect("the job begins");
        drop(runtime);
        assert!(job.is_finished());
        assert_eq!(count_threads("job-block-on"), 0);
    });
}

/// Its handle is awaited after all has ended, on another runtime or by an executor that knows none.
#[test]
fn a_job_that_ends_in_time_gives_its_result_afterwards() {
    within_a_minute(|| {
        for runtime in [runtime("job-results"), Builder::new_current_thread().build().expect("a runtime")] {
            let (began, has_begun) = channel();
            let jobs: Vec<_> = (0..3)
                .map(|number| {
                    let began = began.clone();
                    runtime.spawn_blocking(move || {
                        began.send(()).expect("the test waits");
                        spin_for(Duration::from_millis(20));
                        number
                    })
                })
                .collect();
            (0..3).for_each(|_| has_begun.recv_timeout(LIMIT).expect("each begins"));
            drop(runtime);
            let other = Builder::new_current_thread().build().expect("a runtime");
            let [first, second, third] = jobs.try_into().expect("three of them");
            assert_eq!(other.block_on(first).expect("it has begun"), 0);
            assert_eq!(tokio_test::block_on(second).expect("it has begun"), 1);
            assert_eq!(tokio_test::task::spawn(third).poll().map(Result::unwrap), Poll::Ready(2));
        }
    });
}

/// The result is there as soon as the job is done, though the runtime has long been left behind.
#[test]
fn a_job_left_behind_gives_its_result_when_it_ends() {
    within_a_minute(|| {
        let runtime = runtime("job-left-behind");
        let (began, has_begun) = channel();
        let (release, released) = channel::<()>();
        let job = runtime.spawn_blocking(move || {
            began.send(()).expect("the test waits");
            released.recv_timeout(LIMIT).expect("the test lets it go");
            7
        });
        has_begun.recv_timeout(LIMIT).expect("the job begins");
        runtime.shutdown_timeout(Duration::from_millis(5));
        let mut job = tokio_test::task::spawn(job);
        assert!(job.poll().is_pending());
        release.send(()).expect("the job waits");
        assert_eq!(tokio_test::block_on(job.into_inner()).expect("it has begun"), 7);
    });
}
