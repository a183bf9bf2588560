//! A runtime shrinks and grows while it works, and loses nothing.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use wsrt::runtime::{Builder, Handle, Runtime, worker_index};
use wsrt::task::{block_in_place, spawn_blocking, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, within_a_minute};

/// How often the number changes while a processor is on its way.
const ROUNDS: u32 = 200;

fn runtime(workers: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(workers).build().expect("a runtime")
}

/// Waits until as many processors are in play as there should be, all of them idle.
#[track_caller]
fn until_at_rest(runtime: &Runtime) {
    let end = Instant::now() + LIMIT;
    loop {
        let metrics = runtime.metrics().snapshot();
        if metrics.num_spare_processors() == 0 && metrics.num_idle_processors() == metrics.num_workers() {
            return;
        }
        assert!(Instant::now() < end, "{metrics:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A service's day: tasks that spawn, yield, sleep, block in each way, and compute in parallel.
async fn work(number: u64) -> u64 {
    let inner = wsrt::spawn(async move {
        yield_now().await;
        number
    });
    match number % 5 {
        0 => sleep(Duration::from_micros(number * 7 % 900)).await,
        1 => block_in_place(|| thread::sleep(Duration::from_micros(50))),
        2 => spawn_blocking(|| ()).await.expect("no panic"),
        3 => assert_eq!(wsrt::parallel::join(|| 1, || 2), (1, 2)),
        _ => yield_now().await,
    }
    inner.await.expect("no panic")
}

#[test]
fn all_tasks_finish_while_the_number_changes() {
    within_a_minute(|| {
        let runtime = runtime(4);
        let handle = runtime.handle().clone();
        let (end, ended) = channel::<()>();
        let resizer = thread::spawn(move || {
            let mut changes = 0;
            while ended.try_recv() == Err(TryRecvError::Empty) {
                handle.resize([1, 8, 2, 4, 1, 3][changes % 6]).expect("there is room");
                changes += 1;
                thread::sleep(Duration::from_micros(200));
            }
        });
        for _ in 0..20 {
            let tasks: Vec<_> = (0..500).map(|number| runtime.spawn(work(number))).collect();
            let sum: u64 = tasks.into_iter().map(|task| runtime.block_on(task).expect("no panic")).sum();
            assert_eq!(sum, 500 * 499 / 2);
        }
        drop(end);
        resizer.join().expect("no panic");
        runtime.resize(2).expect("there is room");
        until_at_rest(&runtime);
        assert_eq!(runtime.metrics().num_workers(), 2);
    });
}

#[test]
fn timers_of_processors_that_went_fire() {
    within_a_minute(|| {
        let runtime = runtime(4);
        for round in 0..10 {
            let armed = Arc::new(AtomicUsize::new(0));
            let sleeps: Vec<_> = (0..64)
                .map(|number| {
                    let armed = Arc::clone(&armed);
                    runtime.spawn(async move {
                        let mut sleep = std::pin::pin!(sleep(Duration::from_millis(20 + number % 7)));
                        let _ = poll_once(sleep.as_mut()).await;
                        armed.fetch_add(1, Relaxed);
                        sleep.await;
                    })
                })
                .collect();
            while armed.load(Relaxed) < 64 {
                thread::yield_now();
            }
            runtime.resize(1).expect("there is room");
            sleeps.into_iter().for_each(|sleep| runtime.block_on(sleep).expect("no panic"));
            runtime.resize(4 + round).expect("there is room");
        }
    });
}

/// Polls a future once, and is ready.
async fn poll_once<F: Future + Unpin>(mut future: F) -> bool {
    std::future::poll_fn(|cx| std::task::Poll::Ready(std::pin::Pin::new(&mut future).poll(cx).is_ready())).await
}

#[test]
fn a_blocked_poll_holds_up_none_beside_one_processor() {
    within_a_minute(|| {
        let runtime = runtime(4);
        runtime.resize(1).expect("there is room");
        let (give, take) = channel();
        let blocked = runtime.spawn(async move { take.recv().expect("it is sent") });
        let sends = runtime.spawn(async move { give.send(7).expect("it waits") });
        runtime.block_on(sends).expect("no panic");
        assert_eq!(runtime.block_on(blocked).expect("no panic"), 7);
        until_at_rest(&runtime);
    });
}

#[test]
fn the_processors_with_the_lowest_numbers_stay() {
    within_a_minute(|| {
        let runtime = runtime(4);
        for _ in 0..20 {
            runtime.resize(1).expect("there is room");
            // A processor that goes may run a task yet; that one comes to an end.
            while runtime.block_on(runtime.spawn(async { worker_index() })).expect("no panic") != Some(0) {}
            runtime.resize(6).expect("there is room");
        }
        let metrics = runtime.metrics();
        assert_eq!(metrics.num_workers(), 6);
        runtime.resize(2).expect("there is room");
        let polls: u64 = (0..6).map(|worker| metrics.worker_poll_count(worker)).sum();
        assert!(polls >= 20, "the counts of those that went stay: {polls}");
    });
}

#[test]
fn threads_of_processors_that_went_end() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread()
            .worker_threads(4)
            .thread_keep_alive(Duration::from_millis(10))
            .build()
            .expect("a runtime");
        runtime.resize(1).expect("there is room");
        let end = Instant::now() + LIMIT;
        while runtime.metrics().snapshot().num_machines() > 1 {
            assert!(Instant::now() < end, "{:?}", runtime.metrics().snapshot());
            thread::sleep(Duration::from_millis(1));
        }
    });
}

#[test]
fn impossible_numbers_are_refused_by_name() {
    let multi = Builder::new_multi_thread().worker_threads(2).max_machines(3).build().expect("a runtime");
    for (number, is_refused) in [(0, true), (1, false), (3, false), (4, true), (usize::MAX, true)] {
        let result = multi.resize(number);
        assert_eq!(result.is_err(), is_refused, "{number}");
        if let Err(error) = result {
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
            let text = error.to_string();
            assert!(text.contains(&format!("`resize({number})`")) && text.contains("from 1 to 3"), "{text}");
        }
    }
    let current = Builder::new_current_thread().build().expect("a runtime");
    let error = current.resize(1).expect_err("it has one for ever");
    assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
    assert!(error.to_string().contains("current-thread"), "{error}");
}

#[test]
fn a_runtime_may_be_resized_at_its_end_and_after() {
    within_a_minute(|| {
        for _ in 0..50 {
            let runtime = runtime(4);
            let handle = runtime.handle().clone();
            let tasks: Vec<_> = (0..20).map(|number| runtime.spawn(work(number))).collect();
            let resizer = thread::spawn(move || {
                for number in [1, 5, 2, 7, 1] {
                    handle.resize(number).expect("there is room");
                }
                handle
            });
            drop(runtime);
            let handle: Handle = resizer.join().expect("no panic");
            handle.resize(3).expect("it has no effect");
            drop(tasks);
        }
    });
}

/// No third processor can be made instead of the second, which is on its way out of play when it is
/// wanted again.
#[test]
fn a_runtime_without_room_shrinks_and_grows() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).max_machines(2).build().expect("a runtime");
        let is_over = Arc::new(AtomicBool::new(false));
        let tasks: Vec<_> = (0..400)
            .map(|_| {
                let is_over = Arc::clone(&is_over);
                runtime.spawn(async move {
                    while !is_over.load(Relaxed) {
                        yield_now().await;
                    }
                })
            })
            .collect();
        let metrics = runtime.metrics();
        for round in 0..ROUNDS {
            runtime.resize(1).expect("there is room");
            (0..round * 37 % 3_000).for_each(|_| std::hint::spin_loop());
            runtime.resize(2).expect("there is room");
            let polls = metrics.worker_poll_count(1);
            while metrics.worker_poll_count(1) == polls {
                thread::yield_now();
            }
        }
        is_over.store(true, Relaxed);
        tasks.into_iter().for_each(|task| runtime.block_on(task).expect("no panic"));
        until_at_rest(&runtime);
        assert_eq!(runtime.metrics().num_workers(), 2);
    });
}

/// The system is asked for a thread by the resize, which holds no lock then.
#[test]
fn the_name_of_a_thread_may_take_a_resize() {
    within_a_minute(|| while !a_name_took_a_resize() {});
}

/// Resizes from a task, and from the name of the thread that this takes. Returns `false` if it took
/// none: on a busy machine the poll has looked stuck, and a thread waits in reserve.
fn a_name_took_a_resize() -> bool {
    let asks = Arc::new(Mutex::new(None::<(ThreadId, Handle)>));
    let is_asked = Arc::clone(&asks);
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name_fn(move || {
            let asker = is_asked.lock().expect("no panic").take_if(|(asker, _)| *asker == thread::current().id());
            asker.inspect(|(_, handle)| handle.resize(3).expect("there is room"));
            "named".to_owned()
        })
        .build()
        .expect("a runtime");
    let task = runtime.spawn(async move {
        let waiting: Vec<_> = (0..3).map(|_| wsrt::spawn(async {})).collect();
        *asks.lock().expect("no panic") = Some((thread::current().id(), Handle::current()));
        Handle::current().resize(2).expect("there is room");
        let is_named = asks.lock().expect("no panic").take().is_none();
        for task in waiting {
            task.await.expect("no panic");
        }
        is_named
    });
    let is_named = runtime.block_on(task).expect("no panic");
    assert_eq!(runtime.metrics().num_workers(), if is_named { 3 } else { 2 });
    is_named
}
