//! Models of permits and of the line for them, which all locks and bounded channels use.

use super::{explore, explore_with, poll_and_drop};
use crate::batch_semaphore::BatchSemaphore;
use crate::current_task;
use crate::wait::WaitKind;
use loom::cell::UnsafeCell;
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use std::num::NonZeroU64;

#[test]
fn one_permit_is_one_holders() {
    explore(|| {
        let shared = Arc::new((BatchSemaphore::new(1), UnsafeCell::new(0)));
        let work = |shared: &(BatchSemaphore, UnsafeCell<i32>)| {
            block_on(shared.0.take(1, WaitKind::Semaphore)).expect("nothing closes it");
            // SAFETY: the one permit is held; loom checks that.
            shared.1.with_mut(|count| unsafe { *count += 1 });
            shared.0.give(1);
        };
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || work(&other));
        work(&shared);
        thread.join().unwrap();
        assert_eq!(shared.0.free(), 1);
    });
}

#[test]
fn a_waiter_that_leaves_loses_no_permit() {
    explore(|| {
        let permits = Arc::new(BatchSemaphore::new(0));
        let leaving = Arc::clone(&permits);
        let leaver = thread::spawn(move || {
            if poll_and_drop(leaving.take(1, WaitKind::Semaphore)) {
                leaving.give(1);
            }
        });
        let giving = Arc::clone(&permits);
        let giver = thread::spawn(move || giving.give(1));
        block_on(permits.take(1, WaitKind::Semaphore)).expect("nothing closes it");
        leaver.join().unwrap();
        giver.join().unwrap();
        assert_eq!(permits.free(), 0);
    });
}

#[test]
fn many_permits_are_gathered_from_several_givers() {
    explore(|| {
        let permits = Arc::new(BatchSemaphore::new(1));
        let givers = [1, 1].map(|count| {
            let permits = Arc::clone(&permits);
            thread::spawn(move || permits.give(count))
        });
        block_on(permits.take(3, WaitKind::Semaphore)).expect("nothing closes it");
        for giver in givers {
            giver.join().unwrap();
        }
        assert_eq!(permits.free(), 0);
    });
}

#[test]
fn a_close_reaches_each_waiter() {
    explore(|| {
        let permits = Arc::new(BatchSemaphore::new(0));
        let closing = Arc::clone(&permits);
        let closer = thread::spawn(move || closing.close());
        assert!(block_on(permits.take(1, WaitKind::Semaphore)).is_err());
        closer.join().unwrap();
    });
}

#[test]
fn permits_are_whole_after_a_close() {
    explore(|| {
        let permits = Arc::new(BatchSemaphore::new(1));
        let (closing, giving) = (Arc::clone(&permits), Arc::clone(&permits));
        let closer = thread::spawn(move || closing.close());
        let giver = thread::spawn(move || giving.give(1));
        let taken = block_on(permits.take(2, WaitKind::Semaphore)).is_ok();
        closer.join().unwrap();
        giver.join().unwrap();
        assert_eq!(permits.free(), if taken { 0 } else { 2 });
    });
}

/// Models a reader-writer lock: a reader takes one permit, a writer takes all of them, and a
/// downgrade gives back all but one.
#[test]
fn a_writer_excludes_readers_until_it_downgrades() {
    const ALL: usize = 2;
    explore_with(2, || {
        let shared = Arc::new((BatchSemaphore::new(ALL), UnsafeCell::new(0)));
        let read = |shared: &(BatchSemaphore, UnsafeCell<i32>)| {
            block_on(shared.0.take(1, WaitKind::Semaphore)).expect("nothing closes it");
            // SAFETY: a permit is held; loom checks that.
            let seen = shared.1.with(|count| unsafe { *count });
            shared.0.give(1);
            seen
        };
        let reading = Arc::clone(&shared);
        let reader = thread::spawn(move || read(&reading));
        block_on(shared.0.take(ALL, WaitKind::Semaphore)).expect("nothing closes it");
        // SAFETY: all permits are held; loom checks that.
        shared.1.with_mut(|count| unsafe { *count += 1 });
        shared.0.give(ALL - 1);
        // SAFETY: a permit is held; loom checks that.
        assert_eq!(shared.1.with(|count| unsafe { *count }), 1);
        shared.0.give(1);
        assert!(matches!(reader.join().unwrap(), 0 | 1));
        assert_eq!(shared.0.free(), ALL);
    });
}

#[test]
fn permits_for_a_herd_pass_no_waiter_by() {
    explore_with(2, || {
        let permits = Arc::new(BatchSemaphore::new(0));
        let taking = [Arc::clone(&permits), Arc::clone(&permits)];
        let takers = taking.map(|permits| {
            thread::spawn(move || block_on(permits.take(1, WaitKind::Semaphore)).expect("nothing closes it"))
        });
        // A batch is one waiter here: another may come, or leave, before the next.
        permits.give(2);
        if poll_and_drop(permits.take(1, WaitKind::Semaphore)) {
            permits.give(1);
        }
        takers.into_iter().for_each(|taker| taker.join().unwrap());
        assert_eq!(permits.free(), 0);
    });
}

#[test]
fn a_close_refuses_a_herd_that_grows_and_shrinks() {
    explore_with(2, || {
        let permits = Arc::new(BatchSemaphore::new(0));
        let waiting = [Arc::clone(&permits), Arc::clone(&permits)];
        let waiters = waiting.map(|permits| {
            thread::spawn(move || block_on(permits.take(1, WaitKind::Semaphore)).expect_err("none is given"))
        });
        assert!(!poll_and_drop(permits.take(2, WaitKind::Semaphore)));
        permits.close();
        waiters.into_iter().for_each(|waiter| _ = waiter.join().unwrap());
        assert_eq!(permits.free(), 0);
    });
}

/// Calls `model` as one task: loom's threads share the thread-local state, so each hold is short.
fn with_short_holds(model: impl FnOnce()) {
    let _current = current_task::enter(NonZeroU64::MIN);
    model();
}

fn count_under(shared: &(BatchSemaphore, UnsafeCell<i32>)) {
    block_on(shared.0.take(1, WaitKind::Mutex)).expect("nothing closes it");
    // SAFETY: the one permit is held; loom checks that.
    shared.1.with_mut(|count| unsafe { *count += 1 });
    shared.0.give(1);
}

#[test]
fn an_offered_mutex_is_one_holders_and_wakes_each_waiter() {
    explore_with(2, || {
        with_short_holds(|| {
            let shared = Arc::new((BatchSemaphore::of_mutex(), UnsafeCell::new(0)));
            let others = [Arc::clone(&shared), Arc::clone(&shared)];
            let threads = others.map(|other| thread::spawn(move || count_under(&other)));
            count_under(&shared);
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(shared.0.free(), 1);
        });
    });
}

#[test]
fn an_offered_mutex_reaches_a_waiter_that_others_overtake() {
    explore_with(2, || {
        with_short_holds(|| {
            let shared = Arc::new((BatchSemaphore::of_mutex(), UnsafeCell::new(0)));
            let other = Arc::clone(&shared);
            let thread = thread::spawn(move || (0..3).for_each(|_| count_under(&other)));
            count_under(&shared);
            thread.join().unwrap();
            assert_eq!(shared.0.free(), 1);
        });
    });
}

#[test]
fn a_waiter_that_leaves_passes_the_offer_on() {
    explore_with(2, || {
        with_short_holds(|| {
            let permits = Arc::new(BatchSemaphore::of_mutex());
            permits.try_take(1).unwrap();
            let leaving = Arc::clone(&permits);
            let leaver = thread::spawn(move || {
                if poll_and_drop(leaving.take(1, WaitKind::Mutex)) {
                    leaving.give(1);
                }
            });
            let giving = Arc::clone(&permits);
            let giver = thread::spawn(move || giving.give(1));
            block_on(permits.take(1, WaitKind::Mutex)).expect("nothing closes it");
            leaver.join().unwrap();
            giver.join().unwrap();
            assert_eq!(permits.free(), 0);
        });
    });
}
