//! A mutex that was held for a short time is offered to the first waiter, and any task may take it
//! until that waiter looks. A mutex that was held for longer is handed over.
#![cfg(not(any(wsrt_loom, feature = "drop-in")))]

use std::num::NonZeroU64;
use tokio_test::task::{Spawn, spawn};
use tokio_test::{assert_pending, assert_ready};
use wsrt_sync::{Mutex, MutexGuard, budget, current_task};

/// Runs `act` in a poll of this task.
fn in_poll_of<R>(task: u64, act: impl FnOnce() -> R) -> R {
    let _kept = budget::keep();
    let _current = current_task::enter(NonZeroU64::new(task).expect("not zero"));
    budget::refill();
    act()
}

/// Locks and unlocks in one poll.
fn lock_shortly(mutex: &Mutex<()>) {
    in_poll_of(9, || drop(mutex.try_lock().expect("it is free")));
}

/// A task that waits for the mutex, which this locks and then unlocks in the same poll.
fn offered<'a>(mutex: &'a Mutex<()>, count: usize) -> Vec<Spawn<impl Future<Output = MutexGuard<'a, ()>> + use<'a>>> {
    let mut waiting: Vec<_> = (0..count).map(|_| spawn(mutex.lock())).collect();
    in_poll_of(1, || {
        let guard = mutex.try_lock().expect("it is free");
        waiting.iter_mut().for_each(|one| assert_pending!(one.poll()));
        drop(guard);
    });
    waiting
}

#[test]
fn an_offered_mutex_is_free_until_its_waiter_looks() {
    let mutex = Mutex::new(());
    let mut waiting = offered(&mutex, 2);
    assert!(waiting[0].is_woken() && !waiting[1].is_woken());
    (0..10).for_each(|_| lock_shortly(&mutex));
    let guard = in_poll_of(2, || assert_ready!(waiting[0].poll()));
    assert!(mutex.try_lock().is_err() && !waiting[1].is_woken());
    // In a later poll.
    drop(guard);
    assert!(waiting[1].is_woken());
    assert!(mutex.try_lock().is_err(), "it was held for long, and is handed over");
    drop(assert_ready!(waiting[1].poll()));
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn a_waiter_is_woken_in_vain_four_times_at_most() {
    let mutex = Mutex::new(());
    let mut waiting = offered(&mutex, 1);
    for _ in 0..4 {
        in_poll_of(3, || {
            let guard = mutex.try_lock().expect("it is offered");
            assert!(waiting[0].is_woken());
            assert_pending!(waiting[0].poll());
            drop(guard);
        });
    }
    assert!(waiting[0].is_woken());
    assert!(mutex.try_lock().is_err(), "it is handed over");
    drop(assert_ready!(waiting[0].poll()));
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn a_mutex_held_across_a_poll_is_handed_over() {
    let mutex = Mutex::new(());
    let mut waiting = spawn(mutex.lock());
    let guard = in_poll_of(1, || {
        let guard = mutex.try_lock().expect("it is free");
        assert_pending!(waiting.poll());
        guard
    });
    in_poll_of(1, || drop(guard));
    assert!(waiting.is_woken() && mutex.try_lock().is_err());
    drop(assert_ready!(waiting.poll()));
}

#[test]
fn a_waiter_that_leaves_passes_the_offer_on() {
    for is_taken in [true, false] {
        let mutex = Mutex::new(());
        let mut waiting = offered(&mutex, 2);
        let (mut second, first) = (waiting.pop().expect("two"), waiting.pop().expect("two"));
        in_poll_of(3, || {
            let guard = is_taken.then(|| mutex.try_lock().expect("it is offered"));
            drop(first);
            assert_eq!(second.is_woken(), !is_taken);
            drop(guard);
        });
        assert!(second.is_woken());
        drop(assert_ready!(second.poll()));
        assert!(mutex.try_lock().is_ok());
    }
}

#[test]
fn any_waiter_may_take_an_offered_mutex() {
    let mutex = Mutex::new(());
    let mut waiting = offered(&mutex, 3);
    let last = assert_ready!(waiting[2].poll());
    assert_pending!(waiting[0].poll());
    drop(last);
    assert!(waiting[0].is_woken());
    drop(assert_ready!(waiting[0].poll()));
    assert!(waiting[1].is_woken());
    drop(assert_ready!(waiting[1].poll()));
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn a_waiter_without_budget_leaves_an_offered_mutex_alone() {
    let mutex = Mutex::new(());
    let mut waiting = offered(&mutex, 1);
    in_poll_of(2, || {
        (0..budget::PER_POLL).for_each(|_| budget::spend());
        assert_pending!(waiting[0].poll());
    });
    lock_shortly(&mutex);
    in_poll_of(2, || drop(assert_ready!(waiting[0].poll())));
    assert!(mutex.try_lock().is_ok());
}
