//! Blocking jobs of a group are limited in number, and those that would have to wait are refused if
//! they are to be.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier, Mutex};

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{self, BlockingGroup, JoinHandle};
use wsrt_tests::{LIMIT, Roll, panic_message, within_a_minute};

fn with_pool_of(threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(2).max_blocking_threads(threads).build().expect("a runtime")
}

/// Jobs that have all begun, and end when the sender is dropped.
fn begun<F>(count: usize, spawn: F) -> (Sender<()>, Vec<JoinHandle<()>>)
where
    F: Fn(Box<dyn FnOnce() + Send>) -> JoinHandle<()>,
{
    let (release, released) = channel::<()>();
    let (begins, has_begun) = channel();
    let released = Arc::new(Mutex::new(released));
    let jobs = (0..count).map(|_| {
        let (begins, released) = (begins.clone(), Arc::clone(&released));
        spawn(Box::new(move || {
            begins.send(()).expect("the test waits");
            drop(released.lock().map(|released| released.recv()));
        }))
    });
    let jobs = jobs.collect();
    (0..count).for_each(|_| has_begun.recv_timeout(LIMIT).expect("each begins"));
    (release, jobs)
}

#[test]
fn no_more_jobs_run_at_once_than_the_limit() {
    within_a_minute(|| {
        with_pool_of(16).block_on(async {
            let group = BlockingGroup::new(3);
            assert_eq!(group.limit(), 3);
            let (running, all_three) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(3)));
            let jobs: Vec<_> = (0..60)
                .map(|number| {
                    let (running, all_three) = (Arc::clone(&running), Arc::clone(&all_three));
                    group.spawn(move || {
                        let before = running.fetch_add(1, SeqCst);
                        // It is passed only if three do run at once.
                        all_three.wait();
                        running.fetch_sub(1, SeqCst);
                        (number, before)
                    })
                })
                .collect();
            for (number, job) in jobs.into_iter().enumerate() {
                let (returned, before) = job.await.expect("no panic");
                assert_eq!(returned, number);
                assert!(before < 3, "{before} ran beside it");
            }
        });
    });
}

#[test]
fn jobs_in_line_leave_the_pool_to_others() {
    within_a_minute(|| {
        with_pool_of(2).block_on(async {
            let group = BlockingGroup::new(1);
            let (release, jobs) = begun(1, |job| group.spawn(job));
            let waiting: Vec<_> = (0..10).map(|_| group.clone().spawn(|| {})).collect();
            assert_eq!(task::spawn_blocking(|| 7).await.expect("no panic"), 7, "a thread is left");
            assert!(waiting.iter().all(|job| !job.is_finished()));
            drop(release);
            for job in jobs.into_iter().chain(waiting) {
                job.await.expect("no panic");
            }
        });
    });
}

#[test]
fn a_job_in_line_is_cancelled_by_abort() {
    within_a_minute(|| {
        with_pool_of(2).block_on(async {
            let group = BlockingGroup::new(1);
            let (release, jobs) = begun(1, |job| group.spawn(job));
            let roll = Roll::new(1);
            let held = roll.entry(0);
            let waiting = group.spawn(move || drop(held));
            assert_eq!(waiting.cancel().await.expect("no panic"), None);
            roll.assert_each_dropped_once();
            drop(release);
            for job in jobs {
                job.await.expect("no panic");
            }
            group.spawn(|| {}).await.expect("its place is free");
        });
    });
}

#[test]
fn panics_of_jobs_reach_their_handles() {
    within_a_minute(|| {
        with_pool_of(2).block_on(async {
            let group = BlockingGroup::new(1);
            let jobs: Vec<_> = (0..4).map(|_| group.spawn(|| panic!("boom"))).collect();
            for job in jobs {
                let error = job.await.map(|()| "an output").expect_err("it panics");
                assert!(error.to_string().ends_with("panicked with message \"boom\""), "{error}");
            }
            group.spawn(|| {}).await.expect("its place is free");
        });
    });
}

#[test]
fn a_full_group_refuses_a_job_that_may_not_wait() {
    within_a_minute(|| {
        let runtime = with_pool_of(2);
        let _inside = runtime.enter();
        let group = BlockingGroup::new(1);
        let (release, jobs) = begun(1, |job| group.try_spawn(job).expect("it is empty"));
        let refused = group.try_spawn(|| 7).expect_err("it is full");
        assert_eq!(refused.to_string(), "no thread is free for a blocking job");
        drop(release);
        jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
        assert_eq!(runtime.block_on(group.spawn(refused.into_job())).expect("no panic"), 7);
    });
}

#[test]
fn a_full_pool_refuses_a_job_that_may_not_wait() {
    within_a_minute(|| {
        let runtime = with_pool_of(3);
        let handle = runtime.handle().clone();
        let _inside = runtime.enter();
        let (release, jobs) = begun(3, |job| handle.try_spawn_blocking(job).expect("a thread is free"));
        assert!(task::try_spawn_blocking(|| ()).is_err());
        assert!(BlockingGroup::new(9).try_spawn(|| ()).is_err());
        let waits = task::spawn_blocking(|| ());
        drop(release);
        jobs.into_iter().chain([waits]).for_each(|job| runtime.block_on(job).expect("no panic"));
        // Their threads are on their way to being idle.
        let job = loop {
            match task::try_spawn_blocking(|| 7) {
                Ok(job) => break job,
                Err(_) => std::thread::yield_now(),
            }
        };
        assert_eq!(runtime.block_on(job).expect("no panic"), 7);
    });
}

/// Each job needs a thread of those that are coming for others.
#[test]
fn jobs_that_wait_for_their_threads_are_counted() {
    within_a_minute(|| {
        let runtime = with_pool_of(8);
        let (release, released) = channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let mut jobs = Vec::new();
        while jobs.len() < 100 {
            let released = Arc::clone(&released);
            let job = move || drop(released.lock().map(|released| released.recv()));
            match runtime.handle().try_spawn_blocking(job) {
                Ok(job) => jobs.push(job),
                Err(_) => break,
            }
        }
        assert_eq!(jobs.len(), 8, "one for each thread, whether it has come or not");
        drop(release);
        jobs.into_iter().for_each(|job| runtime.block_on(job).expect("no panic"));
    });
}

#[test]
fn a_runtime_that_has_ended_cancels_the_job() {
    within_a_minute(|| {
        let runtime = with_pool_of(1);
        let handle = runtime.handle().clone();
        drop(runtime);
        let job = handle.try_spawn_blocking(|| 7).expect("it is not that there is no thread");
        assert!(with_pool_of(1).block_on(job).expect_err("nothing runs it").is_cancelled());
    });
}

#[test]
fn a_limit_of_zero_is_refused() {
    let message = panic_message(|| BlockingGroup::new(0));
    assert!(message.starts_with("wsrt: `BlockingGroup::new(0)`"), "{message}");
    let outside = panic_message(|| BlockingGroup::new(1).spawn(|| ()));
    assert!(outside.contains("`BlockingGroup::spawn` was called outside a wsrt runtime"), "{outside}");
}
