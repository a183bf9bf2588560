//! A current-thread runtime runs its tasks on the thread that is in `block_on`, and futures that
//! are not Send with them.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use wsrt::net::{TcpListener, TcpStream};
use wsrt::runtime::{Builder, Runtime};
use wsrt::task::{JoinSet, spawn_blocking, spawn_local, yield_now};
use wsrt::time::sleep;
use wsrt_tests::{LIMIT, count_threads, panic_message, spin_for, within_a_minute};

fn current_thread() -> Runtime {
    Builder::new_current_thread().build().expect("a runtime")
}

#[test]
fn all_tasks_run_on_the_calling_thread() {
    within_a_minute(|| {
        let runtime = Builder::new_current_thread().thread_name("none-at-all").build().expect("a runtime");
        let here = thread::current().id();
        runtime.block_on(async {
            for _ in 0..100 {
                assert_eq!(wsrt::spawn(async { thread::current().id() }).await.expect("no panic"), here);
            }
        });
        assert_eq!(count_threads("none-at-all"), 0, "it has no thread of its own");
    });
}

#[test]
fn local_tasks_share_what_is_not_send() {
    within_a_minute(|| {
        let log = Rc::new(RefCell::new(Vec::new()));
        current_thread().block_on(async {
            let tasks: Vec<_> = (0..3)
                .map(|me| {
                    let log = Rc::clone(&log);
                    spawn_local(async move {
                        for turn in 0..3 {
                            log.borrow_mut().push((turn, me));
                            yield_now().await;
                        }
                    })
                })
                .collect();
            for task in tasks {
                task.await.expect("no panic");
            }
        });
        let mut log = log.borrow().clone();
        assert_eq!(log.len(), 9);
        let turns: Vec<_> = log.iter().map(|(turn, _)| *turn).collect();
        assert!(turns.is_sorted(), "tasks that yield take turns: {log:?}");
        log.sort_unstable();
        log.dedup();
        assert_eq!(log.len(), 9);
    });
}

#[test]
fn local_tasks_are_woken_from_foreign_threads() {
    within_a_minute(|| {
        let total = Rc::new(Cell::new(0));
        current_thread().block_on(async {
            let mut set = JoinSet::new();
            for number in 0..100 {
                let (send, receive) = oneshot::channel();
                let total = Rc::clone(&total);
                set.spawn_local(async move {
                    let number: i32 = receive.await.expect("it is sent");
                    total.set(total.get() + number);
                });
                thread::spawn(move || send.send(number).expect("the task waits"));
            }
            while let Some(joined) = set.join_next().await {
                joined.expect("no panic");
            }
        });
        assert_eq!(total.get(), 99 * 100 / 2);
    });
}

#[test]
fn tasks_wait_between_calls_of_block_on() {
    within_a_minute(|| {
        let runtime = current_thread();
        let count = Arc::new(AtomicUsize::new(0));
        let its_count = Arc::clone(&count);
        let task = runtime.spawn(async move {
            for _ in 0..3 {
                its_count.fetch_add(1, SeqCst);
                yield_now().await;
            }
        });
        assert_eq!(count.load(SeqCst), 0, "nobody runs it");
        runtime.block_on(yield_now());
        let between = count.load(SeqCst);
        assert!(between > 0, "it ran beside the root");
        runtime.block_on(async {});
        runtime.block_on(task).expect("no panic");
        assert_eq!(count.load(SeqCst), 3);
    });
}

#[test]
fn timers_that_fall_due_between_calls_fire_in_the_next() {
    within_a_minute(|| {
        let runtime = current_thread();
        // A thread that loses its core for long finds the timer due in the first call already.
        let task = loop {
            let task = runtime.spawn(sleep(Duration::from_millis(1)));
            runtime.block_on(yield_now());
            if !task.is_finished() {
                break task;
            }
        };
        spin_for(Duration::from_millis(3));
        assert!(!task.is_finished());
        runtime.block_on(task).expect("no panic");
    });
}

#[test]
fn the_network_is_served() {
    within_a_minute(|| {
        current_thread().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            let server = spawn_local(async move {
                let (mut stream, _) = listener.accept().await.expect("a client comes");
                let mut buffer = [0; 4];
                stream.read_exact(&mut buffer).await.expect("the client writes");
                stream.write_all(&buffer).await.expect("the client reads");
            });
            let mut client = TcpStream::connect(address).await.expect("it listens");
            client.write_all(b"ping").await.expect("the server reads");
            let mut answer = [0; 4];
            client.read_exact(&mut answer).await.expect("the server writes");
            assert_eq!(&answer, b"ping");
            server.await.expect("no panic");
        });
    });
}

/// Several threads may be in `block_on` at the same time: one of them runs the tasks, and another
/// takes over when it leaves.
#[test]
fn several_threads_may_block_on_it_at_once() {
    within_a_minute(|| {
        let runtime = current_thread();
        let order = Arc::new(Notify::new());
        thread::scope(|scope| {
            for number in 0..8 {
                let (runtime, order) = (&runtime, Arc::clone(&order));
                scope.spawn(move || {
                    let output = runtime.block_on(async {
                        for _ in 0..50 {
                            order.notify_one();
                            sleep(Duration::from_micros(100)).await;
                            wsrt::spawn(yield_now()).await.expect("no panic");
                        }
                        wsrt::spawn(async move { number }).await.expect("no panic")
                    });
                    assert_eq!(output, number);
                });
            }
        });
    });
}

/// The thread that ran the tasks leaves; another that waits for one of them has to take over.
#[test]
fn whoever_stays_takes_over_the_tasks() {
    within_a_minute(|| {
        for _ in 0..100 {
            let runtime = current_thread();
            let (go, went) = oneshot::channel::<()>();
            let (first_in, is_first_in) = channel();
            thread::scope(|scope| {
                let runtime = &runtime;
                let first = scope.spawn(move || {
                    runtime.block_on(async {
                        first_in.send(()).expect("the test waits");
                        went.await.expect("it is sent");
                    });
                });
                is_first_in.recv_timeout(LIMIT).expect("it begins");
                let second = scope.spawn(move || {
                    runtime.block_on(async {
                        for _ in 0..5 {
                            wsrt::spawn(sleep(Duration::from_micros(50))).await.expect("no panic");
                        }
                    });
                });
                go.send(()).expect("the first waits");
                first.join().expect("no panic");
                second.join().expect("no panic");
            });
        }
    });
}

/// The thread that ran the tasks has armed a timer for one of them, and leaves. Another sleeps in
/// the netpoller already, with nothing to wake up for.
#[test]
fn timers_of_a_leaving_thread_are_seen_by_the_sleeper() {
    within_a_minute(|| {
        for _ in 0..20 {
            let runtime = current_thread();
            let (armed, is_armed) = oneshot::channel();
            let (done, is_done) = oneshot::channel();
            let (first_in, is_first_in) = channel();
            thread::scope(|scope| {
                let runtime = &runtime;
                let first = scope.spawn(move || {
                    runtime.block_on(async {
                        first_in.send(()).expect("the test waits");
                        // In a poll until the other thread is on its way to sleep.
                        while runtime.metrics().snapshot().num_idle_machines() == 0 {
                            thread::yield_now();
                        }
                        spin_for(Duration::from_millis(1));
                        wsrt::spawn(async {
                            armed.send(()).expect("the first waits");
                            sleep(Duration::from_millis(5)).await;
                            done.send(()).expect("the second waits");
                        });
                        is_armed.await.expect("it is sent");
                    });
                });
                is_first_in.recv_timeout(LIMIT).expect("it begins");
                let second = scope.spawn(move || runtime.block_on(is_done).expect("it is sent"));
                first.join().expect("no panic");
                second.join().expect("no panic");
            });
        }
    });
}

#[test]
fn block_on_in_a_task_runs_the_other_tasks() {
    within_a_minute(|| {
        let runtime = current_thread();
        let handle = runtime.handle().clone();
        let order = Rc::new(RefCell::new(Vec::new()));
        runtime.block_on(async {
            let (inner_log, outer_log) = (Rc::clone(&order), Rc::clone(&order));
            let outer = spawn_local(async move {
                let inner = spawn_local(async move { inner_log.borrow_mut().push("inner") });
                handle.block_on(inner).expect("no panic");
                outer_log.borrow_mut().push("outer");
            });
            outer.await.expect("no panic");
        });
        assert_eq!(*order.borrow(), ["inner", "outer"]);
    });
}

#[test]
fn blocking_jobs_have_threads_of_their_own() {
    within_a_minute(|| {
        let here = thread::current().id();
        let there = current_thread().block_on(async { spawn_blocking(|| thread::current().id()).await });
        assert_ne!(there.expect("no panic"), here);
    });
}

#[test]
fn run_is_block_on_of_a_task() {
    within_a_minute(|| {
        let runtime = current_thread();
        assert!(runtime.run(async { wsrt::task::try_id().is_some() }));
    });
}

#[test]
fn spawn_local_elsewhere_says_what_to_do() {
    within_a_minute(|| {
        let message = panic_message(|| spawn_local(async {}));
        assert!(message.starts_with("wsrt: `spawn_local` was called outside a wsrt runtime"), "{message}");
        let runtime = Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
        let wanted = "wsrt: `spawn_local` needs a `LocalSet` that is being polled, a `LocalRuntime`, or a current-thread runtime";
        let task = runtime.spawn(async { panic_message(|| spawn_local(async {})) });
        let message = runtime.block_on(task).expect("the panic was caught");
        assert!(message.starts_with(wanted), "{message}");
        let runtime = current_thread();
        let _guard = runtime.enter();
        let message = panic_message(|| spawn_local(async {}));
        assert!(message.starts_with(wanted), "{message}");
    });
}

/// A task that belongs to a thread that has left `block_on` is not run by another: it panics, and
/// is not touched.
#[test]
fn a_local_task_does_not_move_to_another_thread() {
    within_a_minute(|| {
        let runtime = Arc::new(current_thread());
        let theirs = Arc::clone(&runtime);
        let spawning = move || theirs.block_on(async { Some(spawn_local(pending::<()>())) });
        let task = thread::spawn(spawning).join().expect("no panic").expect("it was spawned");
        let error = runtime.block_on(async {
            task.abort();
            task.await.expect_err("aborted, or refused")
        });
        assert!(error.is_cancelled() || error.is_panic(), "{error}");
    });
}
