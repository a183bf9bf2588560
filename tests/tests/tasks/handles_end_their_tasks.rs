//! A task may end with its handle, or be cancelled and waited for.

use std::future::{pending, poll_fn};
use std::sync::mpsc::channel;
use std::task::Poll;

use wsrt::sync::oneshot;
use wsrt::task::{self, yield_now};
use wsrt_tests::{LIMIT, Roll, two_processors, within_a_minute};

/// Waits until `is_true`, which another thread makes true.
async fn until(mut is_true: impl FnMut() -> bool) {
    while !is_true() {
        yield_now().await;
    }
}

#[test]
fn a_task_ends_with_its_abort_on_drop_handle() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (held, dropped) = oneshot::channel::<()>();
            let (polled, was_polled) = oneshot::channel();
            let task = wsrt::spawn(async move {
                polled.send(()).expect("the test waits");
                pending::<()>().await;
                drop(held);
            })
            .abort_on_drop();
            was_polled.await.expect("it is polled");
            assert!(!task.is_finished());
            let abort = task.abort_handle();
            assert_eq!(abort.id(), task.id());
            drop(task);
            assert!(dropped.await.is_err(), "its future is dropped");
            until(|| abort.is_finished()).await;
        });
    });
}

#[test]
fn a_task_ends_with_the_future_that_holds_its_handle() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (held, dropped) = oneshot::channel::<()>();
            let owner = wsrt::spawn(async move {
                let child = async move {
                    pending::<()>().await;
                    drop(held);
                };
                wsrt::spawn(child).abort_on_drop().await
            });
            owner.abort();
            assert!(dropped.await.is_err());
            assert!(owner.await.expect_err("it was aborted").is_cancelled());
        });
    });
}

#[test]
fn a_detached_task_outlives_its_handle() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (go, went) = oneshot::channel::<()>();
            let (done, is_done) = oneshot::channel();
            let task = wsrt::spawn(async move {
                went.await.expect("it is sent");
                done.send(7).expect("the test waits");
            });
            drop(task.abort_on_drop().detach());
            go.send(()).expect("the task lives");
            assert_eq!(is_done.await, Ok(7));
        });
    });
}

#[test]
fn an_abort_on_drop_handle_returns_the_output() {
    within_a_minute(|| {
        two_processors().block_on(async {
            assert_eq!(wsrt::spawn(async { 7 }).abort_on_drop().await.expect("no panic"), 7);
            let error = wsrt::spawn(async { panic!("boom") }).abort_on_drop().await.expect_err("it panics");
            assert!(error.is_panic());
        });
    });
}

#[test]
fn cancel_waits_until_the_future_is_gone() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let roll = Roll::new(1);
            let held = roll.entry(0);
            let task = wsrt::spawn(async move {
                pending::<()>().await;
                drop(held);
            });
            assert_eq!(task.cancel().await.expect("no panic"), None);
            roll.assert_each_dropped_once();
        });
    });
}

#[test]
fn cancel_returns_an_output_that_was_there() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let task = wsrt::spawn(async { String::from("there") });
            until(|| task.is_finished()).await;
            assert_eq!(task.cancel().await.expect("no panic").as_deref(), Some("there"));
        });
    });
}

#[test]
fn cancel_returns_the_panic_of_its_task() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let task = wsrt::spawn(async { panic!("boom") });
            until(|| task.is_finished()).await;
            assert!(task.cancel().await.expect_err("it has panicked").is_panic());

            struct PanicsWhenDropped;
            impl Drop for PanicsWhenDropped {
                fn drop(&mut self) {
                    panic!("boom");
                }
            }
            let (polled, was_polled) = oneshot::channel();
            let task = wsrt::spawn(async move {
                let _held = PanicsWhenDropped;
                polled.send(()).expect("the test waits");
                pending::<()>().await;
            });
            was_polled.await.expect("it is polled");
            assert!(task.cancel().await.expect_err("its drop panics").is_panic());
        });
    });
}

#[test]
fn cancel_aborts_though_it_is_never_polled() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (held, dropped) = oneshot::channel::<()>();
            let task = wsrt::spawn(async move {
                pending::<()>().await;
                drop(held);
            });
            drop(task.cancel());
            assert!(dropped.await.is_err());
        });
    });
}

#[test]
fn cancel_waits_for_a_blocking_job_that_has_begun() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (go, went) = channel::<()>();
            let (begun, has_begun) = oneshot::channel();
            let job = task::spawn_blocking(move || {
                begun.send(()).expect("the test waits");
                went.recv_timeout(LIMIT).expect("the test sends it");
                7
            });
            has_begun.await.expect("it begins");
            let mut cancelled = std::pin::pin!(job.cancel());
            let once = poll_fn(|cx| Poll::Ready(cancelled.as_mut().poll(cx).is_pending())).await;
            assert!(once, "the job has not returned");
            go.send(()).expect("the job waits");
            assert_eq!(cancelled.await.expect("no panic"), Some(7));
        });
    });
}
