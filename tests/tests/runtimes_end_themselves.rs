//! A runtime that is ended on one of its own threads does not wait, and reports that; one that is
//! driven ends with its drivers.

use std::future::pending;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use wsrt::runtime::{Builder, Handle, Runtime, Stall};
use wsrt::task::{spawn_blocking, spawn_local, yield_now};
use wsrt_tests::{LIMIT, Roll, in_a_process_of_its_own, panic_message, text_of, two_processors, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

/// Spawns tasks that wait for ever, and has them polled once. The roll records their drops.
fn parked(runtime: &Runtime, count: usize) -> Roll {
    let roll = Roll::new(count);
    let tasks: Vec<_> = (0..count)
        .map(|index| {
            let (entry, (began, has_begun)) = (roll.entry(index), oneshot::channel());
            runtime.spawn(async move {
                let _entry = entry;
                began.send(()).expect("the test waits");
                pending::<()>().await;
            });
            has_begun
        })
        .collect();
    runtime.block_on(async {
        for has_begun in tasks {
            has_begun.await.expect("each begins");
        }
    });
    roll
}

/// No event reports that a runtime has ended in the background, so this looks until all tasks are
/// dropped.
#[track_caller]
fn await_the_end(roll: &Roll) {
    let start = Instant::now();
    while roll.dropped() < roll.len() {
        assert!(start.elapsed() < LIMIT, "{} tasks are dropped", roll.dropped());
        thread::yield_now();
    }
    roll.assert_each_dropped_once();
}

#[track_caller]
fn assert_says_so(message: &str) {
    assert!(
        message.starts_with("wsrt: a runtime was dropped inside one of its own tasks or blocking jobs"),
        "{message}"
    );
}

fn drop_and_tell(runtime: Runtime, told: Sender<String>) {
    told.send(panic_message(|| drop(runtime))).expect("the test waits");
}

#[test]
fn a_current_thread_runtime_dropped_inside_its_task_says_so() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        let (tell, told) = channel();
        handle.block_on(async {
            let task = wsrt::spawn(async move { drop_and_tell(runtime, tell) });
            task.await.expect("it was in the middle of its poll");
        });
        assert_says_so(&told.try_recv().expect("the drop has returned"));
        await_the_end(&roll);
    });
}

#[test]
fn a_current_thread_runtime_dropped_in_its_root_says_so() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        let (tell, told) = channel();
        handle.block_on(async move { drop_and_tell(runtime, tell) });
        assert_says_so(&told.try_recv().expect("the drop has returned"));
        roll.assert_each_dropped_once();
    });
}

#[test]
fn a_current_thread_runtime_dropped_inside_a_local_task_ends() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        let (tell, told) = channel();
        handle.block_on(async {
            let task = spawn_local(async move { drop_and_tell(runtime, tell) });
            task.await.expect("it was in the middle of its poll");
        });
        assert_says_so(&told.try_recv().expect("the drop has returned"));
        roll.assert_each_dropped_once();
    });
}

#[test]
fn shutdown_background_in_an_own_task_of_a_driver_returns() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        handle.block_on(async {
            wsrt::spawn(async move { runtime.shutdown_background() }).await.expect("no panic");
        });
        roll.assert_each_dropped_once();
    });
}

#[test]
fn shutdown_timeout_in_an_own_task_returns_at_once() {
    within_a_minute(|| {
        for runtime in [current_thread(), two_processors()] {
            let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
            let (tell, told) = channel();
            let task = handle.spawn(async move {
                tell.send(panic_message(|| runtime.shutdown_timeout(LIMIT * 10))).expect("the test waits");
            });
            handle.block_on(task).expect("no panic");
            assert_says_so(&told.try_recv().expect("it has returned"));
            await_the_end(&roll);
        }
    });
}

/// A driver on a thread of its own, in the middle of a poll of a task that ends when the sender is
/// dropped.
fn driver_in_a_poll(runtime: &Runtime) -> (Sender<()>, thread::JoinHandle<bool>) {
    let (release, released) = channel::<()>();
    let (began, has_begun) = channel();
    let task = runtime.spawn(async move {
        began.send(()).expect("the test waits");
        assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
        pending::<()>().await;
    });
    let handle = runtime.handle().clone();
    let driver = thread::spawn(move || handle.block_on(task).expect_err("it never ends").is_cancelled());
    has_begun.recv_timeout(LIMIT).expect("the poll begins");
    (release, driver)
}

#[test]
fn shutdown_timeout_keeps_to_it_while_a_driver_polls() {
    within_a_minute(|| {
        let runtime = current_thread();
        let roll = parked(&runtime, 20);
        let (release, driver) = driver_in_a_poll(&runtime);
        let start = Instant::now();
        runtime.shutdown_timeout(Duration::from_millis(10));
        let took = start.elapsed();
        assert!(took >= Duration::from_millis(10) && took < LIMIT / 6, "{took:?}");
        drop(release);
        assert!(driver.join().expect("the driver ends"), "the task is cancelled");
        roll.assert_each_dropped_once();
    });
}

#[test]
fn shutdown_background_waits_for_no_driver() {
    within_a_minute(|| {
        let runtime = current_thread();
        let roll = parked(&runtime, 20);
        let (release, driver) = driver_in_a_poll(&runtime);
        runtime.shutdown_background();
        drop(release);
        assert!(driver.join().expect("the driver ends"), "the task is cancelled");
        roll.assert_each_dropped_once();
    });
}

#[test]
fn dropping_waits_for_the_polls_of_drivers() {
    within_a_minute(|| {
        let runtime = current_thread();
        let roll = parked(&runtime, 20);
        let (release, driver) = driver_in_a_poll(&runtime);
        let releaser = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(release);
        });
        drop(runtime);
        roll.assert_each_dropped_once();
        assert!(driver.join().expect("the driver ends"), "the task is cancelled");
        releaser.join().expect("no panic");
    });
}

/// Drivers come, go and sleep as the end comes: each ends, and so does the drop.
#[test]
fn drivers_that_come_as_the_end_does_all_leave() {
    within_a_minute(|| {
        for round in 0..300 {
            let runtime = current_thread();
            let roll = parked(&runtime, 5);
            let drivers: Vec<_> = (0..3)
                .map(|_| {
                    let handle = runtime.handle().clone();
                    thread::spawn(move || {
                        let outlived = |_| handle.block_on(async { wsrt::spawn(yield_now()).await.is_ok() });
                        (0..).map_while(|round| outlived(round).then_some(())).count()
                    })
                })
                .collect();
            thread::sleep(Duration::from_micros(round));
            drop(runtime);
            roll.assert_each_dropped_once();
            for driver in drivers {
                driver.join().expect("no panic");
            }
        }
    });
}

#[test]
fn a_runtime_dropped_in_a_nested_block_on_says_so() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
            let (tell, told) = channel();
            let inner = handle.clone();
            let task = handle.spawn(async move { inner.block_on(async move { drop_and_tell(runtime, tell) }) });
            handle.block_on(task).expect("it was in the middle of its poll");
            assert_says_so(&told.try_recv().expect("the drop has returned"));
            await_the_end(&roll);
        }
    });
}

#[test]
fn a_runtime_dropped_in_its_jobs_block_on_says_so() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
            let (tell, told) = channel();
            let _entered = handle.enter();
            drop(spawn_blocking(move || {
                Handle::current().block_on(async move { drop_and_tell(runtime, tell) });
            }));
            assert_says_so(&told.recv_timeout(LIMIT).expect("the drop returns"));
            await_the_end(&roll);
        }
    });
}

#[test]
fn a_runtime_dropped_under_the_guard_of_another_says_so() {
    within_a_minute(|| {
        for runtime in [two_processors(), current_thread()] {
            let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
            let (tell, told) = channel();
            let task = handle.spawn(async move {
                let (other, third) = (two_processors(), current_thread());
                let _other = other.enter();
                let _third = third.enter();
                drop_and_tell(runtime, tell);
            });
            handle.block_on(task).expect("it was in the middle of its poll");
            assert_says_so(&told.try_recv().expect("the drop has returned"));
            await_the_end(&roll);
        }
    });
}

#[test]
fn a_runtime_dropped_in_anothers_block_on_says_so() {
    within_a_minute(|| {
        for runtime in [two_processors, current_thread] {
            for other in [two_processors, current_thread] {
                let (runtime, other) = (runtime(), other());
                let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
                let (tell, told) = channel();
                let task = handle.spawn(async move { other.block_on(async move { drop_and_tell(runtime, tell) }) });
                handle.block_on(task).expect("it was in the middle of its poll");
                assert_says_so(&told.try_recv().expect("the drop has returned"));
                await_the_end(&roll);
            }
        }
    });
}

#[test]
fn guards_left_in_the_wrong_order_hide_no_own_thread() {
    within_a_minute(|| {
        let runtime = current_thread();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        let (tell, told) = channel();
        let task = handle.spawn(async move {
            let (other, third) = (two_processors(), two_processors());
            let (outer, inner) = (other.enter(), third.enter());
            panic_message(|| drop(outer));
            let message = panic_message(|| drop(runtime));
            drop(inner);
            tell.send(message).expect("the test waits");
        });
        // The driver may find the other guard left over when it leaves, and say so.
        drop(thread::spawn(move || handle.block_on(task)).join());
        assert_says_so(&told.recv_timeout(LIMIT).expect("the drop returns"));
        await_the_end(&roll);
    });
}

/// Under a guard or in `block_on` a thread is no runtime's own, and the drop waits as ever.
#[test]
fn a_runtime_may_be_dropped_by_an_external_thread() {
    within_a_minute(|| {
        let runtime = two_processors();
        let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
        handle.block_on(async move { drop(runtime) });
        roll.assert_each_dropped_once();

        for runtime in [two_processors(), current_thread()] {
            let (roll, handle) = (parked(&runtime, 20), runtime.handle().clone());
            let _entered = handle.enter();
            drop(runtime);
            roll.assert_each_dropped_once();
        }
    });
}

/// A poll that blocks again and again while the shutdown waits for it: machines that came now would
/// only leave.
fn blocking_polls_at_the_end() {
    let started = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&started);
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .on_thread_start(move || {
            count.fetch_add(1, SeqCst);
        })
        .build()
        .expect("a runtime");
    // The one machine is through with its hook: a spare would stand in for one that is held up
    // there.
    runtime.run(async {});
    let ((began, has_begun), (release, released)) = (channel(), channel::<()>());
    let handle = runtime.handle().clone();
    let task = runtime.spawn(async move {
        began.send(()).expect("the test waits");
        assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent");
        (0..100).for_each(|_| handle.block_on(async {}));
    });
    has_begun.recv_timeout(LIMIT).expect("the poll begins");
    let metrics = runtime.metrics();
    runtime.shutdown_background();
    // A spare for the poll that sleeps may have been called before the end, and be on its way.
    let before = metrics.snapshot().num_machines();
    while started.load(SeqCst) != before {
        thread::yield_now();
    }
    drop(release);
    current_thread().block_on(task).expect("its poll goes on to its end");
    assert_eq!(started.load(SeqCst), before);
}

#[test]
fn blocking_polls_at_the_end_start_no_thread_in_silence() {
    let test = "blocking_polls_at_the_end_start_no_thread_in_silence";
    // The poll is no stall, however long the other thread is kept from its core.
    let environment = [("WSRT_STALL_MS", "0")];
    let output = in_a_process_of_its_own(test, &environment, || within_a_minute(blocking_polls_at_the_end));
    assert!(output.status.success(), "{}", text_of(&output));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.is_empty(), "{said}");
}

#[test]
fn a_runtime_dropped_by_its_own_watcher_says_so() {
    within_a_minute(|| {
        let ((give, given), (tell, told)) = (channel::<Runtime>(), channel());
        let given = Mutex::new(given);
        let hook = move |_: &Stall| {
            let Ok(runtime) = given.lock().expect("no panic").try_recv() else { return };
            tell.send(panic_message(|| drop(runtime))).expect("the test waits");
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).on_stall(hook).build().expect("a runtime");
        let (roll, handle) = (parked(&runtime, 10), runtime.handle().clone());
        let (release, released) = channel::<()>();
        give.send(runtime).expect("the hook is there");
        handle.spawn(async move { assert!(released.recv_timeout(LIMIT).is_err(), "nothing is sent") });
        assert_says_so(&told.recv_timeout(LIMIT).expect("the poll is a stall"));
        drop(release);
        await_the_end(&roll);
    });
}
