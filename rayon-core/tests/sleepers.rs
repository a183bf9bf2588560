//! The index of a thread that sleeps in a wait, which another thread may have meanwhile.
#![cfg(target_os = "linux")]

mod support;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Mutex};
use std::thread;

use rayon_core::{current_thread_index, join, scope, spawn};
use support::{await_sleep, this_thread, within_a_minute};
use wsrt::runtime::{Builder, Runtime};

/// Holds `lock` in a call whose other half runs elsewhere once both have `begun`, and says in
/// `waits` that it is about to sleep until that half `goes_on`.
fn sleep_with_a_lock(
    runtime: &Runtime,
    lock: &Mutex<()>,
    begun: &Barrier,
    waits: &Sender<PathBuf>,
    goes_on: Receiver<()>,
) {
    let _entered = runtime.enter();
    let _locked = lock.lock().expect("no panic");
    join(
        || {
            current_thread_index().expect("it computes");
            begun.wait();
            waits.send(this_thread()).expect("it is received");
        },
        move || {
            begun.wait();
            goes_on.recv().expect("it is sent");
        },
    );
}

/// A thread that asks for an index while another sleeps, and then for the lock that this one holds.
#[test]
fn a_thread_that_sleeps_is_not_asked_for_its_index() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let ((go_on, goes_on), lock, is_taken) = (channel(), Mutex::new(()), Barrier::new(2));
        let (waits, who_waits) = channel();
        let (runtime, lock, is_taken) = (&runtime, &lock, &is_taken);
        thread::scope(|threads| {
            threads.spawn(move || sleep_with_a_lock(runtime, lock, is_taken, &waits, goes_on));
            threads.spawn(move || {
                let _entered = runtime.enter();
                await_sleep(&who_waits.recv().expect("it is sent"));
                scope(|_| {
                    current_thread_index().expect("it computes");
                    go_on.send(()).expect("it is received");
                    drop(lock.lock().expect("no panic"));
                });
            });
        });
    });
}

/// A thread whose index would be that of a sleeping one asks for the sleeper's lock next.
#[test]
fn the_index_of_a_sleeping_thread_stays_in_its_call() {
    within_a_minute(|| {
        let runtime = &Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let ((go_on, goes_on), (waits, who_waits), (asks, who_asks)) = (channel(), channel(), channel::<PathBuf>());
        let (lock, begun, all) = (&Mutex::new(()), &Barrier::new(3), &Barrier::new(2));
        thread::scope(|threads| {
            threads.spawn(move || sleep_with_a_lock(runtime, lock, begun, &waits, goes_on));
            threads.spawn(move || {
                let _entered = runtime.enter();
                // A processor helps before this thread computes, too.
                begun.wait();
                scope(move |_| {
                    current_thread_index().expect("it computes");
                    all.wait();
                    await_sleep(&who_asks.recv().expect("it is sent"));
                    go_on.send(()).expect("it is received");
                });
            });
            threads.spawn(move || {
                let _entered = runtime.enter();
                await_sleep(&who_waits.recv().expect("it is sent"));
                all.wait();
                asks.send(this_thread()).expect("it is received");
                scope(|_| {
                    current_thread_index().expect("it computes");
                    drop(lock.lock().expect("no panic"));
                });
            });
        });
    });
}

/// Spawns a closure that has an index of the runtime until the sender is dropped.
fn keep_an_index() -> Sender<()> {
    let ((sender, receiver), (has_index, is_taken)) = (channel(), channel());
    spawn(move || {
        current_thread_index().expect("it computes");
        has_index.send(()).expect("it is received");
        receiver.recv().expect_err("it is dropped");
    });
    is_taken.recv().expect("it is sent");
    sender
}

/// Calls `borrows` in the second half of a join, which has the index of the caller: the runtime has
/// two worker threads and no other index, and the caller sleeps.
fn lend_to_second_half(borrows: impl FnOnce() + Send) {
    let (begun, (waits, who_waits)) = (&Barrier::new(2), channel());
    join(
        || {
            current_thread_index().expect("it computes");
            begun.wait();
            waits.send(this_thread()).expect("it is received");
        },
        move || {
            begun.wait();
            await_sleep(&who_waits.recv().expect("it is sent"));
            current_thread_index().expect("it computes");
            borrows();
        },
    );
}

/// The only thread that is left for a closure is the one whose index the other closure has.
#[test]
fn a_thread_without_its_index_runs_closures() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let _entered = runtime.enter();
        let kept = keep_an_index();
        lend_to_second_half(|| {
            scope(|scope| {
                let (sender, receiver) = channel();
                scope.spawn(move |_| sender.send(()).expect("it is received"));
                receiver.recv().expect("it is sent");
            });
        });
        drop(kept);
    });
}

/// The helper continues with a closure that ends after the caller's wait.
#[test]
fn an_index_is_lent_for_one_closure() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let _entered = runtime.enter();
        let kept = keep_an_index();
        let (caller, has_returned) = (thread::current().id(), &AtomicBool::new(false));
        scope(|scope| {
            let mine = current_thread_index();
            lend_to_second_half(|| {
                scope.spawn(move |_| {
                    while thread::current().id() != caller && !has_returned.load(SeqCst) {
                        thread::yield_now();
                    }
                });
            });
            assert_eq!(current_thread_index(), mine);
            has_returned.store(true, SeqCst);
        });
        drop(kept);
    });
}
