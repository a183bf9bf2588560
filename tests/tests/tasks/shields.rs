//! A shielded future runs to its end, whoever waits for it; and limits can be written behind a
//! future.

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use wsrt::future::{FutureExt, Shield, shield};
use wsrt::runtime::Builder;
use wsrt::sync::{CancellationToken, oneshot};
use wsrt::task::{self, yield_now};
use wsrt::time::{Instant, deadline};
use wsrt_tests::{panic_message, two_processors, within_a_minute};

const HOUR: Duration = Duration::from_secs(3_600);

#[test]
fn a_shielded_future_ends_though_its_waiter_is_dropped() {
    within_a_minute(|| {
        for runtime in [two_processors(), Builder::new_current_thread().build().expect("a runtime")] {
            runtime.block_on(async {
                let (go_on, told) = oneshot::channel::<()>();
                let (sender, ended) = oneshot::channel();
                let waiter = shield(async move {
                    told.await.expect("it is told");
                    sender.send(7)
                });
                // The limit is over as soon as the future waits.
                assert!(waiter.timeout(Duration::ZERO).await.is_err());
                go_on.send(()).expect("the task is there");
                assert_eq!(ended.await, Ok(7));
            });
        }
    });
}

#[test]
fn a_shielded_future_that_was_never_polled_does_not_run() {
    within_a_minute(|| {
        let held = Arc::new(());
        let theirs = Arc::clone(&held);
        // No runtime is needed for that either.
        let waiter = shield(async move { drop(theirs) });
        assert!(format!("{waiter:?}").contains("task: None"));
        drop(waiter);
        assert_eq!(Arc::strong_count(&held), 1, "it is dropped here");
        two_processors().block_on(async {
            let token = CancellationToken::new();
            token.cancel();
            assert_eq!(shield(async { unreachable!("it runs") }).until_cancelled(&token).await, None::<()>);
        });
    });
}

#[test]
fn a_shielded_future_is_a_task_of_its_own() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let waiter = shield(async { (task::id(), task::current().id()) });
            let (id, same) = waiter.await;
            assert_eq!((id, task::try_id()), (same, None));
        });
    });
}

#[test]
fn a_panic_of_a_shielded_future_goes_on() {
    within_a_minute(|| {
        let runtime = two_processors();
        let task = runtime.spawn(async { shield(async { panic!("meant") }).await });
        let panic = runtime.block_on(task).expect_err("it panics").into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"meant"));
    });
}

#[test]
fn a_shielded_future_that_its_runtime_cancels_says_so() {
    within_a_minute(|| {
        let (other, runtime) = (two_processors(), two_processors());
        // Its task is of the runtime that is entered at the first poll.
        let mut waiter = shield(pending::<()>());
        {
            let _entered = other.enter();
            assert!(tokio_test::task::spawn(&mut waiter).poll().is_pending());
        }
        drop(other);
        let message = panic_message(|| runtime.block_on(waiter));
        assert!(message.starts_with("wsrt: the task of a `future::shield` was cancelled by its runtime"), "{message}");
        assert!(message.contains("let it end first, for example by `Handle::drain`"), "{message}");
    });
}

#[test]
fn outside_a_runtime_a_shield_names_the_cure() {
    fn poll<F>(waiter: &mut Shield<F>) -> String
    where
        F: Future<Output = u32> + Send + 'static,
    {
        panic_message(|| _ = tokio_test::task::spawn(waiter).poll())
    }
    let mut waiter = shield(ready(7));
    let message = poll(&mut waiter);
    assert!(message.contains("`future::shield` was called outside a wsrt runtime: call it inside"), "{message}");
    assert!(poll(&mut waiter).contains("polled again"));
}

#[test]
fn a_shielded_future_knows_the_deadline_and_outlives_it() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let limit = Instant::now() + HOUR;
            let seen = shield(async { deadline() }).timeout_at(limit).await.expect("it is early");
            assert_eq!(seen, Some(limit));
        });
    });
}

#[test]
fn limits_can_be_written_behind_a_future() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let token = CancellationToken::new();
            assert_eq!(ready(7).timeout(Duration::ZERO).await, Ok(7));
            assert!(pending::<()>().timeout(Duration::from_millis(1)).await.is_err());
            assert!(pending::<()>().timeout_at(Instant::now()).await.is_err());
            assert_eq!(ready(7).until_cancelled(&token).await, Some(7));
            let child = token.child_token();
            let waiting = wsrt::spawn(async move {
                yield_now().await;
                pending::<()>().timeout(HOUR).until_cancelled(&child).await
            });
            token.cancel();
            assert_eq!(waiting.await.expect("no panic"), None);
        });
    });
}

/// tokio-util's trait has the same name, and here none of its methods that have the same names.
#[test]
fn the_trait_fits_beside_another_of_its_name() {
    use tokio_util::future::FutureExt as _;

    two_processors().block_on(async {
        let token = tokio_util::sync::CancellationToken::new();
        assert_eq!(ready(7).timeout(HOUR).with_cancellation_token(&token).await, Some(Ok(7)));
    });
}

/// A future that may be sent can be sent with its limits, also where its type is not known.
#[test]
fn limited_futures_can_be_spawned() {
    #[expect(clippy::manual_async_fn, reason = "an `async fn` does not say that it is Send for every `F`")]
    fn limited<F>(future: F, token: CancellationToken) -> impl Future<Output = bool> + Send
    where
        F: Future<Output = ()> + Send,
    {
        async move { future.timeout(HOUR).until_cancelled(&token).await.is_some() }
    }
    within_a_minute(|| {
        let runtime = two_processors();
        let task = runtime.spawn(limited(async { yield_now().await }, CancellationToken::new()));
        assert!(runtime.block_on(task).expect("no panic"));
    });
}
