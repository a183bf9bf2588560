//! Draining: no new task comes in, the present ones may end, and those that are left are named.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use futures_task::Spawn;
use wsrt::runtime::{Builder, Handle, Runtime};
use wsrt::sync::Barrier;
use wsrt::task::{self, LocalSet, yield_now};
use wsrt::time::{Instant, sleep};
use wsrt_tests::{Roll, within_a_minute};

/// Far away: reached only by a drain that waits for a task that has ended.
const LONG: Duration = Duration::from_secs(3600);

fn both_kinds() -> [Runtime; 2] {
    [
        Builder::new_current_thread().build().expect("a runtime"),
        Builder::new_multi_thread().worker_threads(2).build().expect("a runtime"),
    ]
}

#[test]
fn a_drain_waits_exactly_for_all_tasks_and_jobs() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let done = Arc::new(AtomicUsize::new(0));
            for millis in [0, 1, 5, 20] {
                let count = Arc::clone(&done);
                drop(runtime.spawn(async move {
                    sleep(Duration::from_millis(millis)).await;
                    count.fetch_add(1, SeqCst);
                }));
                let count = Arc::clone(&done);
                drop(runtime.spawn_blocking(move || {
                    thread::sleep(Duration::from_millis(millis));
                    count.fetch_add(1, SeqCst);
                }));
            }
            let drained = runtime.drain(Instant::now() + LONG);
            assert!(drained.is_complete(), "{drained}");
            assert_eq!(done.load(SeqCst), 8);
            assert!(drained.to_string().starts_with("every task has ended, within "), "{drained}");
        }
    });
}

#[test]
fn a_runtime_without_tasks_is_drained_at_once() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            assert!(runtime.drain(Instant::now() + LONG).is_complete());
            assert!(runtime.drain(Instant::now() + LONG).is_complete(), "and again");
        }
    });
}

#[test]
fn what_is_left_is_named_with_its_place() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let roll = Roll::new(1);
            let held = roll.entry(0);
            let named = task::Builder::new().name("stubborn").spawn_on(
                async move {
                    pending::<()>().await;
                    drop(held);
                },
                runtime.handle(),
            );
            let line = line!() + 2;
            for _ in 0..5 {
                drop(runtime.spawn(pending::<()>()));
            }
            let (end, ended) = channel::<()>();
            let job = runtime.spawn_blocking(move || ended.recv());
            let deadline = Instant::now() + Duration::from_millis(20);
            let drained = runtime.drain(deadline);
            assert!(Instant::now() >= deadline);
            assert!(!drained.is_complete());
            assert_eq!(drained.left.len(), 7);

            let stubborn = drained.left.iter().find(|task| task.id == named.id()).expect("it is left");
            assert_eq!(stubborn.name.as_deref(), Some("stubborn"));
            assert_eq!(stubborn.spawned_at.file(), file!());
            assert!(!stubborn.is_blocking);
            let blocking = drained.left.iter().find(|task| task.is_blocking).expect("the job is left");
            assert_eq!(blocking.id, job.id());
            assert!(blocking.to_string().starts_with("blocking job "), "{blocking}");

            let report = drained.to_string();
            let lines: Vec<_> = report.lines().collect();
            assert!(lines[0].starts_with("tasks left after ") && lines[0].ends_with(": 7"), "{report}");
            assert!(lines[1].contains(&format!("{}:{line}:", file!())), "most tasks come from there: {report}");
            assert!(lines[1].ends_with(" and 2 more"), "{report}");
            assert!(report.contains(&format!("{} \"stubborn\"", named.id())), "{report}");

            // No task was cancelled, and all go on as before.
            assert!(!named.is_finished());
            assert_eq!(roll.dropped(), 0);
            end.send(()).expect("the job waits for it");
            runtime.block_on(job).expect("no panic").expect("it was sent");
            drop(runtime);
            roll.assert_each_dropped_once();
        }
    });
}

#[test]
fn work_from_outside_is_refused_from_the_call_on() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            assert!(runtime.drain(Instant::now()).is_complete());
            let roll = Roll::new(2);
            let (first, second) = (roll.entry(0), roll.entry(1));
            let task = runtime.spawn(async move { drop(first) });
            let job = runtime.spawn_blocking(move || drop(second));
            assert!(task.is_finished() && job.is_finished());
            roll.assert_each_dropped_once();
            assert!(runtime.block_on(task).expect_err("refused").is_cancelled());
            assert!(runtime.block_on(job).expect_err("refused").is_cancelled());
            let from_block_on = runtime.block_on(async { wsrt::spawn(async {}).await });
            assert!(from_block_on.expect_err("`block_on`'s future is no task").is_cancelled());
            assert!(runtime.handle().status().expect_err("refused").is_shutdown());

            let other = Runtime::new().expect("a runtime");
            let handle = runtime.handle().clone();
            let from_elsewhere = other.block_on(other.spawn(async move { handle.spawn(async {}).await }));
            assert!(from_elsewhere.expect("no panic").expect_err("a task of another runtime").is_cancelled());
        }
    });
}

/// Spawns the next of its kind, and ends before that does.
fn chain(length: usize, done: Arc<AtomicUsize>) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        yield_now().await;
        if length > 0 && length % 10 == 0 {
            let (handle, done) = (Handle::current(), Arc::clone(&done));
            drop(task::spawn_blocking(move || handle.spawn(chain(length - 1, done))));
        } else if length > 0 {
            drop(wsrt::spawn(chain(length - 1, Arc::clone(&done))));
        }
        done.fetch_add(1, SeqCst);
    })
}

#[test]
fn spawns_of_ending_tasks_go_on_and_are_awaited() {
    const CHAINS: usize = 8;
    const LENGTH: usize = 100;
    within_a_minute(|| {
        for round in 0..40 {
            let runtime = both_kinds().into_iter().nth(round % 2).expect("one of two");
            let done = Arc::new(AtomicUsize::new(0));
            for _ in 0..CHAINS {
                drop(runtime.spawn(chain(LENGTH, Arc::clone(&done))));
            }
            let drained = runtime.drain(Instant::now() + LONG);
            assert!(drained.is_complete(), "{drained}");
            assert_eq!(done.load(SeqCst), CHAINS * (LENGTH + 1));
        }
    });
}

#[test]
fn a_task_draining_its_runtime_does_not_await_itself() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let drained = runtime.run(async {
                let handle = Handle::current();
                drop(wsrt::spawn(sleep(Duration::from_millis(5))));
                let drained = handle.drain(Instant::now() + LONG).await;
                // And it may still spawn, to say goodbye.
                wsrt::spawn(async {}).await.expect("it is inside");
                drained
            });
            assert!(drained.is_complete(), "{drained}");
        }
    });
}

#[test]
fn a_drain_in_a_set_does_not_await_its_task() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let handle = runtime.handle().clone();
            drop(runtime.spawn(sleep(Duration::from_millis(5))));
            let task = runtime.spawn(async move {
                let set = LocalSet::new();
                let draining = handle.clone();
                let drained = handle.block_on(set.run_until(async move {
                    task::spawn_local(async move { draining.drain(Instant::now() + LONG).await }).await
                }));
                drained.expect("no panic")
            });
            let drained = runtime.block_on(task).expect("no panic");
            assert!(drained.is_complete(), "{drained}");
        }
    });
}

#[test]
fn tasks_that_drain_one_runtime_go_on_together() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let (all_drain, all_are_done) = (Arc::new(Barrier::new(4)), Arc::new(Barrier::new(3)));
            let is_alone = Arc::new(AtomicBool::new(false));
            let (began, last_ended) = (Arc::clone(&all_drain), Arc::clone(&is_alone));
            drop(runtime.spawn(async move {
                began.wait().await;
                last_ended.store(true, SeqCst);
            }));
            let drains: Vec<_> = (0..3)
                .map(|_| {
                    let (all_drain, all_are_done) = (Arc::clone(&all_drain), Arc::clone(&all_are_done));
                    let is_alone = Arc::clone(&is_alone);
                    runtime.handle().spawn(async move {
                        // Each is spawned before the first drain refuses the others.
                        all_drain.wait().await;
                        let drained = Handle::current().drain(Instant::now() + LONG).await;
                        assert!(is_alone.load(SeqCst), "the last task was waited for");
                        assert!(drained.is_complete(), "{drained}");
                        // None of them ends before each has seen the end of its drain.
                        all_are_done.wait().await;
                    })
                })
                .collect();
            runtime.block_on(async {
                for drain in drains {
                    drain.await.expect("no panic");
                }
            });
            assert!(runtime.drain(Instant::now() + LONG).is_complete());
        }
    });
}

#[test]
fn a_blocking_job_draining_its_runtime_does_not_await_itself() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let handle = runtime.handle().clone();
        drop(runtime.spawn(sleep(Duration::from_millis(5))));
        let job = runtime.spawn_blocking(move || handle.block_on(handle.drain(Instant::now() + LONG)));
        let drained = runtime.block_on(job).expect("no panic");
        assert!(drained.is_complete(), "{drained}");
    });
}

#[test]
fn a_drain_may_be_awaited_on_another_runtime() {
    within_a_minute(|| {
        let other = Runtime::new().expect("a runtime");
        for (is_left, limit) in [(false, LONG), (true, Duration::from_millis(20))] {
            let drained = Runtime::new().expect("a runtime");
            if is_left {
                drop(drained.spawn(pending::<()>()));
            } else {
                drop(drained.spawn(sleep(Duration::from_millis(5))));
            }
            let handle = drained.handle().clone();
            let report = other.run(async move { handle.drain(Instant::now() + limit).await });
            assert_eq!(report.left.len(), usize::from(is_left), "{report}");
        }
    });
}

#[test]
fn a_drain_that_is_given_up_goes_on_refusing() {
    within_a_minute(|| {
        let runtime = Runtime::new().expect("a runtime");
        let waits = runtime.spawn(pending::<()>());
        let handle = runtime.handle().clone();
        runtime.block_on(async {
            let drain = handle.drain(Instant::now() + LONG);
            wsrt::time::timeout(Duration::from_millis(5), drain).await.expect_err("a task is left");
        });
        assert!(runtime.spawn(async {}).is_finished());
        waits.abort();
        assert!(runtime.drain(Instant::now() + LONG).is_complete());
    });
}

#[test]
fn tasks_ending_on_many_threads_wake_every_drain() {
    const TASKS: usize = 200;
    within_a_minute(|| {
        for _ in 0..50 {
            let runtime = Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
            for n in 0..TASKS {
                drop(runtime.spawn(async move {
                    for _ in 0..n % 5 {
                        yield_now().await;
                    }
                }));
            }
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        let drained = runtime.drain(Instant::now() + LONG);
                        assert!(drained.is_complete(), "{drained}");
                    });
                }
            });
        }
    });
}

/// The thread that takes an item of a parallel loop is left to chance: tasks that it spawns belong
/// to the task that has opened the loop.
#[test]
fn spawns_of_a_loop_on_helpers_are_let_in() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let ran = Arc::new(AtomicUsize::new(0));
        let (begun, has_begun) = channel();
        let is_draining = Arc::new(AtomicBool::new(false));
        let task = {
            let (ran, is_draining) = (Arc::clone(&ran), Arc::clone(&is_draining));
            async move {
                let opener = thread::current().id();
                wsrt::parallel::for_each(0..2, |_| {
                    begun.send(thread::current().id() != opener).expect("the test waits");
                    while !is_draining.load(SeqCst) {
                        thread::sleep(Duration::from_micros(100));
                    }
                    let counted = Arc::clone(&ran);
                    drop(wsrt::spawn(async move {
                        counted.fetch_add(1, SeqCst);
                    }));
                    let counted = Arc::clone(&ran);
                    drop(task::spawn_blocking(move || counted.fetch_add(1, SeqCst)));
                });
            }
        };
        drop(runtime.spawn(task));
        let on_helpers = [(); 2].map(|()| has_begun.recv().expect("both begin"));
        assert!(on_helpers.contains(&true), "one of two that wait for the drain is on a helper");
        let handle = runtime.handle().clone();
        let outsider = thread::spawn(move || {
            while handle.block_on(handle.spawn(async {})).is_ok() {
                thread::sleep(Duration::from_micros(100));
            }
            is_draining.store(true, SeqCst);
        });
        let drained = runtime.drain(Instant::now() + LONG);
        outsider.join().expect("no panic");
        assert!(drained.is_complete(), "{drained}");
        assert_eq!(ran.load(SeqCst), 4, "a task and a job for each item");
    });
}

#[test]
fn a_drain_under_way_is_over_when_the_runtime_ends() {
    within_a_minute(|| {
        for runtime in both_kinds() {
            let handle = runtime.handle().clone();
            let (release, released) = channel::<()>();
            let (began, has_begun) = channel();
            runtime.spawn_blocking(move || {
                began.send(()).expect("the test waits");
                let _ = released.recv();
            });
            has_begun.recv().expect("the job begins");
            let (armed, is_armed) = channel();
            let drainer = thread::spawn(move || {
                let other = Builder::new_current_thread().build().expect("a runtime");
                let mut drain = pin!(handle.drain(Instant::now() + LONG));
                other.block_on(poll_fn(|cx| {
                    let polled = drain.as_mut().poll(cx);
                    let _ = armed.send(());
                    polled
                }))
            });
            is_armed.recv().expect("the drain is under way");
            runtime.shutdown_background();
            let drained = drainer.join().expect("it does not panic");
            assert_eq!(drained.left.len(), 1, "{drained}");
            drop(release);
        }
    });
}

/// A waker that differs from all others.
struct Own;

impl Wake for Own {
    fn wake(self: Arc<Self>) {}
}

/// A `select!` over a set polls so, with a new waker for each round.
#[test]
fn a_drain_keeps_the_last_waker_and_none_once_dropped() {
    within_a_minute(|| {
        let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
        let tasks: Vec<_> = (0..10).map(|_| runtime.spawn(pending::<()>())).collect();
        let wakers: Vec<_> = (0..100).map(|_| Arc::new(Own)).collect();
        let kept = || wakers.iter().filter(|waker| Arc::strong_count(waker) > 1).count();
        let handle = runtime.handle().clone();
        let mut drain = Box::pin(handle.drain(Instant::now() + LONG));
        for waker in &wakers {
            let polled = drain.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(waker))));
            assert!(polled.is_pending(), "tasks are left");
            assert_eq!(kept(), 1);
        }
        drop(drain);
        assert_eq!(kept(), 0);
        drop(tasks);
    });
}
