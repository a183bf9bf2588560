//! A task that blocks the thread of a `LocalSet`, with the peer that ends its wait in the rest of
//! the set: that continues inside the call.

use std::cell::Cell;
use std::panic::panic_any;
use std::pin::pin;
use std::rc::Rc;
use std::thread;

use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::mpsc;
use wsrt::task::{LocalSet, spawn_local, yield_now};
use wsrt_tests::{panic_message, runtime_with, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

#[test]
fn a_task_reaches_the_local_set_in_the_root() {
    within_a_minute(|| {
        let (runtime, set) = (current_thread(), LocalSet::new());
        let (sender, mut receiver) = mpsc::channel(1);
        let (to_local, mut local) = mpsc::channel(1);
        let total = Rc::new(Cell::new(0));
        set.block_on(&runtime, async {
            let sum = Rc::clone(&total);
            let adding = spawn_local(async move {
                while let Some(value) = local.recv().await {
                    sum.set(sum.get() + value);
                }
            });
            let task = wsrt::spawn(async move {
                for value in 0..50 {
                    sender.blocking_send(value).expect("the root receives");
                    to_local.blocking_send(value).expect("the local task receives");
                }
            });
            for value in 0..50 {
                assert_eq!(receiver.recv().await, Some(value));
            }
            task.await.expect("no panic");
            adding.await.expect("no panic");
        });
        assert_eq!(total.get(), 49 * 50 / 2);
    });
}

/// On either kind of runtime the set has one thread, which the call takes.
#[test]
fn a_local_task_reaches_the_rest_of_its_set() {
    within_a_minute(|| {
        for runtime in [runtime_with(1), current_thread()] {
            let (to_main, mut main) = mpsc::channel(1);
            let (to_local, mut local) = mpsc::channel(1);
            let total = Rc::new(Cell::new(0));
            let set = LocalSet::new();
            set.block_on(&runtime, async {
                let sum = Rc::clone(&total);
                let adding = spawn_local(async move {
                    while let Some(value) = local.recv().await {
                        sum.set(sum.get() + value);
                    }
                });
                let blocking = spawn_local(async move {
                    for value in 0..50 {
                        to_main.blocking_send(value).expect("the main future receives");
                        to_local.blocking_send(value).expect("the local task receives");
                    }
                });
                for value in 0..50 {
                    assert_eq!(main.recv().await, Some(value));
                }
                // With the waker of its own `run_until` again.
                yield_now().await;
                blocking.await.expect("no panic");
                adding.await.expect("no panic");
            });
            assert_eq!(total.get(), 49 * 50 / 2);
        }
    });
}

#[test]
fn a_main_future_that_ends_meanwhile_ends_its_run_until() {
    within_a_minute(|| {
        for runtime in [runtime_with(1), current_thread()] {
            let (sender, mut receiver) = mpsc::channel::<()>(1);
            let set = LocalSet::new();
            let message = panic_message(|| {
                set.block_on(&runtime, async {
                    spawn_local(async move { assert_eq!(receiver.blocking_recv(), None) });
                    yield_now().await;
                    let _dropped_by_the_panic = sender;
                    panic_any("the main future's own")
                })
            });
            assert_eq!(message, "the main future's own");
            runtime.block_on(set);
        }
    });
}

/// `run` is a `block_on` of a spawned task, and that is no part of a set that the thread is in.
#[test]
fn a_run_inside_a_set_leaves_the_set_aside() {
    within_a_minute(|| {
        for outer in [runtime_with(1), current_thread()] {
            let (set, inner) = (LocalSet::new(), current_thread());
            let (to_local, mut local) = mpsc::channel(1);
            set.block_on(&outer, async {
                let in_main = inner.run(async { spawn_local(async { 7 }).await.expect("no panic") });
                assert_eq!(in_main, 7);
                let rest = spawn_local(async move { local.recv().await });
                let in_task = spawn_local(async move {
                    // The rest of the set continues inside the call.
                    inner.run(async move {
                        let sent = spawn_local(async move { to_local.send(8).await.is_ok() });
                        sent.await.expect("no panic")
                    })
                });
                assert!(in_task.await.expect("no panic"));
                assert_eq!(rest.await.expect("no panic"), Some(8));
            });
        }
    });
}

/// Tasks that run inside a local task's call are no part of its set.
#[test]
fn tasks_beside_a_blocked_local_task_spawn_elsewhere() {
    within_a_minute(|| {
        let (runtime, set) = (current_thread(), LocalSet::new());
        let (sender, mut receiver) = mpsc::channel(1);
        let spawned = runtime.spawn(async move {
            let thread = spawn_local(async { thread::current().id() }).await.expect("no panic");
            sender.send(thread).await.expect("the local task waits");
        });
        set.block_on(&runtime, async {
            spawn_local(async move { assert_eq!(receiver.blocking_recv(), Some(thread::current().id())) })
                .await
                .expect("no panic");
        });
        runtime.block_on(spawned).expect("no panic");
        let mut set = pin!(set);
        runtime.block_on(set.as_mut());
    });
}
