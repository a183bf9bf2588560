//! The future in `block_on` and the tasks beside it have their turns.
#![cfg(all(feature = "rt", feature = "sync"))]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::task::yield_now;

#[test]
fn a_yield_in_block_on_gives_each_task_a_turn() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let turns = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        for _ in 0..10 {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.fetch_add(1, Relaxed) });
        }
        yield_now().await;
        assert_eq!(turns.load(Relaxed), 10);
    });
}

/// A client's pool of connections: one that has come to the end of a response says so to its
/// reader, and then goes back, by a task that waits for that.
#[test]
fn block_on_finds_the_connection_of_its_last_request() {
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let in_pool = Arc::new(AtomicUsize::new(0));
        for request in 0..10 {
            let (end, response) = oneshot::channel();
            let (become_idle, is_idle) = oneshot::channel();
            let pool = Arc::clone(&in_pool);
            tokio::spawn(async move {
                is_idle.await.unwrap();
                pool.fetch_add(1, Relaxed);
            });
            yield_now().await;
            tokio::spawn(async move {
                end.send(()).unwrap();
                become_idle.send(()).unwrap();
            });
            response.await.unwrap();
            assert_eq!(in_pool.load(Relaxed), request + 1);
        }
    });
}

#[test]
fn tasks_that_never_rest_do_not_hold_block_on_up() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let turns = Arc::new(AtomicUsize::new(0));
    runtime.block_on(async {
        let counted = Arc::clone(&turns);
        tokio::spawn(async move {
            loop {
                counted.fetch_add(1, Relaxed);
                yield_now().await;
            }
        });
        for _ in 0..10 {
            yield_now().await;
        }
    });
    assert!(turns.load(Relaxed) <= 10 * 100, "{turns:?}");
}
