//! The children of a `TaskGroup` end with their owner and with the first that fails, and no more of
//! them run at once than the limit.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio_test::{assert_pending, assert_ready};
use wsrt::runtime::Builder;
use wsrt::sync::{Barrier, CancellationToken, mpsc, oneshot};
use wsrt::task::{TaskGroup, yield_now};
use wsrt_tests::{Roll, panic_message, two_processors, within_a_minute};

type Group<T = ()> = TaskGroup<T, &'static str>;

#[test]
fn outputs_come_in_the_order_of_the_spawns() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let mut group = Group::new();
            let (sender, receiver) = oneshot::channel();
            group.spawn(async { receiver.await.map_err(|_| "the sender is gone") });
            group.spawn(async { sender.send(0).map(|()| 1).map_err(|_| "the receiver is gone") });
            for n in 2..20 {
                group.spawn(async move { Ok(n) });
            }
            assert_eq!(group.len(), 20);
            assert_eq!(group.join_all().await, Ok((0..20).collect()));
        });
    });
}

#[test]
fn next_returns_outputs_as_children_end() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let mut group = Group::new();
            let (go, went) = oneshot::channel::<()>();
            group.spawn(async { went.await.map(|()| 1).map_err(|_| "gone") });
            group.spawn(async { Ok(2) });
            assert_eq!(group.next().await, Some(Ok(2)));
            go.send(()).expect("the child waits");
            assert_eq!(group.next().await, Some(Ok(1)));
            assert_eq!(group.next().await, None);
            assert!(!group.is_cancelled());
        });
    });
}

#[test]
fn the_first_error_cancels_the_others_and_waits() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let roll = Roll::new(10);
            let mut group = Group::<()>::new();
            for index in 0..10 {
                let held = roll.entry(index);
                group.spawn(async move {
                    pending::<()>().await;
                    drop(held);
                    Ok(())
                });
            }
            group.spawn(async { Err("boom") });
            assert_eq!(group.next().await, Some(Err("boom")));
            roll.assert_each_dropped_once();
            assert_eq!(group.next().await, None, "the group is empty");
        });
    });
}

#[test]
fn an_error_cancels_though_the_owner_does_not_look() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let mut group = Group::<()>::new();
            let (held, dropped) = oneshot::channel::<()>();
            let (polled, was_polled) = oneshot::channel();
            group.spawn(async move {
                polled.send(()).expect("the test waits");
                pending::<()>().await;
                drop(held);
                Ok(())
            });
            was_polled.await.expect("it is polled");
            group.spawn(async { Err("boom") });
            assert!(dropped.await.is_err(), "the sibling is gone");
            assert!(group.is_cancelled());
            assert_eq!(group.join_all().await, Err("boom"));
        });
    });
}

#[test]
fn the_error_that_counts_is_the_first() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let mut group = Group::<()>::new();
            let (held, dropped) = oneshot::channel::<()>();
            // It fails when it hears that the other has.
            group.spawn(async move {
                dropped.await.expect_err("it is not sent");
                Err("second")
            });
            group.spawn(async move {
                let _held = held;
                Err("first")
            });
            assert_eq!(group.join_all().await, Err("first"));
        });
    });
}

#[test]
fn a_panic_cancels_the_others_and_goes_on() {
    within_a_minute(|| {
        let runtime = two_processors();
        let roll = Roll::new(1);
        let held = roll.entry(0);
        let message = panic_message(|| {
            runtime.block_on(async move {
                let mut group = Group::<()>::new();
                group.spawn(async move {
                    pending::<()>().await;
                    drop(held);
                    Ok(())
                });
                group.spawn(async { panic!("boom") });
                group.join_all().await
            })
        });
        assert_eq!(message, "boom");
        roll.assert_each_dropped_once();
    });
}

#[test]
fn children_end_with_their_owner() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let (held, dropped) = oneshot::channel::<()>();
            let owner = wsrt::spawn(async move {
                let mut inner = Group::<()>::new();
                inner.spawn(async move {
                    let mut innermost = Group::<()>::new();
                    innermost.spawn(async move {
                        pending::<()>().await;
                        drop(held);
                        Ok(())
                    });
                    innermost.join_all().await.map(drop)
                });
                inner.join_all().await
            });
            yield_now().await;
            owner.abort();
            assert!(dropped.await.is_err(), "the cancellation goes down the tree");
        });
    });
}

#[test]
fn no_more_children_run_at_once_than_the_limit() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let running = Arc::new(AtomicUsize::new(0));
            let all_three = Arc::new(Barrier::new(3));
            let mut group = Group::with_limit(3);
            for _ in 0..99 {
                let (running, all_three) = (Arc::clone(&running), Arc::clone(&all_three));
                group.spawn(async move {
                    let before = running.fetch_add(1, SeqCst);
                    // It is passed only if three do run at once.
                    all_three.wait().await;
                    running.fetch_sub(1, SeqCst);
                    Ok(before)
                });
            }
            let before = group.join_all().await.expect("none fails");
            assert!(before.iter().all(|&before| before < 3), "{before:?}");
        });
    });
}

#[test]
fn children_beyond_the_limit_begin_in_order() {
    within_a_minute(|| {
        // One thread, on which tasks come to the line in the order of their spawns.
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let begun = Arc::new(AtomicUsize::new(0));
            let mut group = Group::with_limit(2);
            for _ in 0..50 {
                let begun = Arc::clone(&begun);
                group.spawn(async move {
                    let turn = begun.fetch_add(1, SeqCst);
                    yield_now().await;
                    Ok(turn)
                });
            }
            assert_eq!(group.join_all().await, Ok((0..50).collect()));
        });
    });
}

#[test]
fn room_waits_for_a_place() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let mut group = Group::with_limit(1);
            let (go, went) = oneshot::channel::<()>();
            group.room().await;
            group.spawn(async { went.await.map_err(|_| "gone") });
            yield_now().await;
            let mut room = tokio_test::task::spawn(group.room());
            assert_pending!(room.poll());
            go.send(()).expect("the child waits");
            while !room.is_woken() {
                yield_now().await;
            }
            assert_ready!(room.poll());
            drop(room);
            group.join_all().await.expect("none fails");
        });
    });
}

#[test]
fn a_failed_group_takes_no_more_children() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let mut group = Group::<()>::new();
            group.spawn(async { Err("boom") });
            assert_eq!(group.next().await, Some(Err("boom")));
            let roll = Roll::new(1);
            let held = roll.entry(0);
            group.spawn(async move {
                pending::<()>().await;
                drop(held);
                Ok(())
            });
            assert_eq!(group.next().await, None);
            roll.assert_each_dropped_once();
        });
    });
}

#[test]
fn cancel_waits_until_every_child_is_gone() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let roll = Roll::new(5);
            let mut group = Group::<()>::with_limit(2);
            for index in 0..5 {
                let held = roll.entry(index);
                group.spawn(async move {
                    pending::<()>().await;
                    drop(held);
                    Ok(())
                });
            }
            group.cancel().await;
            roll.assert_each_dropped_once();
            assert!(group.is_empty() && group.is_cancelled());
        });
    });
}

#[test]
fn a_child_lost_to_its_runtime_is_reported() {
    within_a_minute(|| {
        let other = two_processors();
        let mut group = Group::<()>::new();
        group.spawn_on(pending(), other.handle());
        drop(other);
        let message = panic_message(|| two_processors().block_on(group.join_all()));
        assert!(message.starts_with("wsrt: a child of a `TaskGroup` was lost: task "), "{message}");
    });
}

#[test]
fn a_limit_of_zero_is_refused() {
    let message = panic_message(|| Group::<()>::with_limit(0));
    assert!(message.starts_with("wsrt: `TaskGroup::with_limit(0)`"), "{message}");
}

#[test]
fn a_cancelled_token_ends_the_group_unasked() {
    within_a_minute(|| {
        let runtime = two_processors();
        let token = CancellationToken::new();
        let (sender, mut ended) = mpsc::channel::<()>(1);
        let mut group = Group::<()>::new().until(&token.child_token());
        for _ in 0..3 {
            let sender = sender.clone();
            let endless = async move {
                let _sender = sender;
                pending::<Result<(), _>>().await
            };
            group.spawn_on(endless, runtime.handle());
        }
        drop(sender);
        assert!(!group.is_cancelled());
        token.cancel();
        assert!(group.is_cancelled());
        // Nobody polls the group, and the children end.
        assert_eq!(runtime.block_on(ended.recv()), None);
        group.spawn_on(async { panic!("it is not polled") }, runtime.handle());
        runtime.block_on(async {
            assert_eq!(group.next().await, None);
            let mut late = Group::<()>::new().until(&token);
            late.spawn(async { panic!("it is not polled") });
            assert_eq!(late.join_all().await, Ok(Vec::new()));
        });
    });
}

#[test]
fn a_group_that_has_ended_leaves_its_token() {
    within_a_minute(|| {
        two_processors().block_on(async {
            let token = CancellationToken::new();
            let mut group = Group::new().until(&token);
            group.spawn(async { Ok(7) });
            assert_eq!(group.join_all().await, Ok(vec![7]));
            token.cancel();
        });
    });
}

#[test]
fn a_child_that_comes_too_late_is_never_polled() {
    within_a_minute(|| {
        let runtime = two_processors();
        let mut group = Group::<()>::new();
        runtime.block_on(group.cancel());
        // A worker that is awake may begin to poll before the spawn has returned.
        for _ in 0..1_000 {
            group.spawn_on(async { panic!("it was polled") }, runtime.handle());
        }
        assert_eq!(runtime.block_on(group.next()), None);
    });
}
