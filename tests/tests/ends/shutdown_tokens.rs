//! A runtime's shutdown token fires when the runtime is drained or ends, or when it is told to, and
//! stays so.

use std::sync::mpsc::channel;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use tokio_test::assert_pending;
use wsrt::runtime::{Builder, Handle};
use wsrt::time::Instant;
use wsrt_tests::{LIMIT, foreign_block_on, two_processors, within_a_minute};

fn soon() -> Instant {
    Instant::now() + LIMIT
}

#[test]
fn a_drain_ends_tasks_that_heed_the_token() {
    within_a_minute(|| {
        for runtime in [two_processors(), Builder::new_current_thread().build().expect("a runtime")] {
            let tasks: Vec<_> =
                (0..100).map(|_| runtime.spawn(async { Handle::current().shutdown_token().wait().await })).collect();
            let token = runtime.handle().shutdown_token();
            assert!(!token.has_fired());
            let drained = runtime.drain(soon());
            assert!(drained.is_complete(), "{drained}");
            assert!(token.has_fired());
            for task in tasks {
                runtime.block_on(task).expect("it ended by itself");
            }
        }
    });
}

#[test]
fn the_first_poll_of_a_drain_fires() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        drop(runtime.spawn(std::future::pending::<()>()));
        let mut drain = tokio_test::task::spawn(runtime.handle().drain(soon()));
        assert!(!token.has_fired());
        assert_pending!(drain.poll());
        drop(drain);
        assert!(token.has_fired());
    });
}

#[test]
fn the_end_of_the_runtime_is_heard_outside() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        let (polled, was_polled) = channel();
        let outside = thread::spawn(move || {
            let mut wait = std::pin::pin!(token.wait());
            foreign_block_on(std::future::poll_fn(|cx| {
                let poll = wait.as_mut().poll(cx);
                if poll.is_pending() {
                    polled.send(()).expect("the test waits");
                }
                poll
            }));
            token.has_fired()
        });
        was_polled.recv_timeout(LIMIT).expect("it is polled");
        drop(runtime);
        assert!(outside.join().expect("no panic"));
    });
}

#[test]
fn a_token_that_has_fired_outlives_its_runtime() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        runtime.shutdown_timeout(Duration::from_secs(1));
        for token in [token.clone(), token] {
            let mut wait = tokio_test::task::spawn(token.wait());
            assert_eq!(wait.poll(), Poll::Ready(()));
        }
    });
}

#[test]
fn firing_leaves_the_runtime_open() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        let waiting = token.clone();
        let task = runtime.spawn(async move { waiting.wait().await });
        token.fire();
        token.fire();
        runtime.block_on(task).expect("no panic");
        assert_eq!(runtime.block_on(runtime.spawn(async { 7 })).expect("it takes work"), 7);
        let other = two_processors();
        assert!(!other.handle().shutdown_token().has_fired(), "each runtime has its own");
    });
}

#[test]
fn a_dump_names_waits_for_the_token() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let dump = runtime.block_on(async {
        let token = Handle::current().shutdown_token();
        wsrt::spawn(async move { token.wait().await });
        wsrt::task::yield_now().await;
        Handle::current().dump().to_string()
    });
    assert!(dump.contains("idle, waits for the runtime's shutdown token"), "{dump}");
}
