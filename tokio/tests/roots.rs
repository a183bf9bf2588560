//! The future in `block_on` and the tasks beside it have their turns.
#![cfg(feature = "rt")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tokio::runtime::Builder;
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
