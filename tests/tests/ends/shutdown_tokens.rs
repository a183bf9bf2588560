//! A runtime's shutdown token is cancelled when the runtime is drained or ends, or when the program
//! cancels it, and stays so. Its children are cancelled with it.

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
            let tasks: Vec<_> = (0..100)
                .map(|_| runtime.spawn(async { Handle::current().shutdown_token().cancelled().await }))
                .collect();
            let token = runtime.handle().shutdown_token();
            assert!(!token.is_cancelled());
            let drained = runtime.drain(soon());
            assert!(drained.is_complete(), "{drained}");
            assert!(token.is_cancelled());
            for task in tasks {
                runtime.block_on(task).expect("it ended by itself");
            }
        }
    });
}

#[test]
fn the_first_poll_of_a_drain_cancels_the_token() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        drop(runtime.spawn(std::future::pending::<()>()));
        let mut drain = tokio_test::task::spawn(runtime.handle().drain(soon()));
        assert!(!token.is_cancelled());
        assert_pending!(drain.poll());
        drop(drain);
        assert!(token.is_cancelled());
    });
}

#[test]
fn the_end_of_the_runtime_is_heard_outside() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        let (polled, was_polled) = channel();
        let outside = thread::spawn(move || {
            let mut wait = std::pin::pin!(token.cancelled());
            foreign_block_on(std::future::poll_fn(|cx| {
                let poll = wait.as_mut().poll(cx);
                if poll.is_pending() {
                    polled.send(()).expect("the test waits");
                }
                poll
            }));
            token.is_cancelled()
        });
        was_polled.recv_timeout(LIMIT).expect("it is polled");
        drop(runtime);
        assert!(outside.join().expect("no panic"));
    });
}

#[test]
fn a_cancelled_token_outlives_its_runtime() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        runtime.shutdown_timeout(Duration::from_secs(1));
        for token in [token.clone(), token] {
            let mut wait = tokio_test::task::spawn(token.cancelled());
            assert_eq!(wait.poll(), Poll::Ready(()));
        }
    });
}

#[test]
fn cancelling_leaves_the_runtime_open() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        let waiting = token.clone();
        let task = runtime.spawn(async move { waiting.cancelled().await });
        token.cancel();
        token.cancel();
        runtime.block_on(task).expect("no panic");
        assert_eq!(runtime.block_on(runtime.spawn(async { 7 })).expect("it takes work"), 7);
        let other = two_processors();
        assert!(!other.handle().shutdown_token().is_cancelled(), "each runtime has its own");
    });
}

#[test]
fn a_dump_names_waits_for_the_token() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let dump = runtime.block_on(async {
        let token = Handle::current().shutdown_token();
        wsrt::spawn(async move { token.cancelled().await });
        wsrt::task::yield_now().await;
        Handle::current().dump().to_string()
    });
    assert!(dump.contains("idle, waits for the runtime's shutdown token"), "{dump}");
}

#[test]
fn a_child_hears_of_the_end_and_ends_alone() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = runtime.handle().shutdown_token();
        let (alone, heeding) = (token.child_token(), token.child_token());
        let task = runtime.spawn(alone.clone().cancelled_owned());
        alone.cancel();
        runtime.block_on(task).expect("no panic");
        assert!(!token.is_cancelled());
        drop(runtime.spawn(heeding.cancelled_owned()));
        let drained = runtime.drain(soon());
        assert!(drained.is_complete(), "{drained}");
    });
}

#[test]
fn a_dump_names_waits_for_other_tokens() {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    let (line, dump) = runtime.block_on(async {
        let (token, line) = (Handle::current().shutdown_token().child_token(), line!());
        wsrt::spawn(token.cancelled_owned());
        wsrt::task::yield_now().await;
        (line, Handle::current().dump().to_string())
    });
    let place = format!("tests/ends/shutdown_tokens.rs:{line}:");
    assert!(dump.contains("waits for the cancellation of the token made at") && dump.contains(&place), "{dump}");
}
