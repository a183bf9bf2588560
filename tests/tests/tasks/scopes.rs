//! Tasks of a scope borrow, and are gone before what they have borrowed.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Handle, LocalRuntime};
use wsrt::sync::{Barrier, Notify, mpsc};
use wsrt::task::{self, LocalSet, block_in_place, scope, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{Roll, panic_message, runtime_with, two_processors, within_a_minute};

const HOUR: Duration = Duration::from_secs(3_600);

/// Calls `body` in a task of multi-thread runtimes, in the root of a current-thread and of a local
/// runtime, in a blocking job, and on a thread that has entered a runtime.
fn in_every_place(body: fn()) {
    within_a_minute(move || {
        for processors in [1, 2, 4] {
            let runtime = runtime_with(processors);
            runtime.block_on(runtime.spawn(async move { body() })).expect("it does not panic");
            runtime.block_on(runtime.spawn_blocking(body)).expect("it does not panic");
            runtime.block_on(async move { body() });
            let handle = runtime.handle().clone();
            let outside = thread::spawn(move || {
                let _entered = handle.enter();
                body();
            });
            outside.join().expect("it does not panic");
        }
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async move { body() });
        runtime.block_on(runtime.spawn(async move { body() })).expect("it does not panic");
        LocalRuntime::new().expect("a runtime").block_on(async move { body() });
    });
}

#[test]
fn children_borrow_and_change_the_callers_values() {
    in_every_place(|| {
        let words: Vec<String> = (0..100).map(|n| format!("word {n}")).collect();
        let mut lengths = vec![0; words.len()];
        let returned = scope(|scope| {
            for (word, length) in words.iter().zip(&mut lengths) {
                scope.spawn(async move {
                    yield_now().await;
                    *length = word.len();
                });
            }
            "returned"
        });
        assert_eq!(returned, "returned");
        assert!(words.iter().zip(lengths).all(|(word, length)| word.len() == length));
    });
}

#[test]
fn children_call_blocking_code_that_borrows() {
    in_every_place(|| {
        let text = String::from("borrowed");
        let length = scope(|scope| scope.spawn(async { block_in_place(|| text.len()) }).join());
        assert_eq!(length, Some(8));
    });
    within_a_minute(|| {
        // On one processor, so that another one takes over the sibling.
        let runtime = runtime_with(1);
        let received = runtime.spawn(async {
            let text = String::from("borrowed");
            let (sender, receiver) = std::sync::mpsc::channel();
            scope(|scope| {
                let received = scope.spawn(async move { block_in_place(|| receiver.recv()) });
                scope.spawn(async {
                    yield_now().await;
                    sender.send(text.len())
                });
                received.join()
            })
        });
        assert_eq!(runtime.block_on(received).expect("no panic"), Some(Ok(8)));
    });
}

#[test]
fn a_scope_lets_a_local_sets_tasks_run() {
    within_a_minute(|| {
        for runtime in [two_processors(), Builder::new_current_thread().build().expect("a runtime")] {
            let (sender, mut receiver) = mpsc::channel(1);
            let set = LocalSet::new();
            let waits = set.spawn_local(async move {
                scope(|scope| {
                    scope.spawn(async { receiver.recv().await });
                });
            });
            set.spawn_local(async move { sender.send(7).await });
            set.block_on(&runtime, waits).expect("no panic");
        }
    });
}

#[test]
fn a_scope_waits_for_sockets_timers_and_children_of_children() {
    in_every_place(|| {
        let ended = AtomicUsize::new(0);
        scope(|scope| {
            let ended = &ended;
            for _ in 0..4 {
                scope.spawn(async move {
                    sleep(Duration::from_millis(1)).await;
                    scope.spawn(async move {
                        sleep(Duration::from_millis(1)).await;
                        ended.fetch_add(1, SeqCst);
                    });
                    ended.fetch_add(1, SeqCst);
                });
            }
        });
        assert_eq!(ended.into_inner(), 8);
    });
}

#[test]
fn scopes_nest() {
    fn descend(depth: u32, leaves: &AtomicUsize) {
        scope(|scope| {
            for _ in 0..2 {
                scope.spawn(async move {
                    match depth {
                        0 => _ = leaves.fetch_add(1, SeqCst),
                        _ => descend(depth - 1, leaves),
                    }
                });
            }
        });
    }
    in_every_place(|| {
        let leaves = AtomicUsize::new(0);
        descend(3, &leaves);
        assert_eq!(leaves.into_inner(), 16);
    });
}

#[test]
fn children_run_at_the_same_time_as_the_closure() {
    within_a_minute(|| {
        two_processors().run(async {
            let barrier = Barrier::new(3);
            scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(barrier.wait());
                }
                Handle::current().block_on(barrier.wait());
            });
        });
    });
}

#[test]
fn outputs_borrow_and_are_had_by_joining_or_awaiting() {
    in_every_place(|| {
        let text = String::from("three short words");
        let word = scope(|scope| {
            let second = scope.spawn(async { text.split(' ').nth(1).expect("there are three") });
            let longer = scope.spawn(async { (second.await.expect("it has an output"), text.len()) });
            longer.join().expect("it has an output").0
        });
        assert_eq!(word, "short");
    });
}

#[test]
fn an_output_that_nobody_takes_is_dropped_in_the_scope() {
    in_every_place(|| {
        let roll = Roll::new(2);
        scope(|scope| {
            drop(scope.spawn(async { roll.entry(0) }));
            let _kept = scope.spawn(async { roll.entry(1) });
        });
        roll.assert_each_dropped_once();
    });
}

#[test]
fn the_first_panic_cancels_the_siblings_and_continues() {
    in_every_place(|| {
        let roll = Roll::new(10);
        let began = AtomicUsize::new(0);
        let message = panic_message(|| {
            scope(|scope| {
                for index in 0..10 {
                    let (began, held) = (&began, roll.entry(index));
                    scope.spawn(async move {
                        began.fetch_add(1, SeqCst);
                        pending::<()>().await;
                        drop(held);
                    });
                }
                let failing = scope.spawn(async {
                    if roll.len() == 10 {
                        panic!("first")
                    }
                });
                // It panics as well, since its sibling has no output.
                scope.spawn(async move { failing.await.expect("an output") });
            });
        });
        assert_eq!(message, "first");
        roll.assert_each_dropped_once();
    });
}

#[test]
fn a_panic_of_the_closure_cancels_the_children() {
    in_every_place(|| {
        let roll = Roll::new(1);
        let message = panic_message(|| {
            scope(|scope| {
                let held = roll.entry(0);
                scope.spawn(async move {
                    pending::<()>().await;
                    drop(held);
                });
                panic!("in the closure");
            })
        });
        assert_eq!(message, "in the closure");
        roll.assert_each_dropped_once();
    });
}

/// Panics when it is dropped, unless the thread panics already.
struct PanicsOnDrop<'a>(&'a AtomicUsize);

impl Drop for PanicsOnDrop<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        assert!(thread::panicking(), "dropped");
    }
}

#[test]
fn a_panic_of_a_destructor_continues_as_well() {
    in_every_place(|| {
        let drops = AtomicUsize::new(0);
        let at_the_end = panic_message(|| {
            scope(|scope| {
                let bomb = PanicsOnDrop(&drops);
                scope.spawn(async move {
                    yield_now().await;
                    drop(bomb);
                });
            });
        });
        let cancelled = panic_message(|| {
            scope(|scope| {
                for _ in 0..3 {
                    let bomb = PanicsOnDrop(&drops);
                    scope.spawn(async move {
                        pending::<()>().await;
                        drop(bomb);
                    });
                }
                scope.cancel();
            });
        });
        assert_eq!((at_the_end.as_str(), cancelled.as_str()), ("dropped", "dropped"));
        assert_eq!(drops.into_inner(), 4);
    });
}

#[test]
fn cancelled_children_end_and_no_child_is_added() {
    in_every_place(|| {
        let roll = Roll::new(2);
        scope(|scope| {
            let held = roll.entry(0);
            let waits = scope.spawn(async move {
                pending::<()>().await;
                drop(held);
            });
            scope.cancel();
            assert!(scope.is_cancelled());
            let held = roll.entry(1);
            let late = scope.spawn(async move { drop(held) });
            assert!(late.join().is_none() && waits.join().is_none(), "without an output");
        });
        roll.assert_each_dropped_once();
    });
}

#[test]
fn a_trigger_cancels_and_is_not_waited_for() {
    in_every_place(|| {
        let (roll, notify) = (Roll::new(2), Notify::new());
        scope(|scope| {
            scope.cancel_when(sleep(HOUR));
            scope.spawn(yield_now());
        });
        scope(|scope| {
            let held = roll.entry(0);
            scope.cancel_when(async move {
                notify.notified().await;
                drop(held);
            });
            scope.cancel_when(sleep(Duration::from_millis(1)));
            let held = roll.entry(1);
            scope.spawn(async move {
                pending::<()>().await;
                drop(held);
            });
        });
        roll.assert_each_dropped_once();
    });
}

#[test]
fn the_shutdown_token_of_the_runtime_cancels_a_scope() {
    in_every_place(|| {
        // A runtime of its own: a token that is cancelled stays so.
        let runtime = runtime_with(1);
        let token = runtime.handle().shutdown_token();
        runtime.block_on(async {
            scope(|scope| {
                scope.cancel_when(token.cancelled());
                scope.spawn(pending::<()>());
                scope.spawn(async { token.cancel() });
            });
        });
    });
}

#[test]
fn outside_a_runtime_a_scope_names_the_cure() {
    let message = panic_message(|| scope(|_| ()));
    assert!(message.contains("`task::scope` was called outside a wsrt runtime: call it inside"), "{message}");
}

#[test]
fn a_runtime_may_end_around_a_scope() {
    within_a_minute(|| {
        for processors in [1, 2] {
            let (roll, runtime) = (Roll::new(4), runtime_with(processors));
            let (began, has_begun) = std::sync::mpsc::channel();
            let (message, end) = std::sync::mpsc::channel();
            let ours = roll.clone();
            runtime.spawn(async move {
                let local = ours.entry(0);
                let seen = panic_message(|| {
                    scope(|scope| {
                        for index in 1..4 {
                            let (local, began) = (&local, began.clone());
                            let held = ours.entry(index);
                            scope.spawn(async move {
                                began.send(()).expect("the test waits");
                                pending::<()>().await;
                                drop((local, held));
                            });
                        }
                    });
                });
                assert_eq!(ours.dropped(), 3, "the children are gone, and the local is not");
                message.send(seen).expect("the test waits");
            });
            (0..3).for_each(|_| has_begun.recv().expect("they begin"));
            drop(runtime);
            let message = end.recv().expect("the scope ends");
            assert!(message.contains("its runtime, which is shutting down"), "{message}");
            roll.assert_each_dropped_once();
        }
    });
}

/// Scopes inside scopes on few processors, whose children wait for each other, spawn, panic and are
/// cancelled, round after round.
#[test]
fn scopes_under_stress_leave_nothing() {
    fn round(seed: usize, alive: &AtomicUsize) {
        struct Alive<'a>(&'a AtomicUsize);
        impl Drop for Alive<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, SeqCst);
            }
        }
        let local = vec![seed; 16];
        let ended = catch_unwind(AssertUnwindSafe(|| {
            scope(|scope| {
                let (sender, mut receiver) = mpsc::channel(1);
                for index in 0..8 {
                    let (sender, local) = (sender.clone(), &local);
                    alive.fetch_add(1, SeqCst);
                    let held = Alive(alive);
                    scope.spawn(async move {
                        let _held = held;
                        yield_now().await;
                        scope.spawn(async move { _ = sender.send(local[index]).await });
                        match (seed + index) % 97 {
                            0 => scope.cancel(),
                            1 => panic!("{STRESS}"),
                            2 => task::scope(|inner| drop(inner.spawn(async move { local[index] }))),
                            _ => yield_now().await,
                        }
                    });
                }
                drop(sender);
                scope.spawn(async move { while receiver.recv().await.is_some() {} });
            });
        }));
        if let Err(panic) = ended {
            assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(STRESS));
        }
        assert_eq!(alive.load(SeqCst), 0, "round {seed}");
    }
    const STRESS: &str = "one in a hundred";
    within_a_minute(|| {
        for processors in [1, 2, 4] {
            let runtime = runtime_with(processors);
            let tasks = (0..4).map(|lane| {
                runtime.spawn(async move {
                    let alive = AtomicUsize::new(0);
                    (0..100).for_each(|number| round(lane * 100 + number, &alive));
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                runtime.block_on(task).expect("it does not panic");
            }
        }
    });
}
