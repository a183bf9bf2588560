//! Background loops give the same results as others, and use only time that nothing else wants;
//! other parallel calls come before background tasks.

use std::panic::catch_unwind;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use wsrt::parallel::{self, background};
use wsrt::runtime::Builder;
use wsrt::sync::CancellationToken;
use wsrt::task::{spawn_background, yield_now};
use wsrt_tests::{LIMIT, compute, in_every_runtime, runtime_with, spin_for, within_a_minute};

#[test]
fn a_background_loop_does_each_item_once() {
    within_a_minute(|| {
        in_every_runtime(|| {
            for count in [0, 1, 2, 1_000] {
                let visits: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                background().for_each(&visits, |visits| {
                    visits.fetch_add(1, SeqCst);
                    compute(1_000);
                });
                assert!(visits.iter().all(|visits| visits.load(SeqCst) == 1));
                let numbers = background().map_collect(0..count, |number| number.to_string());
                assert!(numbers.iter().enumerate().all(|(number, text)| *text == number.to_string()));
                let digits = background().reduce(0..count, String::new, |n| n.to_string(), |a, b| a + &b);
                assert_eq!(digits, numbers.concat());
            }
        });
    });
}

#[test]
fn the_first_panic_of_a_background_loop_is_resumed() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let done = AtomicUsize::new(0);
            let outcome = catch_unwind(std::panic::AssertUnwindSafe(|| {
                background().for_each(0..1_000, |item| {
                    if item == 500 {
                        std::panic::resume_unwind(Box::new(item));
                    }
                    done.fetch_add(1, SeqCst);
                });
            }));
            let panic = outcome.expect_err("an item panics");
            assert_eq!(panic.downcast_ref::<i32>(), Some(&500));
            assert!(done.into_inner() < 1_000);
        });
    });
}

#[test]
fn a_background_loop_stops_under_its_token() {
    within_a_minute(|| {
        in_every_runtime(|| {
            let (token, done) = (CancellationToken::new(), AtomicUsize::new(0));
            let outcome = background().until(&token).for_each(0..100_000_usize, |_| {
                done.fetch_add(1, SeqCst);
                compute(1_000);
                token.cancel();
            });
            let cancelled = outcome.expect_err("it was cancelled at its first item");
            assert_eq!((cancelled.completed(), cancelled.total()), (done.into_inner(), 100_000));
        });
    });
}

#[test]
fn an_ordinary_task_runs_between_the_slices_of_a_loop() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(2).build().expect("a runtime");
        let (turns, has_ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let beside = {
            let (turns, has_ended) = (Arc::clone(&turns), Arc::clone(&has_ended));
            runtime.spawn(async move {
                while !has_ended.load(SeqCst) {
                    turns.fetch_add(1, SeqCst);
                    wsrt::time::sleep(Duration::from_micros(500)).await;
                }
            })
        };
        runtime.run(async move {
            background().for_each(0..200, |_| _ = spin_for(Duration::from_micros(200)));
            has_ended.store(true, SeqCst);
        });
        runtime.block_on(beside).expect("no panic");
        let turns = turns.load(SeqCst);
        assert!(turns > 10, "{turns} turns in 40 ms of slices");
    });
}

#[test]
fn a_loop_is_helped_beside_endless_background_tasks() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        for _ in 0..2 {
            runtime.spawn_background(async {
                loop {
                    spin_for(Duration::from_micros(20));
                    yield_now().await;
                }
            });
        }
        runtime.run(async {
            for _ in 0..20 {
                // Two threads have to be in the loop at once.
                let both = Barrier::new(2);
                parallel::for_each(0..2, |_| _ = both.wait());
            }
        });
    });
}

#[test]
fn background_tasks_continue_after_a_loop() {
    within_a_minute(|| {
        for processors in [2, 3] {
            let runtime = runtime_with(processors);
            for _ in 0..200 {
                runtime.run(async {
                    let tasks: Vec<_> = (0..4).map(|_| spawn_background(yield_now())).collect();
                    parallel::for_each(0..20, |_| compute(2_000));
                    for task in tasks {
                        task.await.expect("no panic");
                    }
                });
            }
            wsrt_tests::assert_no_wake_was_lost(&runtime);
        }
    });
}

#[test]
fn a_background_loop_outlives_its_runtime() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let (handle, done) = (runtime.handle().clone(), Arc::new(AtomicUsize::new(0)));
        let ((begun, has_begun), counted) = (channel(), Arc::clone(&done));
        let outside = thread::spawn(move || {
            let _entered = handle.enter();
            background().for_each(0..100, |_| {
                begun.send(()).unwrap_or_default();
                spin_for(Duration::from_micros(100));
                counted.fetch_add(1, SeqCst);
            });
        });
        has_begun.recv_timeout(LIMIT).expect("the loop begins");
        drop(runtime);
        outside.join().expect("the caller does the rest");
        assert_eq!(done.load(SeqCst), 100);
    });
}
