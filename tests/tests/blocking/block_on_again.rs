//! A runtime is entered again and again, by one thread and by others: each call is woken, whatever
//! the calls before it have left behind.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::{Poll, Waker};
use std::thread;

use tokio::sync::oneshot;
use wsrt::runtime::{Builder, Runtime};
use wsrt_tests::{LIMIT, panic_message, two_processors, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

fn of_both_kinds() -> [Runtime; 2] {
    [current_thread(), two_processors()]
}

/// A call that another thread ends.
fn wait_for_a_foreign_thread(runtime: &Runtime) {
    let (send, sent) = oneshot::channel();
    thread::scope(|scope| {
        scope.spawn(|| send.send(()).expect("the call waits"));
        runtime.block_on(sent).expect("it is sent");
    });
}

/// The waker of a call that is over by now.
fn waker_of_a_call(runtime: &Runtime) -> Waker {
    runtime.block_on(poll_fn(|context| Poll::Ready(context.waker().clone())))
}

#[test]
fn wakers_of_earlier_calls_take_no_wake_from_later_ones() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            for _ in 0..200 {
                let old = waker_of_a_call(&runtime);
                let is_woken = AtomicBool::new(false);
                let (report, reported) = channel::<Waker>();
                thread::scope(|scope| {
                    let is_woken = &is_woken;
                    scope.spawn(move || {
                        old.wake_by_ref();
                        let own = reported.recv_timeout(LIMIT).expect("it is polled");
                        old.wake();
                        is_woken.store(true, SeqCst);
                        own.wake();
                    });
                    runtime.block_on(poll_fn(|context| {
                        let _ = report.send(context.waker().clone());
                        if is_woken.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
                    }));
                });
            }
        }
    });
}

#[test]
fn wakers_may_be_dropped_while_the_next_call_begins() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            for _ in 0..500 {
                let old = waker_of_a_call(&runtime);
                let dropping = thread::spawn(move || {
                    old.wake_by_ref();
                    drop(old);
                });
                wait_for_a_foreign_thread(&runtime);
                dropping.join().expect("no panic");
            }
        }
    });
}

#[test]
fn threads_that_take_turns_are_each_woken() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            for _ in 0..100 {
                wait_for_a_foreign_thread(&runtime);
                thread::scope(|scope| {
                    // Twice: the second call follows one of the same thread.
                    let other = scope.spawn(|| (0..2).for_each(|_| wait_for_a_foreign_thread(&runtime)));
                    other.join().expect("no panic");
                });
            }
        }
    });
}

#[test]
fn threads_that_come_and_go_at_once_are_each_woken() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..100).for_each(|_| wait_for_a_foreign_thread(&runtime)));
                }
            });
        }
    });
}

#[test]
fn a_call_that_panics_leaves_the_next_one_woken() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            for _ in 0..50 {
                let message = panic_message(|| runtime.block_on(async { panic!("in the root") }));
                assert_eq!(message, "in the root");
                wait_for_a_foreign_thread(&runtime);
            }
        }
    });
}

#[test]
fn calls_inside_of_calls_leave_the_outer_ones_woken() {
    within_a_minute(|| {
        let [own, other] = of_both_kinds();
        for _ in 0..50 {
            own.block_on(async {
                wait_for_a_foreign_thread(&own);
                wait_for_a_foreign_thread(&other);
                let (send, sent) = oneshot::channel();
                let sending = thread::spawn(move || send.send(()).expect("the call waits"));
                sent.await.expect("it is sent");
                sending.join().expect("no panic");
            });
            wait_for_a_foreign_thread(&own);
        }
    });
}

#[test]
fn calls_go_on_after_the_runtime_has_ended_inside_one() {
    within_a_minute(|| {
        for runtime in of_both_kinds() {
            let handle = runtime.handle().clone();
            let old = waker_of_a_call(&runtime);
            handle.block_on(async { runtime.shutdown_background() });
            old.wake();
            let (send, sent) = oneshot::channel();
            let sending = thread::spawn(move || send.send(5).expect("the call waits"));
            assert_eq!(handle.block_on(sent), Ok(5));
            sending.join().expect("no panic");
        }
    });
}
