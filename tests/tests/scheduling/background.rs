//! Background tasks have the time that nothing else wants, and a small share of a busy processor's.

use std::future::{Future, pending};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use wsrt::runtime::{Builder, Runtime};
use wsrt::sync::{Notify, mpsc};
use wsrt::task::{JoinSet, TaskGroup, block_in_place, spawn_background, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, assert_no_wake_was_lost, eventually, runtime_with, spin_for, within_a_minute};

/// One processor, no spares, and so much of a busy processor's time for background tasks.
fn one_processor(share: f64) -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(1).max_machines(1).background_share(share).build().expect("a runtime")
}

/// Tasks that are always ready, until this is dropped.
struct Load(Arc<AtomicBool>);

impl Load {
    /// Two tasks, each poll of which takes about as long as `poll`.
    fn begin(runtime: &Runtime, poll: Duration) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let ended = Arc::clone(&ended);
            runtime.spawn(async move {
                while !ended.load(SeqCst) {
                    spin_for(poll);
                    yield_now().await;
                }
            });
        }
        Self(ended)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// Yields, so that all other tasks that are ready have some turns.
async fn let_others_run() {
    for _ in 0..1_000 {
        yield_now().await;
    }
}

/// A task that notes that it has run.
fn note(flag: &Arc<AtomicBool>) -> impl Future<Output = ()> + Send + use<> {
    let flag = Arc::clone(flag);
    async move { flag.store(true, SeqCst) }
}

#[test]
fn without_a_share_it_waits_while_others_are_ready() {
    within_a_minute(|| {
        let (runtime, has_run) = (one_processor(0.0), Arc::new(AtomicBool::new(false)));
        let theirs = Arc::clone(&has_run);
        runtime.run(async move {
            let task = spawn_background(note(&theirs));
            let_others_run().await;
            assert!(!theirs.load(SeqCst), "this task was always ready");
            task.await.expect("it runs while this task waits");
            assert!(theirs.load(SeqCst));
        });
    });
}

#[test]
fn the_root_of_a_current_thread_runtime_comes_first() {
    within_a_minute(|| {
        let mut builder = Builder::new_current_thread();
        let runtime = builder.background_share(0.0).build().expect("a runtime");
        runtime.block_on(async {
            let has_run = Arc::new(AtomicBool::new(false));
            let task = spawn_background(note(&has_run));
            let_others_run().await;
            assert!(!has_run.load(SeqCst), "the root was always ready");
            task.await.expect("it runs while the root waits");
        });
    });
}

#[test]
fn with_a_share_it_ends_beside_endless_tasks() {
    within_a_minute(|| {
        for poll in [Duration::ZERO, Duration::from_micros(20), Duration::from_millis(1)] {
            let runtime = one_processor(0.01);
            let load = Load::begin(&runtime, poll);
            let task = runtime.spawn_background(async {
                for _ in 0..10 {
                    yield_now().await;
                }
            });
            runtime.block_on(task).expect("no panic");
            drop(load);
        }
    });
}

#[test]
fn it_gets_about_its_share_of_a_busy_processor() {
    within_a_minute(|| {
        let runtime = one_processor(0.25);
        let load = Load::begin(&runtime, Duration::from_micros(10));
        let task = runtime.spawn_background(async {
            for _ in 0..200 {
                spin_for(Duration::from_micros(200));
                yield_now().await;
            }
        });
        let before = runtime.metrics().snapshot();
        runtime.block_on(task).expect("no panic");
        let during = runtime.metrics().snapshot().since(&before).total();
        drop(load);
        let part = during.background_time().as_secs_f64() / during.busy_time().as_secs_f64();
        assert!((0.1..0.35).contains(&part), "{part} of the time, and a share of a quarter");
    });
}

#[test]
fn tasks_that_its_poll_spawns_come_before_the_next() {
    within_a_minute(|| {
        let runtime = one_processor(0.0);
        let order = Arc::new(Mutex::new(Vec::new()));
        let enter = {
            let order = Arc::clone(&order);
            move |name| order.lock().expect("no panic").push(name)
        };
        runtime.run(async move {
            let tasks = ["first", "second"].map(|name| {
                let enter = enter.clone();
                spawn_background(async move {
                    enter(name);
                    (0..3).for_each(|_| {
                        let enter = enter.clone();
                        wsrt::spawn(async move { enter("ordinary") });
                    });
                })
            });
            for task in tasks {
                task.await.expect("no panic");
            }
            let_others_run().await;
        });
        let order = order.lock().expect("no panic");
        let ordinary = ["ordinary"; 3];
        assert_eq!(*order, [&["first"][..], &ordinary, &["second"], &ordinary].concat());
    });
}

/// Wakes a background task in some way, and returns what it then does.
type Wake = fn(Arc<Notify>);

/// Runs a background task that waits, wakes it by `wake`, and checks that it runs only when the
/// task that looks on waits too.
fn stays_in_its_class(wake: Wake) {
    let runtime = one_processor(0.0);
    runtime.run(async move {
        let (notify, has_run) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
        let (begun, has_begun) = wsrt::sync::oneshot::channel();
        let task = spawn_background({
            let (notify, then) = (Arc::clone(&notify), note(&has_run));
            async move {
                begun.send(()).expect("the test waits");
                notify.notified().await;
                then.await;
            }
        });
        has_begun.await.expect("it begins");
        wake(notify);
        let_others_run().await;
        assert!(!has_run.load(SeqCst), "a task that was always ready had its turn after the woken one");
        task.await.expect("no panic");
    });
}

#[test]
fn a_woken_one_stays_in_the_background() {
    within_a_minute(|| {
        // By a task, in the middle of its poll.
        stays_in_its_class(|notify| notify.notify_one());
        // By a thread outside.
        stays_in_its_class(|notify| thread::spawn(move || notify.notify_one()).join().expect("no panic"));
        // By a blocking job, which the runtime runs.
        stays_in_its_class(|notify| {
            let (done, is_done) = channel();
            wsrt::task::spawn_blocking(move || {
                notify.notify_one();
                done.send(()).expect("the test waits");
            });
            is_done.recv_timeout(LIMIT).expect("the job runs");
        });
    });
}

#[test]
fn one_that_a_timer_wakes_stays_in_the_background() {
    within_a_minute(|| {
        let (runtime, has_run) = (one_processor(0.0), Arc::new(AtomicBool::new(false)));
        runtime.run(async move {
            let then = note(&has_run);
            let task = spawn_background(async move {
                sleep(Duration::from_millis(5)).await;
                then.await;
            });
            // It sleeps from here on.
            sleep(Duration::from_millis(1)).await;
            spin_for(Duration::from_millis(10));
            let_others_run().await;
            assert!(!has_run.load(SeqCst));
            task.await.expect("no panic");
        });
    });
}

#[test]
fn idle_processors_run_them_at_the_same_time() {
    within_a_minute(|| {
        for processors in [2, 4] {
            let mut builder = Builder::new_multi_thread();
            let runtime = builder.worker_threads(processors).max_machines(processors).build().expect("a runtime");
            for _ in 0..100 {
                let barrier = Arc::new(Barrier::new(processors));
                let tasks: Vec<_> = (0..processors)
                    .map(|_| {
                        let barrier = Arc::clone(&barrier);
                        runtime.spawn_background(async move { _ = barrier.wait() })
                    })
                    .collect();
                for task in tasks {
                    runtime.block_on(task).expect("no panic");
                }
            }
            assert_no_wake_was_lost(&runtime);
        }
    });
}

#[test]
fn no_wake_between_the_classes_is_lost() {
    within_a_minute(|| {
        for processors in [1, 2, 3] {
            let runtime = runtime_with(processors);
            let pairs: Vec<_> = (0..8)
                .map(|_| {
                    let (to, mut from) = mpsc::channel::<u32>(1);
                    let (back, mut replies) = mpsc::channel::<u32>(1);
                    runtime.spawn_background(async move {
                        while let Some(number) = from.recv().await {
                            back.send(number + 1).await.expect("the peer waits");
                        }
                    });
                    runtime.spawn(async move {
                        for number in 0..2_000 {
                            to.send(number).await.expect("the peer is there");
                            assert_eq!(replies.recv().await, Some(number + 1));
                        }
                    })
                })
                .collect();
            for pair in pairs {
                runtime.block_on(pair).expect("no panic");
            }
            assert_no_wake_was_lost(&runtime);
        }
    });
}

/// Counts down when it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[test]
fn the_end_of_the_runtime_drops_each_once() {
    within_a_minute(|| {
        let runtime = one_processor(0.0);
        let alive = Arc::new(AtomicUsize::new(200));
        let load = Load::begin(&runtime, Duration::ZERO);
        for number in 0..200 {
            let counted = Counted(Arc::clone(&alive));
            // Half of them wait in the queue, half may get as far as to wait for nothing.
            runtime.spawn_background(async move {
                let _counted = counted;
                if number % 2 == 0 { pending().await } else { yield_now().await }
            });
        }
        assert_eq!(alive.load(SeqCst), 200, "the processor is busy");
        let queued = runtime.metrics().background_queue_depth();
        assert_eq!(queued, 200);
        drop(runtime);
        drop(load);
        assert_eq!(alive.load(SeqCst), 0);
    });
}

#[test]
fn a_panic_stays_in_the_task() {
    within_a_minute(|| {
        let runtime = runtime_with(2);
        let error = runtime.block_on(runtime.spawn_background(async { panic!("in the background") }));
        assert!(error.expect_err("it panics").is_panic());
        assert_eq!(runtime.block_on(runtime.spawn_background(async { 7 })).expect("the runtime is well"), 7);
    });
}

#[test]
fn one_that_blocks_its_thread_holds_up_nothing() {
    within_a_minute(|| {
        let runtime = runtime_with(1);
        let (sender, receiver) = channel();
        let blocks = runtime.spawn_background(async move { receiver.recv_timeout(LIMIT).expect("another task sends") });
        runtime.spawn(async move { send_later(sender).await });
        runtime.block_on(blocks).expect("no panic");
    });
}

#[test]
fn they_run_while_another_task_blocks_its_thread() {
    within_a_minute(|| {
        for block in [|wait: &dyn Fn()| wait(), |wait: &dyn Fn()| block_in_place(wait)] {
            let runtime = runtime_with(1);
            let (sender, receiver) = channel();
            let blocks = runtime.spawn(async move {
                block(&|| receiver.recv_timeout(LIMIT).expect("a background task sends"));
            });
            runtime.spawn_background(async move { sender.send(()).expect("the other task waits") });
            runtime.block_on(blocks).expect("no panic");
        }
    });
}

async fn send_later(sender: Sender<()>) {
    sleep(Duration::from_millis(5)).await;
    sender.send(()).expect("the task is there");
}

#[test]
fn every_way_to_spawn_one_says_so() {
    within_a_minute(|| {
        let runtime = one_processor(0.0);
        let handle = runtime.handle().clone();
        runtime.run(async move {
            let builder = wsrt::task::Builder::new().name("in the background");
            let (mut set, mut group) = (JoinSet::new(), TaskGroup::<(), ()>::new());
            drop(builder.spawn_background(pending::<()>()));
            drop(builder.spawn_background_on(pending::<()>(), &handle));
            drop(handle.spawn_background(pending::<()>()));
            drop(spawn_background(pending::<()>()));
            set.spawn_background(pending::<()>());
            group.spawn_background(pending());
            let ordinary = wsrt::spawn(pending::<()>());
            assert_eq!(handle.metrics().background_queue_depth(), 6);
            let dump = handle.dump();
            let in_background = dump.tasks().iter().filter(|task| task.is_background());
            assert_eq!(in_background.clone().count(), 6);
            assert!(in_background.map(ToString::to_string).all(|text| text.starts_with("background task ")));
            assert!(!dump.tasks().iter().any(|task| task.id() == ordinary.id() && task.is_background()));
            ordinary.abort();
        });
        // With all others gone, each has its turn.
        eventually("they are polled", || runtime.metrics().background_queue_depth() == 0);
        assert!(runtime.metrics().snapshot().total().background_poll_count() >= 4);
    });
}

#[test]
fn a_share_that_is_no_part_is_refused() {
    for share in [-0.1, 1.0, f64::NAN, f64::INFINITY] {
        let message = wsrt_tests::panic_message(|| Builder::new_multi_thread().background_share(share).build());
        let expected =
            format!("wsrt: `background_share({share})`: a share is 0, or a part of the whole that is less than 1");
        assert_eq!(message, expected);
    }
}
