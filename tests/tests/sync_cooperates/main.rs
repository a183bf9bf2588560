//! No channel and no lock keeps its processor: a loop of operations that are ready at once ends its
//! turn after a budget, so that timeouts around it fire and other branches of a select are served.

mod operations;

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Poll;
use std::time::Duration;

use crate::operations::{Count, Operation, channels, locks};
use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::oneshot;
use wsrt::task::yield_now;
use wsrt::time::timeout;
use wsrt_tests::{runtime_with, within_a_minute};

/// Operations that may complete within a poll, as documented.
const BUDGET: usize = 128;

fn one_processor() -> [Runtime; 2] {
    [runtime_with(1), Builder::new_current_thread().build().expect("a runtime")]
}

/// Calls `test` with each operation, on each runtime with one processor, and names the operation
/// that fails.
fn with_each(operations: fn() -> Vec<Operation>, test: fn(&Runtime, &Operation)) {
    for at in 0..operations().len() {
        let name = operations()[at].name;
        let run = move || one_processor().iter().for_each(|runtime| test(runtime, &operations()[at]));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| within_a_minute(run))) {
            eprintln!("this was a loop of: {name}");
            resume_unwind(panic);
        }
    }
}

fn assert_a_timeout_fires(runtime: &Runtime, operation: &Operation) {
    let endless = operation.endless(Count::default());
    let task = runtime.spawn(timeout(Duration::from_millis(50), endless));
    assert!(runtime.block_on(task).expect("no panic").is_err(), "the loop never ends by itself");
}

/// The task on the other end of the second branch runs only between turns of the first.
fn assert_the_other_branch_is_served(runtime: &Runtime, operation: &Operation) {
    let endless = operation.endless(Count::default());
    let served = runtime.spawn(async move {
        let (reply, answer) = oneshot::channel();
        wsrt::spawn(async move {
            for _ in 0..10 {
                yield_now().await;
            }
            reply.send(7).expect("the other branch waits");
        });
        first_of(endless, answer).await
    });
    assert_eq!(runtime.block_on(served).expect("no panic"), Ok(7));
}

/// Waits for `answer` while `endless` runs. Begins with either of them in turns, as a `select!`
/// does.
async fn first_of<T>(endless: impl Future<Output = ()>, answer: impl Future<Output = T>) -> T {
    let (mut endless, mut answer) = (pin!(endless), pin!(answer));
    let mut is_second = false;
    poll_fn(|cx| {
        is_second = !is_second;
        if is_second {
            assert!(endless.as_mut().poll(cx).is_pending(), "the loop never ends by itself");
        }
        if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
            return Poll::Ready(answer);
        }
        if !is_second {
            assert!(endless.as_mut().poll(cx).is_pending(), "the loop never ends by itself");
        }
        Poll::Pending
    })
    .await
}

/// A poll does not end early either: it has a budget for ready operations.
fn assert_a_turn_is_a_budget(runtime: &Runtime, operation: &Operation) {
    let count = Count::default();
    let endless = operation.endless(Arc::clone(&count));
    let task = runtime.spawn(async move {
        let mut endless = pin!(endless);
        let mut turns = Vec::new();
        poll_fn(|cx| {
            let before = count.load(SeqCst);
            assert!(endless.as_mut().poll(cx).is_pending(), "the loop never ends by itself");
            turns.push(count.load(SeqCst) - before);
            if turns.len() == 20 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        turns
    });
    let turns = runtime.block_on(task).expect("no panic");
    // An operation may spend twice: once for the wait, and once for the awaited value.
    let is_a_budget = |turn: &usize| (BUDGET / 2 - 1..=BUDGET).contains(turn);
    assert!(turns.iter().all(is_a_budget), "operations in each turn: {turns:?}");
}

#[test]
fn a_timeout_around_ready_channel_operations_fires() {
    with_each(channels, assert_a_timeout_fires);
}

#[test]
fn a_timeout_around_ready_lock_operations_fires() {
    with_each(locks, assert_a_timeout_fires);
}

#[test]
fn a_select_beside_ready_channel_operations_serves_both() {
    with_each(channels, assert_the_other_branch_is_served);
}

#[test]
fn a_select_beside_ready_lock_operations_serves_both() {
    with_each(locks, assert_the_other_branch_is_served);
}

#[test]
fn a_turn_of_ready_operations_is_a_budget() {
    with_each(channels, assert_a_turn_is_a_budget);
    with_each(locks, assert_a_turn_is_a_budget);
}

/// The thread itself waits in these calls: no budget ends its turn.
#[test]
fn blocking_calls_have_no_budget() {
    within_a_minute(|| {
        for runtime in one_processor() {
            let task = runtime.spawn(async {
                let turns = Arc::new(AtomicUsize::new(0));
                let counter = Arc::clone(&turns);
                wsrt::spawn(async move { counter.fetch_add(1, SeqCst) });
                let lock = wsrt::sync::Mutex::new(0);
                for _ in 0..10 * BUDGET {
                    *lock.blocking_lock() += 1;
                }
                turns.load(SeqCst)
            });
            assert_eq!(runtime.block_on(task).expect("no panic"), 0, "not one call has waited");
        }
    });
}
