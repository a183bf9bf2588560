//! `block_on` nests: inside a task, to any depth, on one processor too.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle};
use wsrt::task::spawn_blocking;
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, runtime_with, within_a_minute};

/// Spawns a task that blocks on a task that blocks on a task…
fn nest(depth: usize) -> usize {
    let handle = Handle::current();
    if depth == 0 {
        return 0;
    }
    handle.block_on(async { wsrt::spawn(async move { nest(depth - 1) }).await.expect("no panic") }) + 1
}

#[test]
fn to_any_depth_on_one_processor() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        for depth in [1, 2, 3, 50] {
            assert_eq!(runtime.run(async move { nest(depth) }), depth);
        }
    });
}

/// Each gives its processor away and gets one back: none is lost on the way.
#[test]
fn again_and_again_with_few_threads() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(1).max_machines(3).build().expect("a runtime");
        let sum = runtime.run(async {
            let handle = Handle::current();
            let mut sum = 0;
            for number in 0..20 {
                let queued = wsrt::spawn(async move { number });
                sum += handle.block_on(queued).expect("no panic");
                sum += wsrt::spawn(async move { number }).await.expect("no panic");
            }
            sum
        });
        assert_eq!(sum, 19 * 20);
    });
}

#[test]
fn to_any_depth_on_several_processors_at_once() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let tasks: Vec<_> = (0..10).map(|_| runtime.spawn(async { nest(5) })).collect();
        for task in tasks {
            assert_eq!(runtime.block_on(task).expect("no panic"), 5);
        }
    });
}

#[test]
fn on_the_current_thread() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        for depth in [1, 2, 3, 20] {
            let task = runtime.spawn(async move { nest(depth) });
            assert_eq!(runtime.block_on(task).expect("no panic"), depth);
        }
    });
}

#[test]
fn directly_in_a_block_on() {
    within_a_minute(|| {
        for runtime in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
            let answer = runtime.block_on(async {
                runtime
                    .block_on(async { runtime.block_on(async { wsrt::spawn(async { 7 }).await.expect("no panic") }) })
            });
            assert_eq!(answer, 7);
        }
    });
}

#[test]
fn for_timers_and_wakes_from_foreign_threads() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        runtime.run(async {
            let handle = Handle::current();
            handle.block_on(sleep(Duration::from_millis(2)));
            let (send, receive) = tokio::sync::oneshot::channel();
            let thread = thread::spawn(move || send.send(7).expect("it waits"));
            assert_eq!(handle.block_on(receive), Ok(7));
            thread.join().expect("no panic");
        });
    });
}

/// While a task is in `block_on`, the other tasks of its processor go on.
#[test]
fn without_holding_up_the_processor() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let (blocked, is_blocked) = channel();
        let (go, went) = tokio::sync::oneshot::channel::<()>();
        let blocker = runtime.spawn(async move {
            Handle::current().block_on(async move {
                blocked.send(()).expect("the test waits");
                went.await.expect("it is sent");
            });
        });
        is_blocked.recv_timeout(LIMIT).expect("it begins");
        assert_eq!(runtime.run(async { wsrt::spawn(async { 7 }).await.expect("no panic") }), 7);
        go.send(()).expect("it waits");
        runtime.block_on(blocker).expect("no panic");
    });
}

#[test]
fn from_one_runtime_into_another() {
    within_a_minute(|| {
        let outer = runtime_with(1);
        let inner = runtime_with(1);
        let local = Builder::new_current_thread().build().expect("a runtime");
        let (to_inner, to_local) = (inner.handle().clone(), local.handle().clone());
        let answer = outer.run(async move {
            let seven = to_inner.block_on(async { wsrt::spawn(async { 7 }).await.expect("no panic") });
            let eight = to_local.block_on(async { wsrt::spawn(async { 8 }).await.expect("no panic") });
            // And back in the outer one.
            let nine = wsrt::spawn(async { 9 }).await.expect("no panic");
            (seven, eight, nine)
        });
        assert_eq!(answer, (7, 8, 9));
    });
}

#[test]
fn through_other_runtimes_back_into_the_first() {
    within_a_minute(|| {
        for between in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
            for outer in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
                let (to_outer, to_between) = (outer.handle().clone(), between.handle().clone());
                let back = async move || {
                    to_between.block_on(async {
                        let answer = to_outer.block_on(async { wsrt::spawn(wake_later(7)).await.expect("no panic") });
                        // And there things go on as before.
                        answer + wsrt::spawn(async { 1 }).await.expect("no panic")
                    })
                };
                assert_eq!(outer.block_on(back()), 8);
                let task =
                    outer.spawn(async move { back().await + wsrt::spawn(wake_later(1)).await.expect("no panic") });
                assert_eq!(outer.block_on(task).expect("no panic"), 9);
            }
        }
    });
}

#[test]
fn under_the_guard_of_another_runtime() {
    within_a_minute(|| {
        let other = runtime_with(1);
        for runtime in [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")] {
            let answer = runtime.block_on(async {
                let _entered = other.enter();
                let own = runtime.block_on(async { wsrt::spawn(wake_later(7)).await.expect("no panic") });
                let of_others = wsrt::spawn(async { Handle::current().metrics().num_workers() });
                own + of_others.await.expect("no panic")
            });
            assert_eq!(answer, 8);
        }
    });
}

/// Goes by way of the timers.
async fn wake_later(answer: usize) -> usize {
    sleep(Duration::from_millis(1)).await;
    answer
}

#[test]
fn in_a_blocking_job() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let answer = runtime.run(async {
            let handle = Handle::current();
            spawn_blocking(move || handle.block_on(async { spawn_blocking(|| 7).await.expect("no panic") })).await
        });
        assert_eq!(answer.expect("no panic"), 7);
    });
}

#[test]
fn beside_aborts_and_panics() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let task = runtime.spawn(async {
            let handle = Handle::current();
            let child = wsrt::spawn(std::future::pending::<()>());
            child.abort();
            assert!(handle.block_on(child).expect_err("it was aborted").is_cancelled());
            handle.block_on(async { panic!("inside") });
        });
        let error = runtime.block_on(task).expect_err("it panics");
        assert!(error.to_string().ends_with("panicked with message \"inside\""), "{error}");
        assert_eq!(runtime.run(async { 7 }), 7);
    });
}
