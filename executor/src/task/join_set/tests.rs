//! The promises of a set beyond its examples.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::JoinSet;
use crate::runtime::{Builder, Runtime};

/// Counts its wake-ups.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Bell {
    fn rung(&self) -> usize {
        self.0.load(SeqCst)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// A runtime where nothing runs but inside `block_on`, so that the order of things is the test's.
fn single() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime is to be had")
}

/// Lets the other tasks run until this one is done, which it never will be if that takes so long.
async fn until_finished(handle: &crate::task::AbortHandle) {
    let began = Instant::now();
    while !handle.is_finished() {
        assert!(began.elapsed() < Duration::from_secs(20), "task {} does not finish", handle.id());
        crate::task::yield_now().await;
    }
}

#[test]
fn results_come_in_the_order_in_which_tasks_finish() {
    single().block_on(async {
        let mut set = JoinSet::new();
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..4).map(|_| std::sync::mpsc::channel::<()>()).unzip();
        for (n, receiver) in receivers.into_iter().enumerate() {
            set.spawn(async move {
                while receiver.try_recv().is_err() {
                    crate::task::yield_now().await;
                }
                n
            });
        }
        for n in [2, 0, 3, 1] {
            senders[n].send(()).expect("the task waits for it");
            assert_eq!(set.join_next().await.expect("not empty").expect("no panic"), n);
        }
        assert!(set.is_empty());
    });
}

#[test]
fn a_result_that_was_not_returned_stays_in_the_set() {
    single().block_on(async {
        let mut set = JoinSet::new();
        let handle = set.spawn(async { 7 });
        {
            let mut waiting = pin!(set.join_next());
            let polled = poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await;
            assert!(polled, "the task has not run yet");
        }
        until_finished(&handle).await;
        assert_eq!(set.len(), 1);
        assert_eq!(set.join_next().await.expect("still there").expect("no panic"), 7);
    });
}

#[test]
fn a_pending_set_wakes_for_a_child_done_at_spawn() {
    let gone = single();
    let handle = gone.handle().clone();
    drop(gone);

    single().block_on(async {
        let bell = Arc::new(Bell::default());
        let waker = Waker::from(Arc::clone(&bell));
        let mut cx = Context::from_waker(&waker);
        let mut set = JoinSet::new();
        set.spawn(pending::<()>());
        assert!(set.poll_join_next(&mut cx).is_pending());
        // A runtime that was shut down cancels at once.
        let id = set.spawn_on(pending(), &handle).id();
        assert_eq!(bell.rung(), 1);
        assert_eq!(set.len(), 2);
        match set.poll_join_next(&mut cx) {
            Poll::Ready(Some(Err(error))) => assert!(error.is_cancelled() && error.id() == id, "{error}"),
            other => panic!("expected the cancelled child, got {other:?}"),
        }
    });
}

#[test]
fn a_waiting_set_is_woken_once_for_many_children() {
    single().block_on(async {
        let bell = Arc::new(Bell::default());
        let waker = Waker::from(Arc::clone(&bell));
        let mut set = JoinSet::new();
        let handles: Vec<_> = (0..100).map(|n| set.spawn(async move { n })).collect();
        assert!(set.poll_join_next(&mut Context::from_waker(&waker)).is_pending());
        for handle in &handles {
            until_finished(handle).await;
        }
        assert_eq!(bell.rung(), 1);
        let outputs: Vec<_> = std::iter::from_fn(|| set.try_join_next()).map(Result::unwrap).collect();
        assert_eq!(outputs.len(), 100);
    });
}

#[test]
fn dropping_a_set_aborts_its_tasks_and_detaching_does_not() {
    single().block_on(async {
        let mut dropped = JoinSet::new();
        let aborted = dropped.spawn(pending::<()>());
        drop(dropped);
        until_finished(&aborted).await;

        let mut detached = JoinSet::new();
        let survivor = detached.spawn(pending::<()>());
        detached.detach_all();
        assert!(detached.is_empty() && detached.join_next().await.is_none());
        drop(detached);
        for _ in 0..100 {
            crate::task::yield_now().await;
        }
        assert!(!survivor.is_finished());
    });
}

#[test]
fn a_detached_child_is_not_mistaken_for_another() {
    single().block_on(async {
        let mut set = JoinSet::new();
        let old = set.spawn(async { "old" });
        set.detach_all();
        let young = set.spawn(async { "young" });
        until_finished(&old).await;
        until_finished(&young).await;
        let (id, output) = set.join_next_with_id().await.expect("one is left").expect("no panic");
        assert_eq!((id, output), (young.id(), "young"));
        assert!(set.try_join_next_with_id().is_none() && set.is_empty());
    });
}

#[test]
fn a_panic_differs_from_a_cancellation_and_is_named() {
    single().block_on(async {
        let mut set = JoinSet::new();
        let panicking = set.spawn(async { panic!("boom") });
        let error = set.join_next().await.expect("not empty").expect_err("it panicked");
        assert!(error.is_panic() && error.id() == panicking.id(), "{error}");
        let cancelled = set.spawn(pending::<()>());
        set.abort_all();
        let error = set.join_next_with_id().await.expect("not empty").expect_err("it was aborted");
        assert!(error.is_cancelled() && error.id() == cancelled.id(), "{error}");
    });
}

#[test]
#[should_panic(expected = "boom")]
fn join_all_goes_on_with_the_panic_of_a_task() {
    single().block_on(async {
        let mut set = JoinSet::new();
        set.spawn(pending::<()>());
        set.spawn(async { panic!("boom") });
        set.join_all().await;
    });
}

#[test]
fn every_result_of_many_processors_is_delivered_exactly_once() {
    let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime is to be had");
    let outputs = runtime.block_on(async {
        let mut set: JoinSet<usize> = (0..10_000).map(|n| async move { n }).collect();
        let mut outputs = Vec::new();
        while let Some(output) = set.join_next().await {
            outputs.push(output.expect("no panic"));
            // Keys are given out again while others are being announced.
            if outputs.len() % 10 == 0 {
                let n = 10_000 + outputs.len() / 10;
                if n <= 10_100 {
                    set.spawn(async move { n });
                }
            }
        }
        outputs
    });
    let mut sorted = outputs;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..10_000).chain(10_001..=10_100).collect::<Vec<_>>());
}
