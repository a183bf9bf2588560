//! Waits: a thread that waits runs closures of its own outermost call alone, and no pool waits for
//! itself.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};

use rayon_core::{ThreadPool, ThreadPoolBuilder, Yield, join, scope, spawn, yield_now};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool")
}

/// With rayon's own pool the thread that holds the lock runs the spawned closure in its wait, and
/// waits for itself.
#[test]
fn a_waiting_thread_does_not_ask_for_its_own_lock() {
    let pool = pool(2);
    let (lock, (sender, receiver)) = (Arc::new(Mutex::new(0)), channel());
    let (theirs, both) = (Arc::clone(&lock), Barrier::new(2));
    pool.install(|| {
        let mut count = lock.lock().expect("no panic");
        let a_has_returned = AtomicBool::new(false);
        join(
            || {
                both.wait();
                spawn(move || {
                    *theirs.lock().expect("no panic") += 1;
                    sender.send(()).expect("it is received");
                });
                a_has_returned.store(true, SeqCst);
            },
            || {
                both.wait();
                while !a_has_returned.load(SeqCst) {
                    std::thread::yield_now();
                }
                // Meanwhile the other thread looks for something to do.
                (0..1_000).for_each(|_| std::thread::yield_now());
            },
        );
        *count += 1;
    });
    receiver.recv().expect("it is sent");
    assert_eq!(*lock.lock().expect("no panic"), 2);
}

#[test]
fn pools_of_one_thread_wait_for_each_other() {
    let (first, second) = (pool(1), pool(1));
    let depth = first.install(|| second.install(|| first.install(|| second.install(|| 4))));
    assert_eq!(depth, 4);
}

#[test]
fn a_scope_in_another_pool_may_call_back() {
    let (first, second) = (pool(1), pool(1));
    let mut called = false;
    first.install(|| second.in_place_scope(|scope| scope.spawn(|_| called = first.install(|| true))));
    assert!(called);
}

/// More threads than a tree has room for.
#[test]
fn a_pool_may_have_many_threads() {
    fn count(leaves: u32) -> u32 {
        if leaves < 2 {
            return leaves;
        }
        let (a, b) = join(|| count(leaves / 2), || count(leaves - leaves / 2));
        a + b
    }
    let pool = pool(80);
    assert_eq!(pool.install(|| count(10_000)), 10_000);
    assert_eq!(pool.broadcast(|context| context.index()).len(), 80);
}

#[test]
fn a_broadcast_reaches_threads_that_wait() {
    let (first, second) = (pool(2), pool(3));
    let counts = first.install(|| second.broadcast(|_| first.broadcast(|_| 1).len()));
    assert_eq!(counts, [2, 2, 2]);
}

#[test]
fn a_yield_runs_closures_of_other_calls() {
    pool(1).install(|| {
        let ran = Arc::new(AtomicBool::new(false));
        let theirs = Arc::clone(&ran);
        scope(|_| spawn(move || theirs.store(true, SeqCst)));
        assert!(!ran.load(SeqCst));
        assert_eq!(yield_now(), Some(Yield::Executed));
        assert!(ran.load(SeqCst));
        assert_eq!(yield_now(), Some(Yield::Idle));
    });
    assert_eq!(yield_now(), None);
}

#[test]
fn closures_that_wait_for_each_other_find_two_threads() {
    let pool = pool(2);
    for _ in 0..1_000 {
        let both = Barrier::new(2);
        pool.join(|| both.wait(), || both.wait());
    }
}
