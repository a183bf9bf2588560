//! A local set runs futures that may not leave their thread, on any runtime, and drops them there.

use std::cell::Cell;
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinHandle, JoinSet, LocalSet, spawn_local, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{Roll, panic_message, within_a_minute};

fn both_kinds() -> [Runtime; 2] {
    [
        Builder::new_current_thread().build().expect("a runtime"),
        Builder::new_multi_thread().worker_threads(2).build().expect("a runtime"),
    ]
}

#[test]
fn tasks_share_non_send_values_and_stay_on_their_thread() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let local = LocalSet::new();
            let sum = Rc::new(Cell::new(0));
            local.block_on(&runtime, async {
                let home = thread::current().id();
                let tasks: Vec<_> = (0..100)
                    .map(|n| {
                        let sum = Rc::clone(&sum);
                        spawn_local(async move {
                            for _ in 0..n % 7 {
                                yield_now().await;
                            }
                            sum.set(sum.get() + n);
                            assert_eq!(thread::current().id(), home);
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.expect("no panic");
                }
            });
            assert_eq!(sum.get(), 4950);
        }
    });
}

#[test]
fn a_set_as_a_future_ends_with_its_tasks() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let local = LocalSet::new();
            let done = Rc::new(Cell::new(0));
            let count = Rc::clone(&done);
            drop(local.spawn_local(async move {
                sleep(Duration::from_millis(2)).await;
                let inner = Rc::clone(&count);
                drop(spawn_local(async move {
                    sleep(Duration::from_millis(2)).await;
                    inner.set(inner.get() + 1);
                }));
                count.set(count.get() + 1);
            }));
            runtime.block_on(local);
            assert_eq!(done.get(), 2);
        }
    });
}

#[test]
fn an_empty_set_is_ready_at_once() {
    Runtime::new().expect("a runtime").block_on(LocalSet::new());
}

#[test]
fn tasks_are_woken_by_other_threads_and_runtime_tasks() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let local = LocalSet::new();
            local.block_on(&runtime, async {
                for _ in 0..200 {
                    let (send, receive) = tokio::sync::oneshot::channel();
                    let waits = spawn_local(receive);
                    yield_now().await;
                    thread::spawn(move || send.send(1).expect("it waits")).join().expect("no panic");
                    assert_eq!(waits.await.expect("no panic"), Ok(1));

                    let (send, receive) = tokio::sync::oneshot::channel();
                    let waits = spawn_local(receive);
                    let sends = wsrt::spawn(async move { send.send(2).expect("it waits") });
                    assert_eq!(waits.await.expect("no panic"), Ok(2));
                    sends.await.expect("no panic");
                }
            });
        }
    });
}

#[test]
fn tasks_wait_for_the_set_to_be_polled_again() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let local = LocalSet::new();
            let steps = Rc::new(Cell::new(0));
            let count = Rc::clone(&steps);
            let task = local.spawn_local(async move {
                loop {
                    count.set(count.get() + 1);
                    yield_now().await;
                }
            });
            local.block_on(&runtime, yield_now());
            let so_far = steps.get();
            assert!(so_far > 0);
            runtime.block_on(async { sleep(Duration::from_millis(1)).await });
            assert_eq!(steps.get(), so_far, "nobody polls the set");
            local.block_on(&runtime, yield_now());
            assert!(steps.get() > so_far);
            task.abort();
            assert!(local.block_on(&runtime, task).expect_err("aborted").is_cancelled());
        }
    });
}

#[test]
fn tasks_that_never_wait_do_not_hold_off_run_until() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let local = LocalSet::new();
            for _ in 0..3 {
                drop(local.spawn_local(async {
                    loop {
                        yield_now().await;
                    }
                }));
            }
            local.block_on(&runtime, sleep(Duration::from_millis(5)));
        }
    });
}

#[test]
fn a_guard_directs_local_spawns_into_the_set() {
    let runtime = Runtime::new().expect("a runtime");
    let (outer, inner) = (LocalSet::new(), LocalSet::new());
    let in_outer = outer.enter();
    let first = spawn_local(async { 1 });
    let in_inner = inner.enter();
    let second = spawn_local(async { 2 });
    drop(in_inner);
    let third = spawn_local(async { 3 });
    drop(in_outer);
    runtime.block_on(outer);
    assert!(first.is_finished() && third.is_finished() && !second.is_finished());
    assert_eq!(inner.block_on(&runtime, second).expect("no panic"), 2);
    let message = panic_message(|| runtime.block_on(async { drop(spawn_local(async {})) }));
    assert!(message.contains("`spawn_local` needs a `LocalSet`"), "{message}");
}

#[test]
fn spawning_into_a_set_that_is_polled_wakes_it() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let local = LocalSet::new();
        // The set is pending in `block_on`; its one task is woken from afar, and spawns.
        let (send, receive) = tokio::sync::oneshot::channel::<()>();
        drop(local.spawn_local(async move {
            receive.await.expect("it is sent");
            spawn_local(async {}).await.expect("no panic");
        }));
        let thread = thread::spawn(move || send.send(()).expect("it waits"));
        runtime.block_on(local);
        thread.join().expect("no panic");
    });
}

#[test]
fn panics_stay_in_their_task() {
    let runtime = Runtime::new().expect("a runtime");
    let local = LocalSet::new();
    let error = local.block_on(&runtime, async {
        let bad = spawn_local(async { std::panic::resume_unwind(Box::new("boom")) });
        let error = JoinHandle::<()>::await_error(bad).await;
        assert_eq!(spawn_local(async { 1 }).await.expect("the set goes on"), 1);
        error
    });
    assert!(error.is_panic());
}

trait AwaitError {
    fn await_error(self) -> impl Future<Output = wsrt::task::JoinError>;
}

impl AwaitError for JoinHandle<()> {
    async fn await_error(self) -> wsrt::task::JoinError {
        self.await.expect_err("it panics")
    }
}

#[test]
fn dropping_a_set_drops_each_task_once_as_cancelled() {
    const TASKS: usize = 300;
    within_a_minute(|| {
        for runtime in both_kinds() {
            let roll = Roll::new(TASKS);
            let local = LocalSet::new();
            let mut handles = Vec::new();
            local.block_on(&runtime, async {
                for index in 0..TASKS {
                    let entry = (roll.entry(index), Rc::new(()));
                    handles.push(spawn_local(async move {
                        match index % 3 {
                            0 => pending().await,
                            1 => sleep(Duration::from_secs(3600)).await,
                            _ => loop {
                                yield_now().await;
                            },
                        }
                        drop(entry);
                    }));
                }
                // Some of them have not been polled yet when this ends.
                yield_now().await;
            });
            assert_eq!(roll.dropped(), 0);
            drop(local);
            roll.assert_each_dropped_once();
            for handle in handles {
                assert!(runtime.block_on(handle).expect_err("dropped").is_cancelled());
            }
        }
    });
}

#[test]
fn a_spawn_during_the_sets_drop_is_cancelled() {
    struct SpawnsInDrop(Rc<Cell<bool>>);
    impl Drop for SpawnsInDrop {
        fn drop(&mut self) {
            let handle = spawn_local(async { unreachable!("the set is gone") });
            self.0.set(handle.is_finished());
        }
    }
    let cancelled = Rc::new(Cell::new(false));
    let local = LocalSet::new();
    let held = SpawnsInDrop(Rc::clone(&cancelled));
    drop(local.spawn_local(async move {
        pending::<()>().await;
        drop(held);
    }));
    drop(local);
    assert!(cancelled.get());
}

#[test]
fn foreign_wakers_and_aborts_may_meet_the_sets_end() {
    const ROUNDS: usize = 300;
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let (send, jobs) = channel::<(Vec<Waker>, wsrt::task::AbortHandle)>();
        let waking = thread::spawn(move || {
            for (wakers, abort) in jobs {
                wakers.iter().for_each(Waker::wake_by_ref);
                abort.abort();
                wakers.into_iter().for_each(Waker::wake);
            }
        });
        for _ in 0..ROUNDS {
            let roll = Roll::new(4);
            let local = LocalSet::new();
            let wakers = Arc::new(Mutex::new(Vec::new()));
            let mut abort = None;
            for index in 0..4 {
                let (entry, wakers) = ((roll.entry(index), Rc::new(())), Arc::clone(&wakers));
                let handle = local.spawn_local(async move {
                    let _entry = entry;
                    poll_fn(|cx| {
                        wakers.lock().expect("no panic").push(cx.waker().clone());
                        Poll::<()>::Pending
                    })
                    .await;
                });
                abort = Some(handle.abort_handle());
            }
            local.block_on(&runtime, yield_now());
            let wakers = std::mem::take(&mut *wakers.lock().expect("no panic"));
            assert_eq!(wakers.len(), 4);
            send.send((wakers, abort.expect("four were spawned"))).expect("it waits");
            drop(local);
            roll.assert_each_dropped_once();
        }
        drop(send);
        waking.join().expect("no panic");
    });
}

#[test]
fn a_send_output_may_be_awaited_elsewhere() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let local = LocalSet::new();
        let shared = Rc::new(7);
        let handle = local.spawn_local(async move { *shared });
        let elsewhere = runtime.spawn(handle);
        runtime.block_on(local);
        assert_eq!(runtime.block_on(elsewhere).expect("no panic").expect("no panic"), 7);
    });
}

#[test]
fn a_join_set_takes_tasks_of_local_sets() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let local = LocalSet::new();
        let mut set = JoinSet::new();
        set.spawn_local_on(async { Rc::new(1) }, &local);
        set.build_task().name("second").spawn_local_on(async { Rc::new(2) }, &local);
        let sum = local.block_on(&runtime, async {
            set.spawn_local(async { Rc::new(4) });
            set.join_all().await.iter().map(|n| **n).sum::<i32>()
        });
        assert_eq!(sum, 7);
    });
}

#[test]
fn tasks_have_ids_and_names_of_their_own() {
    let runtime = Runtime::new().expect("a runtime");
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let first = wsrt::task::Builder::new().name("first").spawn_local(async { wsrt::task::id() });
        let second = spawn_local(async { wsrt::task::id() });
        let ids = (first.id(), second.id());
        assert_ne!(ids.0, ids.1);
        assert_eq!((first.await.expect("no panic"), second.await.expect("no panic")), ids);
        assert_eq!(wsrt::task::try_id(), None);
    });
}
