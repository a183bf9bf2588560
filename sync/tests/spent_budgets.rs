//! A task that comes to a lock without budget has its place there all the same.
#![cfg(not(wsrt_loom))]

use std::sync::Arc;
use tokio_test::{assert_pending, assert_ready, task::spawn};
use wsrt_sync::{Mutex, budget};

fn spend_all() {
    budget::refill();
    (0..budget::PER_POLL).for_each(|_| budget::spend());
}

#[test]
fn a_waiter_without_budget_is_served_before_later_ones() {
    let _kept = budget::keep();
    let mutex = Mutex::new(());
    let held = mutex.try_lock().unwrap();
    let (mut first, mut second) = (spawn(mutex.lock()), spawn(mutex.lock()));
    spend_all();
    assert_pending!(first.poll());
    budget::refill();
    assert_pending!(second.poll());
    drop(held);
    assert!(!second.is_woken());
    drop(assert_ready!(first.poll()));
    assert!(second.is_woken());
    drop(assert_ready!(second.poll()));
}

#[test]
fn a_task_without_budget_leaves_a_free_lock_alone() {
    let _kept = budget::keep();
    let mutex = Arc::new(Mutex::new(()));
    let mut locked = spawn(mutex.clone().lock_owned());
    spend_all();
    assert_pending!(locked.poll());
    assert!(locked.is_woken(), "it is to come back at once");
    assert!(mutex.try_lock().is_ok());
    budget::refill();
    drop(assert_ready!(locked.poll()));
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn a_lock_handed_over_is_kept_or_given_back() {
    let _kept = budget::keep();
    let mutex = Mutex::new(());
    let mut held = mutex.try_lock().ok();
    let (mut first, mut second) = (spawn(mutex.lock()), spawn(mutex.lock()));
    assert_pending!(first.poll());
    assert_pending!(second.poll());
    held.take();
    spend_all();
    assert_pending!(first.poll());
    assert!(first.is_woken(), "it is to come back at once");
    assert!(mutex.try_lock().is_err());
    budget::refill();
    drop(assert_ready!(first.poll()));
    spend_all();
    assert_pending!(second.poll());
    drop(second);
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn a_poll_without_budget_is_woken_to_come_back() {
    let _kept = budget::keep();
    let mut proceeding = spawn(std::future::poll_fn(budget::poll_proceed));
    spend_all();
    assert!(!budget::has_remaining());
    assert_pending!(proceeding.poll());
    assert!(proceeding.is_woken());
    budget::refill();
    (0..2 * budget::PER_POLL).for_each(|_| assert!(budget::has_remaining() && proceeding.poll().is_ready()));
}
